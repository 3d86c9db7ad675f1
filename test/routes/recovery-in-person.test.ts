/** Getting a home back without password, recovery code and SMS, and who tries to get somebody else's by it. */
import { beforeEach, describe, expect, it } from "vitest";
import { call, json, post, problem, settle } from "../support/client.ts";
import { ConsoleVisitor } from "../support/console-visitor.ts";
import { isApart } from "../support/databases.ts";
import { logged } from "../support/logged.ts";
import { sentTo, smsGateway } from "../support/one-time-codes.ts";
import { acted, OperatorVisitor, operate, operatorSettings, operatorToken } from "../support/operators.ts";
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
import { until } from "../support/until.ts";

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
		"created_at = created_at - ?1, used_until = used_until - ?1, recovery_requested_at = recovery_requested_at - ?1, recovery_given_at = recovery_given_at - ?1";
	await sql(`update users set ${times} where id = ?2`, ago, id);
	await sql(
		"update api_keys set created_at = created_at - ?1, last_used_at = last_used_at - ?1 where user_id = ?2",
		ago,
		id,
	);
	if (days >= 30) await sql("delete from sessions where user_id = ?", id);
}

/** Asks for a recovery and names an agent, by account id or phone number. */
const ask = async (id = holder.user.id, by = email, named = agent.user.id, more: object = {}) => {
	const settings = { ...operatorSettings, OPERATORS: by, ...more };
	const token = await operatorToken({ email: by });
	return post(`/v1/operator/accounts/${id}/recovery`, { agent: named, reason, evidence }, { token, settings });
};
const handOver = (who = agent, body: object = AT_LAGOS) =>
	post(`/v1/addresses/${holder.canonical}/recovery-code`, body, { token: who.access });
const notDue = (who = agent) => problem(handOver(who), 404, "NOT_FOUND");
const reset = (recovery_code: string) =>
	post("/v1/auth/password/reset", { phone: holder.user.phone, recovery_code, new_password: "nine green hens" });

describe("a holder who has lost everything, after 500 days of silence", () => {
	it("gets in by a code that an agent hands over at the pin, seven days after an operator asked for it", async () => {
		const asked = await json<{ agent: string; available_at: string }>(ask(), 202);
		expect(asked.agent).toBe(agent.user.id);
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
		expect(acts).toMatchObject({ data: [{ detail: `${evidence}, by ${agent.user.id}`, reason, operator: email }] });
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
				"select recovery_requested_at, recovery_agent_id, recovery_given_at from users where id = ?",
				holder.user.id,
			),
		).toEqual({ recovery_requested_at: null, recovery_agent_id: null, recovery_given_at: null });
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
		await problem(handOver(agent, afar), 404, "NOT_FOUND");
		await daysPass(30);
		await notDue();
		await json(ask(), 202);
		await daysPass(7.1);
		await json(handOver(), 201);
	});
});

