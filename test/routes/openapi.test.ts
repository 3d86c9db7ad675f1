import { beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../src/api.ts";
import { continueSnapshot } from "../../src/changes/snapshot.ts";
import { call, json, patch } from "../support/client.ts";
import { seen } from "../support/contract.ts";
import { lastCode, smsGateway } from "../support/one-time-codes.ts";
import { acted, operatorSettings, operatorToken } from "../support/operators.ts";
import {
	AT_LAGOS,
	freshPhone,
	LAGOS,
	mint,
	newKey,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";

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
		await call("/healthz");
		await call("/v1/public/zones?lat=6.5&lng=3.4");
		const etag = (await call(publicAt)).headers.get("ETag") ?? "";
		await call(publicAt, { headers: { Accept: "application/geo+json" } });
		await call(publicAt, { headers: { "If-None-Match": etag } });
		await call("/v1/public/addresses/batch", {
			method: "POST",
			token,
			body: { codes: [canonical, "NG-0421-58213", "x"] },
		});
		await call(`${at}/qr.svg`);
		await call(`${at}/label.svg`);
		await call(`${at}/qr.png`);
		await call(`${at}/label.png`);
		await call(`${publicAt}.geojson`);
		await call(`${at}/units/3B`, { method: "PUT", token, body: { label: "Second floor" } });
		await call(`${publicAt}/units`);
		await call(`${at}/units`, { token });
		await call(`${at}/units/3B`, { method: "DELETE", token });
		await call("/v1/addresses?limit=1", { token });
		await call(at, { token });
		const item = { external_id: "meter-1", ...LAGOS };
		await call("/v1/addresses/batch", { token, method: "POST", body: { items: [item] } });
		await patch(at, { label: "Green gate" }, { token });
		const attestation = { level: 2, note: "Seen", ...AT_LAGOS };
		await call(`${at}/history`, { token });
		await call(`${at}/share`, { method: "POST", token });
		await call(`${at}/share`, { method: "DELETE", token });
		const { id: report } = await json<{ id: string }>(
			call(`${publicAt}/reports`, { method: "POST", body: { kind: "gone" } }),
			201,
		);
		await call(`/v1/public/reports/${report}`);
		await call(`${at}/reports`, { token });
		await call(`${at}/reports/${report}/answer`, { token, method: "POST", body: { text: "It is there." } });
		await call(`${at}/attestations`, { token: agent.access, method: "POST", body: attestation });

		const { id, key } = await newKey(owner);
		await call("/v1/keys", { token });

		const reason = "Ticket 4711";
		const ofOwner = `accounts/${owner.user.id}`;
		await acted("accounts/find", { code: canonical, reason });
		await acted(ofOwner);
		for (const name of ["suspend", "restore"]) await acted(`${ofOwner}/${name}`, { reason });
		await acted(`accounts/${(await signUp()).user.id}/sign-out`, { reason });
		await acted(`${ofOwner}/role`, { role: "user", reason });
		await acted(`${ofOwner}/allowance`, { new_addresses_per_day: 5_000, reason });
		await acted(`keys/${id}/scopes`, { scopes: ["changes:read"], reason });
		await acted(`addresses/${(await mint(token, LAGOS)).canonical}/retire`, { reason });
		for (const name of ["read", "hide", "show"]) await acted(`addresses/${canonical}/${name}`, { reason });
		await acted("reports?waiting=1");
		await acted(`reports/${report}/text`, { reason });
		await acted(`reports/${report}/decide`, { decision: "nothing", reason });
		await acted("agents");
		await acted("figures");
		await acted("zones?country=NG");
		await acted("acts");
		await call("/v1/changes", { token: key });
		await continueSnapshot(testRegistry());
		const { parts } = await json<{ parts: { url: string }[] }>(call("/v1/snapshots/latest", { token: key }));
		await call(new URL(parts[0]?.url ?? "").pathname, { token: key });
		await call(`/v1/keys/${id}`, { token, method: "DELETE" });

		await call("/v1/auth/me", { token });
		const phone = freshPhone();
		await call("/v1/auth/attest-phone", {
			token: agent.access,
			method: "POST",
			body: { phone, user_id: owner.user.id },
		});
		const answer = { method: "POST", body: { accept: true, current_password: PASSWORD } };
		await call("/v1/auth/me/pending-phone", { token, ...answer });
		const [other, third] = [await signUp(), await signUp()];
		for (const { access, user } of [other, third]) {
			const body = { phone, user_id: user.id };
			await call("/v1/auth/attest-phone", { token: agent.access, method: "POST", body });
			await call("/v1/auth/me/pending-phone", { token: access, ...answer });
		}
		await call("/v1/auth/me/phone-claimed", { token, method: "POST", body: { object: true } });
		await acted("pending-phones");
		await acted(`accounts/${third.user.id}/refuse-phone`, { reason });
		await acted(`accounts/${other.user.id}/pass-phone`, { reason });
		await call("/v1/auth/otp/signed-out", { method: "POST", body: { phone }, settings: smsGateway });
		const credentials = { phone: freshPhone(), password: PASSWORD };
		const post = (path: string, body: object, more: object = {}) => call(path, { method: "POST", body, ...more });
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
		const { recovery_code } = await json<{ recovery_code: string }>(
			post("/v1/auth/recovery-code", { password: PASSWORD }, { token: refreshed.access }),
			201,
		);
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
