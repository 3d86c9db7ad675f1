import { describe, expect, it } from "vitest";
import { ConsoleVisitor, newcomer, newNationalPhone } from "../support/console-visitor.ts";
import { lastCode, sentTo, smsGateway, wrongFor } from "../support/one-time-codes.ts";
import { sql } from "../support/sql.ts";

/** As E.164. */
const international = (phone: string) => `+234${phone.slice(1)}`;
const NEW_PASSWORD = "eight green goats";

/** Somebody signed in, in a registry that sends SMS. */
async function holder(settings: Record<string, string> = smsGateway) {
	const visitor = new ConsoleVisitor(settings);
	const person = newcomer();
	await visitor.openAndSend("/my/sign-up", person);
	return { visitor, person, phone: international(person.phone) };
}

describe("a forgotten password, where the registry sends SMS", () => {
	it("is set anew by the code that the phone gets, in the digits of any script, and other devices are signed out", async () => {
		const { visitor: first, person, phone } = await holder();
		const lost = await new ConsoleVisitor(smsGateway).open("/my/sign-in");
		expect(lost.html).toContain('href="/my/forgot"');
		await lost.open("/my/forgot");
		await lost.send("/my/forgot/sms", { country: "NG", phone: person.phone });
		expect(lost.text).toContain(`A code was sent to \u2066${person.phone}\u2069. It works for 10 minutes.`);
		expect(lost.path).not.toContain(phone.slice(1));
		const code = await lastCode(phone);
		// What is no code costs none of the five tries.
		for (const otp of ["", "", code.slice(1), code.slice(1), `${code}0`]) {
			await lost.send("/my/forgot/sms", { otp, password: NEW_PASSWORD });
			expect([lost.status, lost.html.includes('href="#otp"')]).toEqual([401, true]);
		}
		await lost.send("/my/forgot/sms", { otp: wrongFor(code), password: NEW_PASSWORD });
		expect([lost.status, lost.html.includes('href="#otp"')]).toEqual([401, true]);
		expect(lost.text).toContain("This code is wrong or has expired.");
		await lost.send("/my/forgot/sms", { otp: code, password: "short" });
		expect([lost.status, lost.html.includes('href="#password"')]).toEqual([400, true]);
		expect(lost.html, "stays, unlike the password").toMatch(new RegExp(`name="otp"[^>]* value="${code}"`));
		const arabic = code.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
		await lost.send("/my/forgot/sms", { otp: ` ${arabic} `, password: NEW_PASSWORD });
		expect(lost.path).toBe("/my?did=reset");
		expect(lost.text).toContain("The password is changed.");
		expect((await first.ask("/my")).headers.get("Location")).toMatch(/^\/my\/sign-in/);
	});

	it("says the same of a phone without an account", async () => {
		const phone = newNationalPhone();
		const visitor = await new ConsoleVisitor(smsGateway).open("/my/forgot");
		await visitor.send("/my/forgot/sms", { country: "NG", phone });
		expect([visitor.status, visitor.text.includes("A code was sent to")]).toEqual([200, true]);
		await visitor.send("/my/forgot/sms", { otp: await lastCode(international(phone)), password: NEW_PASSWORD });
		expect([visitor.status, visitor.html.includes('href="#otp"')]).toEqual([401, true]);
	});

	it("says of a number that cannot be one what is wrong, and of a second code how long to wait, with the first still to enter", async () => {
		const { person, phone } = await holder();
		const visitor = await new ConsoleVisitor(smsGateway).open("/my/forgot");
		await visitor.send("/my/forgot/sms", { country: "NG", phone: "12" });
		expect([visitor.status, visitor.html.includes('href="#phone"')]).toEqual([400, true]);
		await visitor.send("/my/forgot/sms", { country: "NG", phone: person.phone });
		const again = visitor.fields("/my/forgot/sms", { otp: "" });
		again.delete("otp");
		const answer = await visitor.post("/my/forgot/sms", again);
		expect(answer.status).toBe(429);
		expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
		const page = await answer.text();
		expect(page).toContain("Too many attempts. Please wait 1 minute");
		expect(page).toContain('name="otp"');
		expect(await sentTo(phone)).toHaveLength(1);
		// Past the fifth of a day, a wait in minutes would be a number in the thousands.
		await sql("update otp_codes set sent_at = sent_at - 61000 where phone = ?", phone);
		for (let sent = 1; sent < 5; sent += 1) {
			expect((await visitor.post("/my/forgot/sms", again)).status).toBe(200);
			await sql("update otp_codes set sent_at = sent_at - 61000 where phone = ?", phone);
		}
		expect(await (await visitor.post("/my/forgot/sms", again)).text()).toContain("Please try again tomorrow.");
	});

	it("says of a number that is no mobile phone that no codes are sent to it, and not that it is wrong", async () => {
		const visitor = await new ConsoleVisitor(smsGateway).open("/my/forgot");
		await visitor.send("/my/forgot/sms", { country: "GB", phone: "020 7946 0958" });
		expect([visitor.status, visitor.html.includes('href="#phone"')]).toEqual([400, true]);
		expect(visitor.text).toContain("No codes are sent to this number.");
		expect(visitor.text).not.toContain("cannot be right");
		expect(visitor.html).toContain('href="/my/forgot/recovery"');
	});

	it("can still be set by the recovery code, which is the only way where no SMS is sent", async () => {
		const visitor = await new ConsoleVisitor(smsGateway).open("/my/forgot");
		expect(visitor.html).toContain('href="/my/forgot/recovery"');
		await visitor.open("/my/forgot/recovery");
		expect(visitor.html).toContain('name="recovery_code"');
		await visitor.send("/my/forgot/recovery", { country: "NG", phone: "1", recovery_code: "K7", password: "secret" });
		expect(visitor.html).toMatch(/name="recovery_code"[^>]* value="K7"/);
		expect(visitor.html).not.toContain('secret"');
		const silent = await new ConsoleVisitor().open("/my/forgot");
		expect(silent.html).toContain('name="recovery_code"');
		expect(silent.text).not.toContain("SMS");
	});
});

