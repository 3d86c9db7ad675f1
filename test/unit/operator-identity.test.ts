import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { operatorVerifier } from "../../src/acts/identity.ts";

const NOW = Date.UTC(2026, 10, 22, 12);
const ISSUER = "https://team.cloudflareaccess.com";
const AUDIENCE = "4714c1358e65fe4b408ad6d432a5f878";

interface Key {
	kid: string;
	privateKey: CryptoKey;
	jwk: JSONWebKeySet["keys"][number];
}

async function makeKey(kid: string, alg: "RS256" | "ES256" = "RS256"): Promise<Key> {
	const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
	return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

let first: Key;
let second: Key;
let stranger: Key;
beforeAll(async () => {
	[first, second, stranger] = await Promise.all([makeKey("first"), makeKey("second", "ES256"), makeKey("first")]);
});

/** A token that is right but for what is changed. Times are in seconds. */
function token(key: Key, claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}): Promise<string> {
	const seconds = NOW / 1000;
	const payload = {
		iss: ISSUER,
		aud: [AUDIENCE],
		sub: "7335d417",
		email: "Ada@addr.example",
		iat: seconds - 10,
		exp: seconds + 3600,
		...claims,
	};
	return new SignJWT(payload)
		.setProtectedHeader({ alg: String(key.jwk.alg), kid: key.kid, ...header })
		.sign(key.privateKey);
}

// The keys are kept by the clock of the machine.
beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => vi.useRealTimers());

/** A verifier with the keys of one provider, which serves them over HTTP and counts how often they are asked for. */
async function verifier(
	provided: () => JSONWebKeySet | undefined,
	admitted?: ReadonlySet<string>,
	isCloudflareAccess = true,
) {
	const asked = { times: 0 };
	const server = createServer((_, answer) => {
		asked.times += 1;
		const keys = provided();
		answer.writeHead(keys ? 200 : 502).end(JSON.stringify(keys));
	}).listen(0, "127.0.0.1");
	onTestFinished(() => void server.close());
	await once(server, "listening");
	const keys = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/cdn-cgi/access/certs`);
	const settings = { issuer: ISSUER, audience: AUDIENCE, keys, admitted, isCloudflareAccess };
	const verify = operatorVerifier(settings);
	return {
		verify: (token: string, now: number) => {
			vi.setSystemTime(now);
			return verify(token, now);
		},
		asked,
	};
}

const UNAUTHENTICATED = { code: "UNAUTHENTICATED" };

describe("an operator's token", () => {
	it("names the operator", async () => {
		const { verify, asked } = await verifier(() => ({ keys: [first.jwk] }));
		const operator = { name: "ada@addr.example", expiresAt: NOW + 3_600_000 };
		expect(await verify(await token(first), NOW)).toEqual(operator);
		expect(await verify(await token(first), NOW + 59 * 60_000)).toEqual(operator);
		expect(asked.times).toBe(1);
		expect(await verify(await token(first, { email: undefined }), NOW)).toMatchObject({ name: "7335d417" });
	});

	const wrong: Record<string, () => Promise<string>> = {
		"signed by another key": () => token(stranger),
		"of another issuer": () => token(first, { iss: "https://other.cloudflareaccess.com" }),
		"for another audience": () => token(first, { aud: ["another-application"] }),
		"without an audience": () => token(first, { aud: undefined }),
		expired: () => token(first, { exp: NOW / 1000 - 60 }),
		"that never expires": () => token(first, { exp: undefined }),
		"not valid yet": () => token(first, { nbf: NOW / 1000 + 600 }),
		"of an unknown key": () => token(second),
		"issued in the future": () => token(first, { iat: NOW / 1000 + 3600, exp: NOW / 1000 + 7200 }),
		"with padding": async () => `${await token(first)}=`,
		"of nobody": () => token(first, { sub: undefined }),
		"that is none": async () => "not.a.token",
		"that is empty": async () => "",
		"with the algorithm none": async () => {
			const [, payload] = (await token(first)).split(".");
			return `${Buffer.from(JSON.stringify({ alg: "none", kid: "first" })).toString("base64url")}.${payload}.`;
		},
		"signed with the public key as a shared secret": async () => {
			const [, payload = ""] = (await token(first)).split(".");
			const secret = new TextEncoder().encode(JSON.stringify(first.jwk));
			return new SignJWT(JSON.parse(Buffer.from(payload, "base64url").toString()))
				.setProtectedHeader({ alg: "HS256", kid: "first" })
				.sign(secret);
		},
	};
	it.each(Object.keys(wrong))("%s is refused", async (name) => {
		const { verify } = await verifier(() => ({ keys: [first.jwk] }));
		expect(await verify(await token(first), NOW)).toBeTruthy();
		await expect(verify(await wrong[name]!(), NOW)).rejects.toMatchObject(UNAUTHENTICATED);
	});

	it("of any other provider is a day old at most, and its address verified in so many words", async () => {
		const { verify } = await verifier(() => ({ keys: [first.jwk] }), new Set(["ada@addr.example"]), false);
		const verified = { email_verified: true };
		expect(await verify(await token(first, verified), NOW)).toMatchObject({ name: "ada@addr.example" });
		const inThirtyYears = { ...verified, exp: NOW / 1000 + 30 * 365 * 86_400 };
		expect(await verify(await token(first, inThirtyYears), NOW + 86_000_000)).toBeTruthy();
		await expect(verify(await token(first, inThirtyYears), NOW + 87_000_000)).rejects.toMatchObject(UNAUTHENTICATED);
		for (const email_verified of [undefined, "true", "false", 1, null, false]) {
			await expect(verify(await token(first, { email_verified }), NOW)).rejects.toMatchObject(UNAUTHENTICATED);
		}
	});

	it("of an unknown key has the keys asked for again, once a minute at most", async () => {
		let keys = [first.jwk];
		const { verify, asked } = await verifier(() => ({ keys }));
		await verify(await token(first), NOW);
		keys = [first.jwk, second.jwk];
		for (const later of [1_000, 30_000, 59_000]) {
			await expect(verify(await token(second), NOW + later)).rejects.toMatchObject(UNAUTHENTICATED);
		}
		expect(asked.times).toBe(1);
		expect(await verify(await token(second), NOW + 60_000)).toMatchObject({ name: "ada@addr.example" });
		expect(asked.times).toBe(2);
	});

	it("is judged by the keys that are known while the provider is away, and by none before that is 503", async () => {
		let isAway = true;
		const { verify } = await verifier(() => (isAway ? undefined : { keys: [first.jwk] }));
		await expect(verify(await token(first), NOW)).rejects.toMatchObject({ code: "UNAVAILABLE" });
		isAway = false;
		await verify(await token(first), NOW + 60_000);
		isAway = true;
		expect(await verify(await token(first, { exp: NOW / 1000 + 90_000 }), NOW + 2 * 3_600_000)).toBeTruthy();
	});

	it("admits those on the list alone, by an address that the provider has not called unverified", async () => {
		const { verify } = await verifier(() => ({ keys: [first.jwk] }), new Set(["ada@addr.example"]));
		expect(await verify(await token(first), NOW)).toMatchObject({ name: "ada@addr.example" });
		for (const claims of [
			{ email: "eve@addr.example" },
			{ email: undefined },
			{ email_verified: false },
			{ email_verified: "false" },
		]) {
			await expect(verify(await token(first, claims), NOW)).rejects.toMatchObject(UNAUTHENTICATED);
		}
	});
});