describe("the agent who is named", () => {
	const figures = async () => {
		const { suspicious_today } = await json<{ suspicious_today: { name: string; count: number }[] }>(
			operate("figures"),
		);
		return suspicious_today.find(({ name }) => name === "recovery_code_refused")?.count ?? 0;
	};

	it("by phone number or id is an agent, another person than the holder, neither suspended nor closed", async () => {
		const refused = async (named: string) => {
			const { errors } = await problem(ask(holder.user.id, email, named), 400, "INVALID_REQUEST");
			expect(errors).toEqual([{ path: "agent", message: expect.any(String) }]);
			return errors?.[0]?.message;
		};
		const nobody = await signUp();
		for (const named of [nobody.user.id, nobody.user.phone, "usr_7dN3kq0vXW2mZrB8cT5yLa", "+2348039999999"])
			expect(await refused(named)).toBe("No agent has this account id or phone number.");
		for (const named of ["", "Ada", "0803"]) expect(await refused(named)).toContain("with its country code");
		await sql("update users set role = 'agent' where id = ?", holder.user.id);
		for (const named of [holder.user.id, holder.user.phone]) expect(await refused(named)).toContain("the holder");
		await sql("update users set disabled_at = 1 where id = ?", agent.user.id);
		expect(await refused(agent.user.id)).toContain("suspended");
		await sql("update users set disabled_at = null, erase_at = ? where id = ?", Date.now() + DAY, agent.user.id);
		expect(await refused(agent.user.phone)).toContain("closed");
		await sql("update users set erase_at = null where id = ?", agent.user.id);
		expect(await acted(`acts?account=${holder.user.id}&act=recovery`)).toMatchObject({ data: [] });
		expect(await json(ask(holder.user.id, email, ` ${agent.user.phone} `), 202)).toMatchObject({
			agent: agent.user.id,
		});
	});

	it("alone is shown the code, and only at the pin: others learn nothing, and it waits for the agent", async () => {
		const other = await signUpAgent();
		await json(ask(), 202);
		await daysPass(8);
		await settle();
		const before = await figures();
		const lines = await logged(async () => {
			const afar = { position: { lat: LAGOS.lat + 0.01, lng: LAGOS.lng, accuracy_m: 10 } };
			const [wrong, far, unknown] = [
				await notDue(other),
				await problem(handOver(agent, afar), 404, "NOT_FOUND"),
				await problem(
					post(`/v1/addresses/${(await newOwner()).canonical}/recovery-code`, AT_LAGOS, { token: agent.access }),
					404,
					"NOT_FOUND",
				),
			];
			expect([far.detail, unknown.detail]).toEqual([wrong.detail, wrong.detail]);
		}, "recovery_code_refused");
		expect(lines).toHaveLength(3);
		for (const line of lines)
			expect(line).toMatchObject({ level: "warn", agent: expect.any(String), user: expect.any(String) });
		await until(async () => (await figures()) === before + 3);
		expect((await new OperatorVisitor().open("/operate")).text).toContain("recovery_code_refused");
		expect(await row("select recovery_hash, recovery_given_at from users where id = ?", holder.user.id)).toEqual({
			recovery_hash: null,
			recovery_given_at: null,
		});
		await json(handOver(), 201);
	});

	it("spends an attestation by each try, from wherever it pretends to be, and is stopped past 500 a day", async () => {
		const mallory = await signUpAgent();
		await json(ask(), 202);
		await daysPass(8);
		const subject = `${mallory.user.id}:attestations`;
		for (const accuracy_m of [0, 10, 100_000])
			await problem(handOver(mallory, { position: { ...LAGOS, accuracy_m } }), 404, "NOT_FOUND");
		expect(await row("select count from daily_counts where subject = ?", subject)).toEqual({ count: 3 });
		await sql("update daily_counts set count = 499 where subject = ?", subject);
		await notDue(mallory);
		await problem(handOver(mallory), 429, "QUOTA_EXCEEDED");
		// They attest nothing more that day in that database either, and another agent notices nothing.
		const attest = (by: SignedInUser) =>
			post(`/v1/addresses/${holder.canonical}/attestations`, { level: 1, ...AT_LAGOS }, { token: by.access });
		if (isApart) await json(attest(mallory), 201);
		else await problem(attest(mallory), 429, "QUOTA_EXCEEDED");
		await json(handOver(), 201);
		await json(attest(agent), 201);
	});

	it("can be named past the quota, and not be shown the code before the next day", async () => {
		await json(ask(), 202);
		await daysPass(8);
		const day = Math.floor(Date.now() / DAY);
		await sql(
			"insert into daily_counts (subject, day, count) values (?, ?, 500)",
			`${agent.user.id}:attestations`,
			day,
		);
		await problem(handOver(), 429, "QUOTA_EXCEEDED");
		await sql("update daily_counts set day = day - 1 where subject = ?", `${agent.user.id}:attestations`);
		await json(handOver(), 201);
	});

	it("is shown no code once they are no agent any more or suspended, until another is named", async () => {
		const other = await signUpAgent();
		await json(ask(), 202);
		await daysPass(8);
		await sql("update users set role = 'user' where id = ?", agent.user.id);
		await problem(handOver(), 403, "FORBIDDEN");
		await sql("update users set role = 'agent', disabled_at = 1 where id = ?", agent.user.id);
		await problem(handOver(), 403, "ACCOUNT_SUSPENDED");
		await notDue(other);
		await json(ask(holder.user.id, email, other.user.phone), 202);
		await sql("update users set disabled_at = null where id = ?", agent.user.id);
		await daysPass(8);
		await notDue();
		await json(handOver(other), 201);
	});

	it("is in no column that a version before 1.4.0 reads, which asks any agent, and ends no request of such a version", async () => {
		const asked = "select recovery_asked_at as asked, recovery_given_to as shown from users where id = ?";
		const askAsBefore = () =>
			sql("update users set recovery_asked_at = ? where id = ?", Date.now() - 8 * DAY, holder.user.id);
		await askAsBefore();
		for (const anyone of [agent, await signUpAgent()]) await notDue(anyone);
		await json(ask(), 202);
		expect(await row(asked, holder.user.id)).toEqual({ asked: null, shown: null });
		await daysPass(8);
		await json(handOver(), 201);
		expect(await row(asked, holder.user.id)).toEqual({ asked: null, shown: null });
	});

	it("finds the way on pages: from the form of an operator to the page where they hand over the code", async () => {
		const operator = new OperatorVisitor();
		const path = `/operate/accounts/${holder.user.id}/recovery`;
		await operator.openAndSend(path, { agent: (await signUp()).user.id, evidence, reason });
		expect([operator.status, operator.text]).toEqual([400, expect.stringContaining("No agent has this account id")]);
		await operator.openAndSend(path, { agent: agent.user.phone, evidence, reason });
		expect(operator.path).toContain(`/operate/accounts/${holder.user.id}?did=recovery`);
		expect(operator.text).toContain("the agent whom you named");
		expect(operator.html).toContain(`href="/operate/accounts/${agent.user.id}"`);
		expect(await acted(`accounts/${holder.user.id}`)).toMatchObject({
			recovery: { agent: agent.user.id, shown_at: null },
		});
		await daysPass(8);
		const visitors = [];
		for (const { user } of [await signUpAgent(), agent]) {
			const visitor = new ConsoleVisitor();
			await visitor.openAndSend("/my/sign-in", { country: "NG", phone: user.phone, password: PASSWORD });
			await visitor.open(`/my/attest?code=${holder.canonical}`);
			visitors.push(visitor);
		}
		const hand = (visitor: ConsoleVisitor | undefined, { lat, lng } = LAGOS) =>
			visitor?.send("/my/attest", { what: "recovery", lat: `${lat}`, lng: `${lng}`, accuracy: "9" });
		const [other, named] = visitors;
		await hand(other);
		expect([other?.status, other?.text]).toEqual([
			404,
			expect.stringContaining("asked for it at least 7 days ago and named you"),
		]);
		await hand(named, { ...LAGOS, lat: LAGOS.lat + 0.01 });
		expect([named?.status, named?.text]).toEqual([404, expect.stringContaining("You must stand at the pin")]);
		await hand(named);
		const [code = ""] = /([0-9A-Z]{4}-){5}[0-9A-Z]{4}/.exec(named?.text ?? "") ?? [];
		await json(reset(code));
		expect(await acted(`accounts/${holder.user.id}`)).toMatchObject({ recovery: null });
	});
});

