/** What an agent tries who wants somebody else's account or number, alone and with the help of others. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { languages } from "../../src/languages/languages.ts";
import { call, json, problem } from "../support/client.ts";
import { newHolder } from "../support/console-visitor.ts";
import { logged } from "../support/logged.ts";
import { acted, operate } from "../support/operators.ts";
import { freshPhone, newKey, PASSWORD, type SignedInUser, signUp, signUpAgent } from "../support/people.ts";
import { codeFor, postWithCodes } from "../support/request-codes.ts";
import { row, sql, value } from "../support/sql.ts";

const DAY = 86_400_000;
const post = (path: string, token: string, body: object) => call(path, { method: "POST", token, body });
const attest = (agent: SignedInUser, { user }: SignedInUser, phone: string) =>
	post("/v1/auth/attest-phone", agent.access, { phone, user_id: user.id });
const answer = ({ access }: SignedInUser, accept: boolean, password = PASSWORD) =>
	post("/v1/auth/me/pending-phone", access, { accept, ...(accept ? { current_password: password } : {}) });
const object = ({ access }: SignedInUser) => post("/v1/auth/me/phone-claimed", access, { object: true });
const me = ({ access }: SignedInUser) => json(call("/v1/auth/me", { token: access }));
const login = (phone: string, status = 200) =>
	json<SignedInUser>(call("/v1/auth/login", { method: "POST", body: { phone, password: PASSWORD } }), status);
/** Sets a new password by an SMS. */
const reset = async (phone: string) =>
	postWithCodes("/v1/auth/password/reset", { phone, otp: await codeFor(phone), new_password: "a wholly new password" });
const pendings = () => value("select count(*) as n from pending_phones");

/** Lets days go by: what waits was attested and accepted so much earlier, by accounts that are older still. */
async function daysPass(days: number): Promise<void> {
	await sql("update users set created_at = created_at - ?", 40 * DAY);
	await sql(
		"update pending_phones set attested_at = attested_at - ?1, accepted_at = accepted_at - ?1, objected_at = objected_at - ?1",
		days * DAY,
	);
	await cleanUp(env, Date.now());
}

/** Makes it long ago that somebody was signed in. */
async function isAway({ user }: SignedInUser): Promise<void> {
	await sql("update sessions set last_seen_at = 1, created_at = 1 where user_id = ?", user.id);
}

let agent: SignedInUser;
let victim: SignedInUser;
let accomplice: SignedInUser;
beforeEach(async () => {
	[agent, victim, accomplice] = [await signUpAgent(), await signUp(), await signUp()];
	await sql("delete from pending_phones");
});

/** The accomplice accepts the number of the victim that the agent attested for them. */
async function claim(): Promise<void> {
	expect(await json(attest(agent, accomplice, victim.user.phone))).toMatchObject({ pending: true });
	await json(answer(accomplice, true));
}

describe("an agent alone", () => {
	it("sets no other number for an account: it waits, is logged, and SMS go to the old one", async () => {
		const phone = freshPhone();
		const lines = await logged(async () => {
			const answer = { user_id: victim.user.id, phone, phone_verified: false, pending: true };
			expect(await json(attest(agent, victim, phone))).toEqual(answer);
		}, "phone_pending");
		expect(lines).toHaveLength(1);
		const waiting = { pending_phone: phone, phone_claimed: null };
		expect(await me(victim)).toEqual({ ...victim.user, ...waiting });
		await problem(reset(phone), 401, "INVALID_CREDENTIALS");
		await daysPass(29);
		expect(await me(victim)).toMatchObject({ phone: victim.user.phone, pending_phone: phone });
		await json(reset(victim.user.phone));
	});

	it("replaces no number that the holder is about to accept, with another agent neither", async () => {
		const [right, wrong] = [freshPhone(), freshPhone()];
		await json(attest(agent, victim, right));
		for (const other of [agent, await signUpAgent()]) {
			await problem(attest(other, victim, wrong), 403, "FORBIDDEN");
		}
		await json(attest(agent, victim, right));
		expect(await json(answer(victim, true))).toMatchObject({ phone: right, phone_verified: true, pending_phone: null });
		await login(right);
	});

	it("is told nothing of whether a number has an account", async () => {
		const [free, unverified] = [await json(attest(agent, victim, freshPhone())), accomplice.user.phone];
		await json(answer(victim, false));
		expect(await json(attest(agent, victim, unverified))).toEqual({ ...free, phone: unverified });
	});

	it("counts for nothing any more once an operator has unmade them", async () => {
		await json(attest(agent, victim, freshPhone()));
		await acted(`accounts/${agent.user.id}/role`, { role: "user", reason: "Ticket 9" });
		expect(await json(answer(victim, true))).toMatchObject({ phone: victim.user.phone });
	});
});