describe("the phone number of an account", () => {
	it("is changed by the code that the new one gets, and the password", async () => {
		const { visitor, person } = await holder();
		const other = newNationalPhone();
		await visitor.open("/my/account");
		expect(visitor.html).toContain('href="/my/account/phone"');
		await visitor.openAndSend("/my/account/phone", { country: "NG", phone: other });
		const otp = await lastCode(international(other));
		await visitor.send("/my/account/phone", { otp, password: "not my password" });
		expect([visitor.status, visitor.html.includes('href="#password"')]).toEqual([401, true]);
		// The number in this form is the new one, and nothing is wrong with it.
		expect(visitor.text).toContain("The password is wrong.");
		expect(visitor.text).not.toContain("The phone number or the password is wrong.");
		await visitor.send("/my/account/phone", { otp: wrongFor(otp), password: person.password });
		expect([visitor.status, visitor.html.includes('href="#otp"')]).toEqual([400, true]);
		await visitor.send("/my/account/phone", { otp, password: person.password });
		expect(visitor.path).toBe("/my/account?did=phone");
		expect(visitor.text).toContain(`${international(other)} (verified)`);
		const again = await new ConsoleVisitor().open("/my/sign-in");
		await again.send("/my/sign-in", person);
		expect(again.status).toBe(401);
		await again.send("/my/sign-in", { ...person, phone: other });
		expect(again.path).toBe("/my");
	});

	it("is verified in the same way, and is not taken from whoever has verified it", async () => {
		const { visitor, person, phone } = await holder();
		await visitor.openAndSend("/my/account/phone", { country: "NG", phone: person.phone });
		await visitor.send("/my/account/phone", { otp: await lastCode(phone), password: person.password });
		expect(visitor.text).toContain(`${phone} (verified)`);
		const { visitor: stranger } = await holder();
		await stranger.openAndSend("/my/account/phone", { country: "NG", phone: person.phone });
		expect([stranger.status, stranger.html.includes('href="#phone"')]).toEqual([409, true]);
		expect(await sentTo(phone)).toHaveLength(1);
	});
});
