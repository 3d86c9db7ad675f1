import { beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../src/api.ts";
import { continueSnapshot } from "../../src/changes/snapshot.ts";
import { call, json, patch, post } from "../support/client.ts";
import { seen } from "../support/contract.ts";
import { lastCode, smsGateway } from "../support/one-time-codes.ts";
import { acted, operate, operatorSettings, operatorToken } from "../support/operators.ts";
import {
	AT_LAGOS,
	freshPhone,
	LAGOS,
	mint,
	newKey,
	newOwner,
	newRecoveryCode,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { sql } from "../support/sql.ts";

/** The settings under which every endpoint answers. */
const settings = { ...smsGateway, ...operatorSettings };

/** The token that an endpoint takes. */
const tokenFor = (path: string, { access }: SignedInUser) =>
	path.startsWith("/v1/operator/") ? operatorToken() : Promise.resolve(access);

/** call() holds each answer to the document; this drives every endpoint to its success and to the errors that a caller can provoke anywhere. */
describe("every endpoint", () => {
	let owner: SignedInUser;
	let agent: SignedInUser;
	let canonical = "";
	let retired = "";

	beforeAll(async () => {
		owner = await signUp();
		agent = await signUpAgent();
		canonical = (await mint(owner.access, { ...LAGOS, label: "Blue gate" })).canonical;
		retired = (await mint(owner.access, LAGOS)).canonical;
		await call(`/v1/addresses/${retired}`, { method: "DELETE", token: owner.access });
	});

	it("answers as documented when it succeeds", async () => {
		const token = owner.access;
		const at = `/v1/addresses/${canonical}`;
		const publicAt = `/v1/public/addresses/${canonical}`;
		for (const path of ["/healthz", "/v1/public/zones?lat=6.5&lng=3.4", `${publicAt}.geojson`]) await call(path);
		const etag = (await call(publicAt)).headers.get("ETag") ?? "";
		await call(publicAt, { headers: { Accept: "application/geo+json" } });
		await call(publicAt, { headers: { "If-None-Match": etag } });
		await post("/v1/public/addresses/batch", { codes: [canonical, "NG-0421-58213", "x"] }, { token });
		for (const image of ["qr.svg", "label.svg", "qr.png", "label.png"]) await call(`${at}/${image}`);
		await call(`${at}/units/3B`, { method: "PUT", token, body: { label: "Second floor" } });
		await call(`${publicAt}/units`);
		await call(`${at}/units`, { token });
		await call(`${at}/units/3B`, { method: "DELETE", token });
		await post("/v1/addresses/batch", { items: [{ external_id: "meter-1", ...LAGOS }] }, { token });
		await patch(at, { label: "Green gate" }, { token });
		for (const method of ["POST", "DELETE"]) await call(`${at}/share`, { method, token });
		const { id: report } = await json<{ id: string }>(post(`${publicAt}/reports`, { kind: "gone" }), 201);
		await call(`/v1/public/reports/${report}`);
		await post(`${at}/reports/${report}/answer`, { text: "It is there." }, { token });
		const own = ["/v1/addresses?limit=1", at, `${at}/history`, `${at}/reports`, "/v1/auth/me"];
		for (const path of own) await call(path, { token });
		const { updated_at } = await json(call(at, { token: agent.access }));
		await post(`${at}/attestations`, { level: 2, note: "Seen", updated_at, ...AT_LAGOS }, { token: agent.access });

		const { id, key } = await newKey(owner);
		await call("/v1/keys", { token });

		const reason = "Ticket 4711";
		const ofOwner = `accounts/${owner.user.id}`;
		await acted("accounts/find", { code: canonical, reason });
		for (const path of [ofOwner, "reports?waiting=1", "agents", "figures", "zones?country=NG", "acts"])
			await acted(path);
		for (const name of ["suspend", "restore"]) await acted(`${ofOwner}/${name}`, { reason });
		await acted(`accounts/${(await signUp()).user.id}/sign-out`, { reason });
		for (const role of ["agent", "user"]) await acted(`${ofOwner}/role`, { role, reason });
		await acted(`${ofOwner}/allowance`, { new_addresses_per_day: 5_000, reason });
		await acted(`keys/${id}/scopes`, { scopes: ["changes:read"], reason });
		await json(call(at, { token: key }), 403);
		await acted(`addresses/${(await mint(token, LAGOS)).canonical}/retire`, { reason });
		for (const name of ["read", "hide", "show"]) await acted(`addresses/${canonical}/${name}`, { reason });
		await acted(`reports/${report}/text`, { reason });
		await acted(`reports/${report}/decide`, { decision: "nothing", reason });
		await call("/v1/changes", { token: key });
		while (!(await continueSnapshot(testRegistry())));
		const { parts } = await json<{ parts: { url: string }[] }>(call("/v1/snapshots/latest", { token: key }));
		await call(new URL(parts[0]?.url ?? "").pathname, { token: key });
		await call(`/v1/keys/${id}`, { token, method: "DELETE" });
		await acted(`keys/${(await newKey(owner)).id}/revoke`, { reason });
		const { canonical: waiting, user: lost } = await newOwner();
		await sql("delete from users where id = ?", lost.id);
		await acted(`${ofOwner}/hand-over`, { code: waiting, reason });

		const silent = await newOwner();
		const ago = Date.now() - 400 * 86_400_000;
		await sql("delete from sessions where user_id = ?", silent.user.id);
		await sql("update users set created_at = ?1, used_until = ?1 where id = ?2", ago, silent.user.id);
		await operate(`accounts/${silent.user.id}/recovery`, { agent: agent.user.id, evidence: "pin_on_site", reason });
		await sql("update users set recovery_requested_at = ? where id = ?", Date.now() - 8 * 86_400_000, silent.user.id);
		await post(`/v1/addresses/${silent.canonical}/recovery-code`, AT_LAGOS, { token: agent.access });

		const phone = freshPhone();
		const [other, third] = [await signUp(), await signUp()];
		for (const { access, user } of [owner, other, third]) {
			await post("/v1/auth/attest-phone", { phone, user_id: user.id }, { token: agent.access });
			await post("/v1/auth/me/pending-phone", { accept: true, current_password: PASSWORD }, { token: access });
		}
		await post("/v1/auth/me/phone-claimed", { object: true }, { token });
		await acted("pending-phones");
		await acted(`accounts/${third.user.id}/refuse-phone`, { reason });
		await acted(`accounts/${other.user.id}/pass-phone`, { reason });
		await post("/v1/auth/otp/signed-out", { phone }, { settings: smsGateway });
		const credentials = { phone: freshPhone(), password: PASSWORD };
		await post("/v1/auth/register", credentials);
		const signedIn = await json<SignedInUser>(post("/v1/auth/login", credentials));
		const refreshed = await json<SignedInUser>(post("/v1/auth/token/refresh", { refresh: signedIn.refresh }));
		const sessions = await call("/v1/auth/sessions", { token: refreshed.access });
		const [{ id: sessionId = "" } = {}] = (await json<{ data: { id?: string }[] }>(sessions)).data.slice(-1);
		await call(`/v1/auth/sessions/${sessionId}`, { method: "DELETE", token: refreshed.access });
		const holder = { token: refreshed.access, settings: smsGateway };
		await post("/v1/auth/otp/request", { phone: credentials.phone }, holder);
		const code = await lastCode(credentials.phone);
		await post("/v1/auth/otp/verify", { phone: credentials.phone, code }, holder);
		const recovery_code = await newRecoveryCode(refreshed);
		const change = { current_password: PASSWORD, new_password: "nine green hens" };
		const pair = await json<SignedInUser>(post("/v1/auth/password/change", change, { token: refreshed.access }));
		const reset = { phone: credentials.phone, recovery_code, new_password: "four black cats" };
		await post("/v1/auth/logout", { refresh: pair.refresh });
		const again = await json<SignedInUser>(post("/v1/auth/password/reset", reset));
		await call("/v1/auth/me/export", { token: again.access });
		const closing = { method: "DELETE", body: { password: reset.new_password }, token: again.access };
		await call("/v1/auth/me", closing);
		await call(at, { token, method: "DELETE" });

		const missing = endpoints
			.map(({ method, path, answer }) => `${method} ${path} ${answer.status}`)
			.filter((answer) => !seen.has(answer));
		expect(missing).toEqual([]);
	});

	it.each(endpoints.filter(({ body }) => body))(
		"$method $path refuses what is not JSON",
		async ({ method, path, bodyBytesMax = 65 * 1024 }) => {
			const token = await tokenFor(path, agent);
			const init = { method: method.toUpperCase(), token, settings };
			const target = path.replace(/\{\w+\}/, canonical);
			expect((await call(target, { ...init, body: "x", headers: { "Content-Type": "text/plain" } })).status).toBe(415);
			expect((await call(target, { ...init, body: "{" })).status).toBe(400);
			expect((await call(target, { ...init, body: { nonsense: 1 } })).status).toBe(400);
			expect((await call(target, { ...init, body: "x".repeat(bodyBytesMax + 1) })).status).toBe(413);
		},
	);

	it.each(endpoints.filter(({ path }) => /\{(code|canonical)\}/.test(path)))(
		"$method $path tells mistakes in a code apart",
		async ({ method, path, body }) => {
			const sample = path.endsWith("attestations")
				? { level: 1, ...AT_LAGOS }
				: path.endsWith("recovery-code")
					? AT_LAGOS
					: path.includes("/reports")
						? path.endsWith("answer")
							? { text: "x" }
							: { kind: "gone" }
						: path.startsWith("/v1/operator/")
							? { reason: "Why" }
							: method === "patch"
								? { label: "x" }
								: {};
			for (const [code, status] of [
				["nonsense", 400],
				["NG-0421-58213", 400],
				["NG-0421-58212", 404],
				[retired, 410],
			] as const) {
				const answer = await call(path.replace(/\{\w+\}/, code), {
					method: method.toUpperCase(),
					...(path.startsWith("/v1/public") ? {} : { token: await tokenFor(path, agent) }),
					settings,
					...(body ? { body: sample } : {}),
				});
				expect(answer.status, code).toBe(status);
			}
		},
	);
});