describe("the holder", () => {
	it("accepts with the password alone, signed in, and never with an API key", async () => {
		const phone = freshPhone();
		await json(attest(agent, victim, phone));
		const bare = post("/v1/auth/me/pending-phone", victim.access, { accept: true });
		expect(await json(bare, 400)).toMatchObject({ errors: [{ path: "current_password" }] });
		await problem(answer(victim, true, "not my password"), 401, "INVALID_CREDENTIALS");
		const { key } = await newKey(victim, { scopes: ["addresses:write"] });
		const byKey = post("/v1/auth/me/pending-phone", key, { accept: true, current_password: PASSWORD });
		expect(await json(byKey, 401)).toMatchObject({ code: expect.stringMatching(/UNAUTHENTICATED|INVALID_TOKEN/) });
		expect(await me(victim)).toMatchObject({ phone: victim.user.phone, pending_phone: phone });
		await json(answer(victim, true));
		await login(phone);
		await login(victim.user.phone, 401);
		const proof = "select method, agent_id, taken_from, replaced_phone from phone_proofs where phone = ?";
		const [agent_id, replaced_phone] = [agent.user.id, victim.user.phone];
		expect(await row(proof, phone)).toEqual({ method: "agent", agent_id, taken_from: null, replaced_phone });
	});

	it("declines, and answers nothing that does not wait", async () => {
		await json(attest(agent, victim, freshPhone()));
		expect(await json(answer(victim, false))).toMatchObject({ phone: victim.user.phone, pending_phone: null });
		for (const accept of [true, false]) await problem(answer(victim, accept), 404, "NOT_FOUND");
		await problem(object(victim), 404, "NOT_FOUND");
	});

	it("does both in the console, by every language's page", async () => {
		const { visitor } = await newHolder();
		const { id } = (await row<{ id: string; phone: string }>(
			"select id, phone from users order by created_at desc, rowid desc limit 1",
		))!;
		const phone = freshPhone();
		const holder = { user: { id } } as SignedInUser;
		await json(attest(agent, holder, phone));
		await visitor.open("/my");
		expect(visitor.text).toContain("Is this your new phone number?");
		await visitor.open("/my/account");
		expect(visitor.text).toContain(phone);
		await visitor.send("/my/account/pending-phone", { password: "not my password" });
		expect(visitor.status).toBe(401);
		await visitor.open("/my/account");
		await visitor.send("/my/account/pending-phone", { password: PASSWORD });
		expect(visitor.text).toContain("The phone number is changed and verified.");
		await json(attest(agent, accomplice, phone));
		await json(answer(accomplice, true));
		for (const lang of Object.keys(languages)) {
			await visitor.open(`/my?lang=${lang}`);
			expect(visitor.html).toMatch(/<p class="notice"><a href="\/my\/account/);
		}
		await visitor.open("/my/account?lang=en");
		await visitor.send("/my/account/phone-claimed?lang=en");
		expect(visitor.text).toContain("It stays yours until the operator decides.");
	});
});

describe("an agent with an accomplice", () => {
	it.each<[string, () => Promise<unknown>]>([
		["says nothing, signed in by the API all the time", () => login(victim.user.phone)],
		["is away", () => isAway(victim)],
		["is suspended", () => acted(`accounts/${victim.user.id}/suspend`, { reason: "Spam" })],
	])(
		"gets no number of an account that %s, whatever time goes by, and that account is shown the claim",
		async (_, happens) => {
			await claim();
			expect(await me(accomplice)).toMatchObject({ phone: accomplice.user.phone, pending_phone: victim.user.phone });
			expect(await me(victim)).toMatchObject({ phone_claimed: { objected: false } });
			await happens();
			for (const days of [6.9, 0.2, 8, 14]) {
				await daysPass(days);
				await json(answer(accomplice, true));
				expect(await value("select phone from users where id = ?", victim.user.id)).toBe(victim.user.phone);
			}
		},
	);

	it("gets none whose account objects, before an operator decides", async () => {
		await claim();
		expect(await json(object(victim))).toMatchObject({ phone_claimed: { objected: true } });
		await daysPass(20);
		await json(answer(accomplice, true));
		expect(await me(victim)).toMatchObject({ phone: victim.user.phone });
		const listed = await json<{ data: object[] }>(operate("pending-phones"));
		expect(listed.data).toMatchObject([
			{ account: accomplice.user.id, agent: agent.user.id, held_by: victim.user.id, objected_at: expect.any(String) },
		]);
		const view = await json(operate(`accounts/${victim.user.id}`));
		expect(view).toMatchObject({ pending_phone: null, phone_claimed: { account: accomplice.user.id } });
		const reason = "Met both at the office.";
		await json(operate(`accounts/${victim.user.id}/pass-phone`, { reason }), 404);
		await acted(`accounts/${accomplice.user.id}/pass-phone`, { reason });
		// Another operator who still sees the claim refuses nothing any more.
		await json(operate(`accounts/${accomplice.user.id}/refuse-phone`, { reason }), 404);
		expect(await me(accomplice)).toMatchObject({ phone: victim.user.phone, phone_verified: true });
		const acts = await json<{ data: object[] }>(operate(`acts?account=${accomplice.user.id}&act=pass-phone`));
		expect(acts.data).toMatchObject([{ act: "pass-phone", reason }]);
		const lost = await json(operate(`acts?account=${victim.user.id}&act=pass-phone`));
		expect(lost).toMatchObject({ data: [{ act: "pass-phone", detail: "lost its number", reason }] });
	});

	it("gets none that an operator refuses, and an operator gives none that nobody accepted", async () => {
		await json(attest(agent, accomplice, victim.user.phone));
		const reason = "Nobody came to the office.";
		await json(operate(`accounts/${accomplice.user.id}/pass-phone`, { reason }), 404);
		await json(answer(accomplice, true));
		await acted(`accounts/${accomplice.user.id}/refuse-phone`, { reason });
		expect(await me(accomplice)).toMatchObject({ phone: accomplice.user.phone, pending_phone: null });
		expect(await me(victim)).toMatchObject({ phone: victim.user.phone, phone_claimed: null });
	});

	it("gets none whose acceptance stood before the account's holder set a new password by SMS", async () => {
		await claim();
		const { phone } = accomplice.user;
		const { access } = await json<SignedInUser>(reset(phone));
		const passing = operate(`accounts/${accomplice.user.id}/pass-phone`, { reason: "Met both." });
		await problem(passing, 404, "NOT_FOUND");
		expect(await me({ ...accomplice, access })).toMatchObject({ phone });
		expect(await me(victim)).toMatchObject({ phone: victim.user.phone, phone_claimed: null });
	});

	it("keeps a number that an operator passed, and its codes, although another account gave it up lately", async () => {
		const { phone } = victim.user;
		await json(attest(agent, victim, phone));
		await claim();
		const next = freshPhone();
		await json(attest(agent, victim, next));
		await json(answer(victim, true));
		await acted(`accounts/${accomplice.user.id}/pass-phone`, { reason: "Met both at the office." });
		expect(await me(accomplice)).toMatchObject({ phone, phone_verified: true });
		await json(reset(phone));
	});

	it("is not passed to while suspended, nor once nobody has confirmed it for 30 days", async () => {
		await claim();
		await acted(`accounts/${accomplice.user.id}/suspend`, { reason: "Spam" });
		const passing = operate(`accounts/${accomplice.user.id}/pass-phone`, { reason: "Met both." });
		expect((await problem(passing, 404, "NOT_FOUND")).detail).toContain("suspended");
		await daysPass(8);
		expect(await me(victim)).toMatchObject({ phone: victim.user.phone });
		await daysPass(23);
		expect(await pendings()).toBe(0);
		expect(await me(victim)).toMatchObject({ phone_claimed: null });
	});
});

describe("what waits", () => {
	it("stands in both exports and goes with the account", async () => {
		await claim();
		const held = (token: string) => json<{ account: object }>(call("/v1/auth/me/export", { token }));
		expect((await held(accomplice.access)).account).toMatchObject({ pending_phone: victim.user.phone });
		expect((await held(victim.access)).account).toMatchObject({ phone_claimed: { objected: false } });
		await sql("update users set erase_at = 1 where id = ?", accomplice.user.id);
		await cleanUp(env, Date.now());
		expect(await pendings()).toBe(0);
	});
});
