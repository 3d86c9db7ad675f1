/** Getting a home back without password, recovery code and SMS, and who tries to get somebody else's by it. */
import { beforeEach, describe, expect, it } from "vitest";
import { call, json, post, problem } from "../support/client.ts";
import { acted, operate, operatorSettings, operatorToken } from "../support/operators.ts";
import {
	AT_LAGOS,
	LAGOS,
	type Minted,
	mint,
	newKey,
	newOwner,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { row, sql } from "../support/sql.ts";

const DAY = 86_400_000;
const reason = "Came to the office: lost their phone.";
const evidence = "pin_on_site";

let holder: SignedInUser & Minted;
let agent: SignedInUser;
/** Each test has an operator of its own, because one may ask for five in a day. */
let email: string;
let tests = 0;
beforeEach(async () => {
	tests += 1;
	email = `operator${tests}@addr.example`;
	[holder, agent] = [await newOwner({ ...LAGOS, label: "Blue gate" }), await signUpAgent()];
	await daysPass(500);
});

/** Lets days go by without any use of the holder's account. Its sessions end after 30, and the hourly clean-up deletes them. */
async function daysPass(days: number): Promise<void> {
	const { id } = holder.user;
	const ago = days * DAY;
	await sql(
		"update sessions set created_at = created_at - ?1, last_seen_at = last_seen_at - ?1 where user_id = ?2",
		ago,
		id,
	);
	const times =
		"created_at = created_at - ?1, used_until = used_until - ?1, recovery_asked_at = recovery_asked_at - ?1, recovery_given_at = recovery_given_at - ?1";
	await sql(`update users set ${times} where id = ?2`, ago, id);
	await sql(
		"update api_keys set created_at = created_at - ?1, last_used_at = last_used_at - ?1 where user_id = ?2",
		ago,
		id,
	);
	if (days >= 30) await sql("delete from sessions where user_id = ?", id);
}

const ask = async (id = holder.user.id, by = email) => {
	const settings = { ...operatorSettings, OPERATORS: by };
	const token = await operatorToken({ email: by });
	return post(`/v1/operator/accounts/${id}/recovery`, { reason, evidence }, { token, settings });
};
const handOver = (who = agent, body: object = AT_LAGOS) =>
	post(`/v1/addresses/${holder.canonical}/recovery-code`, body, { token: who.access });
const notDue = (who = agent) => problem(handOver(who), 404, "NOT_FOUND");
const reset = (recovery_code: string) =>
	post("/v1/auth/password/reset", { phone: holder.user.phone, recovery_code, new_password: "nine green hens" });

describe("a holder who has lost everything, after 500 days of silence", () => {
	it("gets in by a code that an agent hands over at the pin, seven days after an operator asked for it", async () => {
		const asked = await json<{ available_at: string }>(ask(), 202);
		expect(Math.abs(Date.parse(asked.available_at) - Date.now() - 7 * DAY)).toBeLessThan(60_000);
		await daysPass(6.9);
		await notDue();
		await daysPass(0.2);
		const { recovery_code } = await json<{ recovery_code: string }>(handOver(), 201);
		const { access } = await json<SignedInUser>(reset(recovery_code));
		// Whoever is in has used the account.
		await notDue();
		expect(await json(call(`/v1/addresses/${holder.canonical}`, { token: access }))).toMatchObject({ owned: true });
		const held = await json(call("/v1/auth/me/export", { token: access }));
		expect(held).toMatchObject({ operator_acts: [{ act: "recovery" }] });
		const acts = await acted(`acts?account=${holder.user.id}&act=recovery`);
		expect(acts).toMatchObject({ data: [{ detail: evidence, reason, operator: email }] });
	});

	it("gets in where the answer with the code is lost: for 15 minutes the same agent is shown another, which replaces it", async () => {
		const other = await signUpAgent();
		await json(ask(), 202);
		await daysPass(8);
		const codes = [];
		for (let time = 0; time < 2; time += 1) {
			codes.push((await json<{ recovery_code: string }>(handOver(), 201)).recovery_code);
			await notDue(other);
			await daysPass(10 / (24 * 60));
		}
		// The time runs from the first answer.
		await notDue();
		const [lost = "", shown = ""] = codes;
		await problem(reset(lost), 401, "INVALID_CREDENTIALS");
		await json(reset(shown));
		await notDue();
		expect(
			await row(
				"select recovery_asked_at, recovery_given_at, recovery_given_to from users where id = ?",
				holder.user.id,
			),
		).toEqual({ recovery_asked_at: null, recovery_given_at: null, recovery_given_to: null });
	});

	it("gets no other code once an operator has asked anew, before seven days are over again", async () => {
		await json(ask(), 202);
		await daysPass(8);
		await json(handOver(), 201);
		await json(ask(), 202);
		await notDue();
		await daysPass(7.1);
		await json(handOver(), 201);
	});

	it("does not get it from afar, nor once it has waited for too long", async () => {
		await json(ask(), 202);
		await daysPass(8);
		const afar = { position: { lat: LAGOS.lat + 0.01, lng: LAGOS.lng, accuracy_m: 10 } };
		await problem(handOver(agent, afar), 422, "TOO_FAR");
		await daysPass(30);
		await notDue();
		await json(ask(), 202);
		await daysPass(7.1);
		await json(handOver(), 201);
	});
});

describe("nobody takes an account by it", () => {
	it("an agent alone", async () => {
		await notDue();
		await daysPass(40);
		await notDue();
		const asStranger = post(
			`/v1/operator/accounts/${holder.user.id}/recovery`,
			{ reason, evidence },
			{ token: agent.access },
		);
		expect((await asStranger).status).toBe(404);
	});

	it("an operator alone, who makes an account of their own an agent, before or after", async () => {
		const [before, after] = [await signUp(), await signUp()];
		await acted(`accounts/${before.user.id}/role`, { role: "agent", reason });
		await json(ask(holder.user.id, "ada@addr.example"), 202);
		await acted(`accounts/${after.user.id}/role`, { role: "agent", reason });
		await daysPass(8);
		for (const own of [before, after]) await notDue(own);
		// Another operator's agent may, unless they became one since.
		const settings = { ...operatorSettings, OPERATORS: "ada@addr.example,eve@addr.example" };
		const token = await operatorToken({ email: "eve@addr.example" });
		const other = await signUp();
		await json(post(`/v1/operator/accounts/${other.user.id}/role`, { role: "agent", reason }, { token, settings }));
		await notDue(other);
		await json(handOver(), 201);
	});

	it("an operator and an agent together, while the holder uses what they have", async () => {
		await json(ask(), 202);
		await daysPass(8);
		await json(handOver(), 201);
		// Whoever signs in within the quarter of an hour ends it too.
		await json(post("/v1/auth/login", { phone: holder.user.phone, password: PASSWORD }));
		await notDue();
		await daysPass(31);
		for (const use of [
			async () => void (await json(post("/v1/auth/login", { phone: holder.user.phone, password: PASSWORD }))),
			async () => {
				await json(post("/v1/auth/login", { phone: holder.user.phone, password: PASSWORD }));
				await sql("delete from sessions where user_id = ?", holder.user.id);
			},
		]) {
			await json(ask(), 202);
			await daysPass(3);
			await use();
			await daysPass(5);
			await notDue();
			await problem(ask(), 400, "INVALID_REQUEST");
			await daysPass(31);
		}
	});

	it("whoever has stolen an operator's token asks for five in a day, and is seen", async () => {
		const { id } = holder.user;
		const asks = () => ask(id, "mallory@addr.example");
		for (let time = 0; time < 5; time += 1) await json(asks(), 202);
		for (const by of ["mallory@addr.example", "Mallory@addr.example"])
			await problem(ask(id, by), 429, "QUOTA_EXCEEDED");
		expect(await acted(`acts?operator=mallory@addr.example`)).toMatchObject({
			data: Array(5).fill({ act: "recovery" }),
		});
	});

	it("whoever has stolen a phone that is signed in ends it by using it", async () => {
		const stolen = await json<SignedInUser>(post("/v1/auth/login", { phone: holder.user.phone, password: PASSWORD }));
		await sql(
			"update sessions set created_at = created_at - ?1, last_seen_at = last_seen_at - ?1 where user_id = ?2",
			31 * DAY,
			holder.user.id,
		);
		await json(ask(), 202);
		await json(post("/v1/auth/token/refresh", { refresh: stolen.refresh }));
		await sql(`update users set recovery_asked_at = recovery_asked_at - ${8 * DAY} where id = ?`, holder.user.id);
		await notDue();
	});

	it("of a utility that lives by keys: not while a key is in use, and not with more than 20 addresses", async () => {
		const { key } = await newKey(
			await json<SignedInUser>(post("/v1/auth/login", { phone: holder.user.phone, password: PASSWORD })),
			{ scopes: ["addresses:write"] },
		);
		await daysPass(40);
		await json(call("/v1/addresses", { token: key }));
		await new Promise((resolve) => setTimeout(resolve, 50));
		await problem(ask(), 400, "INVALID_REQUEST");
		await daysPass(40);
		await json(ask(), 202);
		await daysPass(3);
		await json(call("/v1/addresses", { token: key }));
		await new Promise((resolve) => setTimeout(resolve, 50));
		await daysPass(5);
		await notDue();
		for (let count = 0; count < 20; count += 1) await mint(key, LAGOS);
		await daysPass(40);
		const { detail } = await problem(ask(), 400, "INVALID_REQUEST");
		expect(detail).toContain("This one has 21");
	});

	it("of an account that is suspended or closed, or that has no address", async () => {
		await sql("update users set disabled_at = 1 where id = ?", holder.user.id);
		await problem(ask(), 400, "INVALID_REQUEST");
		await sql("update users set disabled_at = null, erase_at = ? where id = ?", Date.now() + DAY, holder.user.id);
		await problem(ask(), 400, "INVALID_REQUEST");
		await problem(ask((await signUp()).user.id), 400, "INVALID_REQUEST");
		await json(operate(`accounts/${holder.user.id}/recovery`, { reason }), 400);
	});
});