describe("the number of an account, where SMS are sent", () => {
	const notices = () => sentTo(holder.user.phone);

	it("is told when a recovery is asked for, and nothing but that", async () => {
		await json(ask(holder.user.id, email, "usr_none", smsGateway), 400);
		await json(ask(holder.user.id, email, agent.user.id, smsGateway), 202);
		await until(async () => (await notices()).length > 0);
		const [{ text } = { text: "" }, ...more] = await notices();
		expect(more).toEqual([]);
		expect(text).toMatch(/^Somebody asked \S+ to let them back into your account\. .+ within 7 days to stop it\.$/);
		expect(text.length).toBeLessThanOrEqual(160);
	});

	it("stops nothing where the gateway refuses, breaks down or serves other countries: that is logged", async () => {
		const broken = (status: number) => ({ ...smsGateway, OTP_GATEWAY_URL: `${smsGateway.OTP_GATEWAY_URL}/${status}` });
		for (const settings of [broken(400), broken(500), { ...smsGateway, OTP_CALLING_CODES: "+44" }]) {
			const lines = await logged(async () => {
				await json(ask(holder.user.id, email, agent.user.id, settings), 202);
				await settle();
			}, "recovery_notice_not_sent");
			expect(lines).toMatchObject([{ level: "warn" }]);
			expect(JSON.stringify(lines)).not.toContain(holder.user.phone);
		}
		await daysPass(8);
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
			{ agent: agent.user.id, reason, evidence },
			{ token: agent.access },
		);
		expect((await asStranger).status).toBe(404);
	});

	it("an operator alone, who makes an account of their own an agent, before or after", async () => {
		const ada = "ada@addr.example";
		const own = await signUp();
		await acted(`accounts/${own.user.id}/role`, { role: "agent", reason });
		const { errors } = await problem(ask(holder.user.id, ada, own.user.id), 400, "INVALID_REQUEST");
		expect(errors).toEqual([{ path: "agent", message: expect.stringContaining("You made this account an agent") }]);
		const settings = { ...operatorSettings, OPERATORS: `${ada},eve@addr.example` };
		const token = await operatorToken({ email: "eve@addr.example" });
		const giveRole = async (role: string) =>
			json(post(`/v1/operator/accounts/${agent.user.id}/role`, { role, reason }, { token, settings }));
		// Whom another operator made an agent long ago.
		await sql(
			"insert into operator_acts select 'act_long_ago', ?, 'eve@addr.example', 'role', 'agent', ?2, ?2, 'Trained', ''",
			Date.now() - 100 * DAY,
			agent.user.id,
		);
		await json(ask(holder.user.id, ada), 202);
		await daysPass(8);
		await json(handOver(), 201);
		// Nobody who became an agent again since, by whomever.
		await giveRole("user");
		await problem(handOver(), 403, "FORBIDDEN");
		await giveRole("agent");
		await notDue();
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
		await sql(
			`update users set recovery_requested_at = recovery_requested_at - ${8 * DAY} where id = ?`,
			holder.user.id,
		);
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
		await json(operate(`accounts/${holder.user.id}/recovery`, { agent: agent.user.id, reason }), 400);
	});
});
