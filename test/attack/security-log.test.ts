/** What the log says about who did what. */
import { expect, it } from "vitest";
import { call, freshAddress, json, patch, post as send } from "../support/client.ts";
import { repeatNewest } from "../support/failed-sign-ins.ts";
import { type Line, logged } from "../support/logged.ts";
import { inOneMinute } from "../support/minute.ts";
import { lastCode, smsGateway } from "../support/one-time-codes.ts";
import {
	AT_LAGOS,
	freshPhone,
	LAGOS,
	newKey,
	newOwner,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { sql } from "../support/sql.ts";

const NEW = "nine green hens";
const WRONG = "not my password";
const LABEL = "Behind the blue mosque";

/** The one line of an event. */
function theOne(lines: Line[], event: string): Line {
	const [line, ...more] = lines.filter((line) => line.event === event);
	if (!line || more.length > 0) throw new Error(`${event} was logged ${more.length + (line ? 1 : 0)} times`);
	expect(line.request_id).toMatch(/^req_[0-9a-f]{32}$/);
	return line;
}

const HASH = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
const post = (path: string, body: object, more: object = {}) => send(path, body, { settings: smsGateway, ...more });
const login = (phone: string, password: string, from: string) => post("/v1/auth/login", { phone, password }, { from });

it("signing up, in, and failing to are logged by hashes that tell the same person, phone and network", async () => {
	const phone = freshPhone();
	const address = freshAddress();
	const registered = () => json(post("/v1/auth/register", { phone, password: PASSWORD }, { from: address }), 201);
	const up = theOne(await logged(registered), "signed_up");
	expect(up).toMatchObject({ level: "info", user: HASH, phone: HASH, network: HASH, by: "password" });
	const { user, network } = up;
	const failed = theOne(await logged(() => json(login(phone, WRONG, address), 401)), "sign_in_failed");
	expect(failed).toMatchObject({ level: "info", phone: up.phone, network });
	const entered = theOne(await logged(() => json(login(phone, PASSWORD, address))), "signed_in");
	expect(entered).toMatchObject({ level: "info", user, phone: up.phone, network, by: "password" });
	const elsewhere = theOne(await logged(() => json(login(phone, PASSWORD, freshAddress()))), "signed_in");
	expect(elsewhere).toMatchObject({ user });
	expect(elsewhere.network).not.toBe(network);
	await json(login(phone, WRONG, address), 401);
	await repeatNewest(10);
	const locked = await logged(() => json(login(phone, PASSWORD, address), 429));
	expect(theOne(locked, "sign_in_locked")).toMatchObject({
		level: "warn",
		phone: up.phone,
		network,
		limit: "failed-logins",
	});
	expect(theOne(locked, "refused")).toMatchObject({ level: "warn", network, code: "RATE_LIMITED" });
});

it("strangers cause one line of a refusal for each network and minute, and people who are signed in one each time", async () => {
	const lines = await inOneMinute(async () => {
		const [from, elsewhere] = [freshAddress(), freshAddress()];
		const [{ access: token }, { canonical }] = [await signUp(), await newOwner()];
		return logged(async () => {
			for (let call = 0; call < 20; call += 1) await anonymous(from, call);
			await anonymous(elsewhere, 0);
			const change = () => patch(`/v1/addresses/${canonical}`, { label: "Mine" }, { token, from });
			for (let call = 0; call < 3; call += 1) await json(change(), 403);
		}, "refused");
	});
	expect(lines.map(({ code }) => code)).toEqual(["UNAUTHENTICATED", "UNAUTHENTICATED", ...Array(3).fill("FORBIDDEN")]);
});

/** Calls what needs a credential with none, or with one that is wrong. */
const anonymous = (from: string, number: number) =>
	json(call("/v1/addresses", { from, ...(number % 2 ? { token: `garbage${number}` } : {}) }), 401);

it("changes of password, of phone and of keys, attestations and refusals are logged", async () => {
	const { access, user, canonical } = await newOwner({ ...LAGOS, label: LABEL });
	const agent = await signUpAgent();
	const all: Line[] = [];
	/** The answer to what is done, and the one line of an event that it logs. */
	const telling = async <Answer>(
		event: string,
		work: () => Promise<Answer>,
	): Promise<{ answer: Answer; line: Line }> => {
		const answers: Answer[] = [];
		const lines = await logged(async () => answers.push(await work()));
		all.push(...lines);
		return { answer: answers[0]!, line: theOne(lines, event) };
	};

	const body = { current_password: PASSWORD, new_password: NEW };
	const changed = await telling("password_changed", () =>
		json<SignedInUser>(post("/v1/auth/password/change", body, { token: access })),
	);
	const { user: who } = changed.line;
	expect(changed.line).toMatchObject({ level: "info", user: HASH, by: "password" });

	const recovery = await telling("recovery_code_created", () =>
		json<{ recovery_code: string }>(
			post("/v1/auth/recovery-code", { password: NEW }, { token: changed.answer.access }),
			201,
		),
	);
	expect(recovery.line).toMatchObject({ user: who });
	const { recovery_code } = recovery.answer;
	const reset = { phone: user.phone, recovery_code, new_password: PASSWORD };
	const recovered = await telling("password_changed", () => json<SignedInUser>(post("/v1/auth/password/reset", reset)));
	expect(recovered.line).toMatchObject({ user: who, by: "recovery code" });
	const { access: token } = recovered.answer;

	const next = freshPhone();
	await json(post("/v1/auth/otp/request", { phone: next }, { token }), 202);
	const proof = { phone: next, code: await lastCode(next), current_password: PASSWORD };
	const verified = await telling("phone_verified", () => json(post("/v1/auth/otp/verify", proof, { token })));
	expect(verified.line).toMatchObject({ user: who, phone: HASH, by: "one-time code", replaced: true });

	const created = await telling("key_created", () => newKey({ access: token }, { name: "Deliveries" }));
	expect(created.line).toMatchObject({ user: who, key: HASH });
	const key = created.answer;
	const revoked = await telling("key_revoked", () => call(`/v1/keys/${key.id}`, { method: "DELETE", token }));
	expect(revoked.line).toMatchObject({ user: who, key: created.line.key });

	const attestation = { level: 2, note: "Met the family", ...AT_LAGOS };
	const attest = (by: string) => post(`/v1/addresses/${canonical}/attestations`, attestation, { token: by });
	const attested = await telling("address_attested", () => json(attest(agent.access), 201));
	expect(attested.line).toMatchObject({ agent: HASH, user: who, verification_level: 2 });
	const met = await signUp();
	const ofPhone = { phone: met.user.phone, user_id: met.user.id };
	const proved = await telling("phone_verified", () =>
		json(post("/v1/auth/attest-phone", ofPhone, { token: agent.access })),
	);
	expect(proved.line).toMatchObject({ agent: attested.line.agent, by: "agent", replaced: false });

	const forbidden = await telling("refused", () => json(attest(token), 403));
	expect(forbidden.line).toMatchObject({ level: "warn", network: HASH, code: "FORBIDDEN" });
	const unknown = await telling("refused", () => json(call("/v1/auth/me", { token: "garbage" }), 401));
	expect(unknown.line).toMatchObject({ level: "info", code: "INVALID_TOKEN" });
	const closing = { method: "DELETE", token, body: { password: PASSWORD } };
	const closed = await telling("account_closed", () => json(call("/v1/auth/me", closing), 202));
	expect(closed.line).toMatchObject({ user: who });

	// Nothing of all that names a person, their phone, their network, their address or their secrets.
	const text = JSON.stringify(all);
	const sessions = await sql<{ id: string }>("select id from sessions");
	const personal = [
		...[user, agent.user, met.user].flatMap(({ id, phone }) => [id, phone, phone.slice(4)]),
		...sessions.map(({ id }) => id),
		...[next.slice(4), canonical, LABEL, "Met the family", "Deliveries", String(LAGOS.lat)],
		...[recovery_code, key.id, key.key, token, PASSWORD, NEW],
	];
	for (const word of personal) expect(text.includes(word), word).toBe(false);
	expect(text).not.toMatch(/\b10\.\d+\.\d+\.\d+\b/);
});
