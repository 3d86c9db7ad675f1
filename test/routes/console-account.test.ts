import { expect, it } from "vitest";
import { becomeHolder, ConsoleVisitor, newcomer } from "../support/console-visitor.ts";
import { inOneMinute, spend } from "../support/minute.ts";

/** A new holder with one address, on the page of their account. */
async function holder() {
	const visitor = new ConsoleVisitor();
	const person = newcomer();
	const canonical = await becomeHolder(visitor, person);
	await visitor.open("/my/account");
	return { visitor, canonical, password: person.password, credentials: person };
}

it("a holder's own data is a file to save, once the password is given", async () => {
	const { visitor, canonical, password } = await holder();
	expect(visitor.html).toContain('href="/my/account/export"');
	await visitor.openAndSend("/my/account/export", { password: "not my password" });
	expect([visitor.status, visitor.html.includes('href="#password"')]).toEqual([401, true]);
	const answer = await visitor.post("/my/account/export", visitor.fields("/my/account/export", { password }));
	expect(answer.headers.get("Content-Disposition")).toMatch(/^attachment; filename="\d{4}-\d\d-\d\d\.json"$/);
	expect(answer.headers.get("Cache-Control")).toBe("private, no-store");
	expect(await answer.json()).toMatchObject({ addresses: { features: [{ id: canonical }] } });
});

it("a form that asks for the password is sent by whoever is signed in, even when others have used up the calls of the network", async () => {
	const { visitor, password } = await holder();
	await visitor.open("/my/account/export");
	const form = visitor.fields("/my/account/export", { password });
	const statuses = await inOneMinute(async () => {
		await spend("AUTH_CALLS", 300, visitor.address);
		const stranger = await visitor.ask("/v1/auth/logout", { method: "POST", body: {} });
		return [stranger.status, (await visitor.post("/my/account/export", form)).status];
	});
	expect(statuses).toEqual([429, 200]);
});

it("deleting the account hides it at once, says until when that can be undone, and signing in undoes it", async () => {
	const { visitor, canonical, password, credentials } = await holder();
	await visitor.openAndSend("/my/account/delete", { password: "not my password" });
	expect(visitor.status).toBe(401);
	expect((await visitor.ask(`/v1/public/addresses/${canonical}`)).status).toBe(200);
	await visitor.send("/my/account/delete", { password });
	expect([visitor.path, visitor.status]).toEqual(["/my/deleted", 200]);
	expect(visitor.text).toContain("Your account is hidden and will be erased after 7 days.");
	expect((await visitor.ask(`/v1/public/addresses/${canonical}`)).status).toBe(410);
	expect(visitor.html, "once, as its form").not.toContain('href="/my/sign-in"');
	expect((await visitor.ask("/my")).headers.get("Location")).toMatch(/^\/my\/sign-in/);
	await visitor.send("/my/sign-in", credentials);
	expect(visitor.text).toContain("Your account and its addresses are open again.");
	expect(visitor.html).toContain(canonical);
	expect((await visitor.open("/my")).text, "once").not.toContain("open again");
	expect((await visitor.ask(`/v1/public/addresses/${canonical}`)).status).toBe(200);
});
