import { expect, it } from "vitest";
import { consoleRoutes } from "../../src/my/routes.tsx";
import { becomeHolder, ConsoleVisitor, newcomer } from "../support/console-visitor.ts";
import { inOneMinute, spend } from "../support/minute.ts";
import { sql, value } from "../support/sql.ts";

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
	expect((await visitor.ask("/my")).status).toBe(200);
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

it("whose account is suspended signs in to export and delete it, and every other page says so and whom to ask", async () => {
	const settings = { OPERATOR_CONTACT: "mailto:office@addr.example" };
	const person = newcomer();
	const canonical = await becomeHolder(new ConsoleVisitor(), person);
	const userId = await value("select owner_id from addresses where canonical = ?", canonical);
	await sql("update users set disabled_at = 1 where id = ?", userId);
	const visitor = await new ConsoleVisitor(settings).open("/my/sign-in");
	await visitor.send("/my/sign-in", person);
	expect([visitor.path, visitor.status]).toEqual(["/my", 403]);
	expect(visitor.text).toContain("The operator has suspended this account.");
	expect(visitor.text).toContain("office@addr.example");
	expect(visitor.html).toContain('href="/my/account/export"');
	expect(visitor.html).toContain('href="/my/account/delete"');

	// Every page and every form of the console, with the token of a page.
	await visitor.open("/my/account/export");
	const form = visitor.fields("/my/account/export", { password: person.password });
	const open = new Set<string>();
	for (const { method, path } of consoleRoutes.routes.filter(({ method }) => method !== "ALL")) {
		if (/sign-out|account\/delete/.test(path) && method === "POST") continue;
		const at = `/my${path.replace(/^\/my/, "")}`.replace(/:(\w+)(\{[^}]*\})?/g, (_, name: string) =>
			name === "code" ? canonical : name === "placing" ? "move" : "key_x",
		);
		const answer = method === "GET" ? await visitor.ask(at) : await visitor.post(at, form);
		const text = await answer.text();
		if (answer.status !== 403 || !text.includes("has suspended this account")) open.add(`${method} ${path}`);
	}
	// Those for anyone, which do nothing that an account is needed for.
	const forAnyone = [...open].filter((route) => !/\/(new|forgot|sign-in|sign-up|deleted)\b/.test(route));
	expect(forAnyone.sort()).toEqual(["GET /account/delete", "GET /account/export", "POST /account/export"]);

	await visitor.open("/my/new");
	await visitor.send("/my/new", { place: "6.53, 3.38" });
	expect([visitor.status, visitor.text.includes("has suspended this account")]).toEqual([403, true]);
	const draft = { lat: "6.53", lng: "3.38", label: "Blue gate", key: "k".repeat(22) };
	const minting = await visitor.post("/my/new/check", new URLSearchParams({ ...Object.fromEntries(form), ...draft }));
	expect(minting.status).toBe(403);
	expect(await value("select count(*) from addresses where owner_id = ?", userId)).toBe(1);
	await visitor.openAndSend("/my/account/delete", { password: person.password });
	expect(visitor.path).toBe("/my/deleted");
});

it("whose account is suspended sets a new password by the recovery code, and then exports and deletes it", async () => {
	const person = newcomer();
	const visitor = new ConsoleVisitor();
	const canonical = await becomeHolder(visitor, person);
	await visitor.openAndSend("/my/account/recovery", {});
	const [code = ""] = /\b(?:[0-9A-Z]{4}-){5}[0-9A-Z]{4}\b/.exec(visitor.text) ?? [];
	const userId = await value("select owner_id from addresses where canonical = ?", canonical);
	await sql("update users set disabled_at = 1 where id = ?", userId);
	const lost = await new ConsoleVisitor().open("/my/forgot");
	const password = "nine green hens";
	await lost.send("/my/forgot/recovery", { country: "NG", phone: person.phone, recovery_code: code, password });
	expect([lost.path, lost.status]).toEqual(["/my?did=reset", 403]);
	expect(lost.text).toContain("The operator has suspended this account.");
	await lost.open("/my/account/export");
	const answer = await lost.post("/my/account/export", lost.fields("/my/account/export", { password }));
	expect(await answer.json()).toMatchObject({ addresses: { features: [{ id: canonical }] } });
	await lost.openAndSend("/my/account/delete", { password });
	expect(lost.path).toBe("/my/deleted");
});

it("a number with an extension, or one of two countries, is refused at its field with the reason, in the visitor's language", async () => {
	const visitor = new ConsoleVisitor();
	for (const [phone, lang, reason] of [
		["0803 123 4567 ext 5", "en", "Leave out the extension"],
		["0091 98450 12345", "en", "numbers of two countries"],
		["0803 123 4567 ext 5", "fr", "Retirez le numéro de poste"],
		["0091 98450 12345", "ar", "لبلدين مختلفين"],
	] as const) {
		await visitor.openAndSend(`/my/sign-in?lang=${lang}`, { country: "NG", phone, password: "seven blue goats" });
		expect([visitor.status, visitor.html.includes('href="#phone"'), visitor.text]).toEqual([
			400,
			true,
			expect.stringContaining(reason),
		]);
	}
});
