import { env } from "cloudflare:workers";
import { SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../src/api.ts";
import { app, openPages } from "../../src/app.ts";
import { call, json, post } from "../support/client.ts";
import { smsGateway } from "../support/one-time-codes.ts";
import {
	AT_LAGOS,
	freshPhone,
	LAGOS,
	newKey,
	newOwner,
	PASSWORD,
	type SignedInUser,
	signUp,
} from "../support/people.ts";
import { sql } from "../support/sql.ts";

interface Endpoint {
	/** A body that would be taken, so that a stranger is refused for being one. */
	body?: unknown;
	/** What another signed-in user gets: a refusal with its code, or, where they act on what is theirs, success. */
	otherUser: { status: number; code?: string };
	/** An API key of the owner opens it, whatever its scopes, or only with the scope addresses:write or changes:read. */
	takesKey?: "any" | "writing" | "following";
}

const FORBIDDEN = { status: 403, code: "FORBIDDEN" };

/** Where the owner's address and key stand in a path. */
const CODE = ":canonical";
const KEY_ID = ":id";

/** Every endpoint that needs a credential, and what it is sent. The first test below fails for a new one that is missing here. */
const protectedEndpoints: Record<string, Endpoint> = {
	"GET /v1/auth/me": { otherUser: { status: 200 } },
	"DELETE /v1/auth/me": { body: { password: PASSWORD }, otherUser: { status: 202 } },
	"GET /v1/auth/me/export": { otherUser: { status: 200 } },
	"POST /v1/auth/recovery-code": { body: { password: PASSWORD }, otherUser: { status: 201 } },
	"GET /v1/auth/sessions": { otherUser: { status: 200 } },
	"DELETE /v1/auth/sessions/:id": { otherUser: { status: 404, code: "NOT_FOUND" } },
	"POST /v1/auth/password/change": {
		body: { current_password: PASSWORD, new_password: "nine green hens" },
		otherUser: { status: 200 },
	},
	"POST /v1/public/addresses/batch": {
		body: { codes: ["NG-0421-58212"] },
		otherUser: { status: 200 },
		takesKey: "any",
	},
	"POST /v1/auth/otp/request": { body: { phone: freshPhone() }, otherUser: { status: 202 } },
	"POST /v1/auth/otp/verify": {
		body: { phone: freshPhone(), code: "12345678", current_password: PASSWORD },
		otherUser: { status: 400, code: "INVALID_REQUEST" },
	},
	"POST /v1/auth/attest-phone": {
		body: { phone: freshPhone(), user_id: "usr_x" },
		otherUser: FORBIDDEN,
	},
	"POST /v1/auth/me/pending-phone": {
		body: { accept: true, current_password: PASSWORD },
		otherUser: { status: 404, code: "NOT_FOUND" },
	},
	"POST /v1/auth/me/phone-claimed": { body: { object: true }, otherUser: { status: 404, code: "NOT_FOUND" } },
	"POST /v1/addresses": { takesKey: "writing", body: LAGOS, otherUser: { status: 201 } },
	"POST /v1/addresses/batch": {
		takesKey: "writing",
		body: { items: [{ external_id: "meter-1", ...LAGOS }] },
		otherUser: { status: 200 },
	},
	"GET /v1/addresses": { takesKey: "writing", otherUser: { status: 200 } },
	"GET /v1/addresses/:canonical": { takesKey: "any", otherUser: { status: 200 } },
	"GET /v1/addresses/:canonical/history": { takesKey: "writing", otherUser: FORBIDDEN },
	"GET /v1/addresses/:canonical/units": { takesKey: "writing", otherUser: FORBIDDEN },
	"GET /v1/addresses/:canonical/reports": { takesKey: "writing", otherUser: FORBIDDEN },
	"POST /v1/addresses/:canonical/reports/:id/answer": {
		takesKey: "writing",
		body: { text: "Mine now" },
		otherUser: FORBIDDEN,
	},
	"POST /v1/addresses/:canonical/share": { takesKey: "writing", otherUser: FORBIDDEN },
	"DELETE /v1/addresses/:canonical/share": { takesKey: "writing", otherUser: FORBIDDEN },
	"PATCH /v1/addresses/:canonical": {
		takesKey: "writing",
		body: { label: "Mine now" },
		otherUser: FORBIDDEN,
	},
	"DELETE /v1/addresses/:canonical": { takesKey: "writing", otherUser: FORBIDDEN },
	"PUT /v1/addresses/:canonical/units/:unit": {
		takesKey: "writing",
		body: { label: "Mine" },
		otherUser: FORBIDDEN,
	},
	"DELETE /v1/addresses/:canonical/units/:unit": { takesKey: "writing", otherUser: FORBIDDEN },
	"POST /v1/addresses/:canonical/attestations": {
		body: { level: 1, ...AT_LAGOS },
		otherUser: FORBIDDEN,
	},
	"POST /v1/addresses/:canonical/recovery-code": { body: AT_LAGOS, otherUser: FORBIDDEN },
	"GET /v1/snapshots/latest": { takesKey: "following", otherUser: FORBIDDEN },
	"GET /v1/snapshots/:snapshot/:part": { takesKey: "following", otherUser: FORBIDDEN },
	"GET /v1/changes": { takesKey: "following", otherUser: FORBIDDEN },
	"GET /v1/keys": { otherUser: { status: 200 } },
	"POST /v1/keys": { body: { name: "k", mode: "test" }, otherUser: { status: 201 } },
	"DELETE /v1/keys/:id": { otherUser: { status: 404, code: "KEY_NOT_FOUND" } },
};

/** What somebody may still do whose account is suspended. */
const OPEN_TO_SUSPENDED = new Set(["GET /v1/auth/me/export", "DELETE /v1/auth/me"]);

/** `GET /v1/addresses/:canonical`: an endpoint as the router names it. */
function routeOf({ method, path }: { method: string; path: string }): string {
	return `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`;
}

it("the table holds every endpoint that needs a credential, and no other", () => {
	// Those of operators take the token of another issuer, and have a battery of their own (operators.test.ts).
	const ofHolders = endpoints.filter(({ path }) => !path.startsWith("/v1/operator/"));
	const guarded = ofHolders.filter(({ access }) => access.schemes.length > 0).map(routeOf);
	expect(guarded.sort()).toEqual(Object.keys(protectedEndpoints).sort());
});

it("the API serves nothing but its endpoints, each of which says who may call it", async () => {
	await openPages();
	const served = app.routes
		.filter(({ method, path }) => method !== "ALL" && /^\/v1(\/|$)|^\/healthz/.test(path))
		.map(({ method, path }) => `${method} ${path.replace(/\{\.\+\\(\.\w+)\}/, "$1")}`);
	expect([...new Set(served)].sort()).toEqual(endpoints.map(routeOf).sort());
});

/** Whose endpoints these are, and credentials that each differ from theirs in one thing. */
interface Scene {
	owner: SignedInUser;
	canonical: string;
	keyId: string;
	key: string;
	revokedKey: string;
	retiredAccess: string;
	changedAccess: string;
}

let scene: Scene;

beforeAll(async () => {
	const owner = await newOwner();
	const [kept, revoked] = [await newKey(owner), await newKey(owner)];
	await call(`/v1/keys/${revoked.id}`, { method: "DELETE", token: owner.access });
	const signIn = () => json<SignedInUser>(post("/v1/auth/login", { phone: owner.user.phone, password: PASSWORD }));
	const retired = await signIn();
	await post("/v1/auth/logout", { refresh: retired.refresh });
	const changed = await signUp();
	const change = { current_password: PASSWORD, new_password: "nine green hens" };
	await json(post("/v1/auth/password/change", change, { token: changed.access }));
	scene = {
		owner,
		canonical: owner.canonical,
		keyId: kept.id,
		key: kept.key,
		revokedKey: revoked.key,
		retiredAccess: retired.access,
		changedAccess: changed.access,
	};
});

function decode(part: string | undefined): Record<string, unknown> {
	return JSON.parse(atob((part ?? "").replaceAll("-", "+").replaceAll("_", "/"))) as Record<string, unknown>;
}

function encode(value: unknown): string {
	return btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const [, REAL_SECRET = ""] = env.JWT_SECRETS.split(":");

/** The owner's token, made again with changes. */
async function forged(
	claims: Record<string, unknown> = {},
	header: Record<string, unknown> = {},
	secret: string = REAL_SECRET,
): Promise<string> {
	const [head, body] = scene.owner.access.split(".");
	const payload = { ...decode(body), ...claims };
	return new SignJWT(payload)
		.setProtectedHeader({ ...decode(head), ...header } as { alg: string })
		.sign(new TextEncoder().encode(secret));
}

/** The header with such a token. */
const forgery =
	(...changes: Parameters<typeof forged>) =>
	async () =>
		`Bearer ${await forged(...changes)}`;

const now = Math.floor(Date.now() / 1000);

/** Every stranger, as the Authorization header they send. */
const strangers: [name: string, code: string, header: () => string | undefined | Promise<string>][] = [
	["nobody", "UNAUTHENTICATED", () => undefined],
	["an empty header", "UNAUTHENTICATED", () => ""],
	["a scheme alone", "UNAUTHENTICATED", () => "Bearer"],
	["Basic", "UNAUTHENTICATED", () => `Basic ${btoa("user:password")}`],
	["a token without a scheme", "UNAUTHENTICATED", () => scene.owner.access],
	["two tokens", "UNAUTHENTICATED", () => `Bearer ${scene.owner.access} ${scene.owner.access}`],
	["garbage", "INVALID_TOKEN", () => "Bearer garbage"],
	["the shape of a token", "INVALID_TOKEN", () => "Bearer a.b.c"],
	["a very long token", "INVALID_TOKEN", () => `Bearer ${"a".repeat(8000)}`],
	["a refresh token as a bearer", "INVALID_TOKEN", () => `Bearer ${scene.owner.refresh}`],
	["an expired token", "INVALID_TOKEN", forgery({ iat: now - 1900, exp: now - 100 })],
	["a token without an end", "INVALID_TOKEN", forgery({ exp: undefined })],
	["a token of another secret", "INVALID_TOKEN", forgery({}, {}, "x".repeat(32))],
	["a token of an unknown key id", "INVALID_TOKEN", forgery({}, { kid: "other" })],
	["a token without a key id", "INVALID_TOKEN", forgery({}, { kid: undefined })],
	["a token of another type", "INVALID_TOKEN", forgery({}, { typ: "JWT" })],
	["a token of another algorithm", "INVALID_TOKEN", forgery({}, { alg: "HS512" }, REAL_SECRET.repeat(2))],
	["a token of another issuer", "INVALID_TOKEN", forgery({ iss: "other" })],
	["a token for another audience", "INVALID_TOKEN", forgery({ aud: "other" })],
	["a token without a session", "INVALID_TOKEN", forgery({ sid: undefined })],
	[
		"another user's name on the owner's session",
		"INVALID_TOKEN",
		async () => `Bearer ${await forged({ sub: (await signUp()).user.id })}`,
	],
	[
		"alg none",
		"INVALID_TOKEN",
		() => {
			const [head, body] = scene.owner.access.split(".");
			return `Bearer ${encode({ ...decode(head), alg: "none" })}.${body}.`;
		},
	],
	[
		"a changed payload",
		"INVALID_TOKEN",
		() => {
			const [head, body, signature] = scene.owner.access.split(".");
			return `Bearer ${head}.${encode({ ...decode(body), exp: now + 999_999 })}.${signature}`;
		},
	],
	["a token with padding", "INVALID_TOKEN", () => `Bearer ${scene.owner.access}=`],
	[
		"a token whose last character has other bits that decoders drop",
		"INVALID_TOKEN",
		() => {
			const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
			const last = alphabet.indexOf(scene.owner.access.at(-1) ?? "");
			return `Bearer ${scene.owner.access.slice(0, -1)}${alphabet[last ^ 1]}`;
		},
	],
	["a session that was signed out", "INVALID_TOKEN", () => `Bearer ${scene.retiredAccess}`],
	["a session from before the password change", "INVALID_TOKEN", () => `Bearer ${scene.changedAccess}`],
];

/** Keys that nobody may use, where a key may be used at all. */
const strangeKeys: [name: string, header: () => string][] = [
	["a revoked key", () => `Api-Key ${scene.revokedKey}`],
	[
		"a mistyped key",
		() => `Api-Key ${scene.key.slice(0, -7)}${scene.key.at(-7) === "x" ? "y" : "x"}${scene.key.slice(-6)}`,
	],
	["a key cut short", () => `Api-Key ${scene.key.slice(0, -1)}`],
	["an access token as a key", () => `Api-Key ${scene.owner.access}`],
	["garbage as a key", () => "Api-Key garbage"],
];

/** One-time codes are switched on, since without a gateway they refuse everyone alike. */
function send(name: string, authorization: string | undefined): Promise<Response> {
	const [method = "", route = ""] = name.split(" ");
	const path = route.replace(CODE, scene.canonical).replace(KEY_ID, scene.keyId);
	const { body } = protectedEndpoints[name] ?? {};
	const headers = authorization === undefined ? {} : { Authorization: authorization };
	return call(path, { method, headers, body, settings: smsGateway });
}

async function refused(answer: Response, code: string): Promise<void> {
	expect(answer.headers.get("Cache-Control")).toBe("no-store");
	expect(await json(answer, 401)).toMatchObject({ code });
}

it("a request without a credential is told both ways to sign in", async () => {
	const answer = await call("/v1/addresses");
	expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="registry", Api-Key realm="registry"');
});

describe.each(Object.entries(protectedEndpoints))("%s", (name, endpoint) => {
	it.each(strangers)("refuses %s", async (_, code, header) => {
		await refused(await send(name, await header()), code);
	});

	it.each(strangeKeys)("refuses %s", async (_, header) => {
		await refused(await send(name, header()), endpoint.takesKey ? "INVALID_TOKEN" : "UNAUTHENTICATED");
	});

	it.each(["Api-Key", "Bearer"])(
		"takes an API key as %s only where systems may call, by its scopes",
		async (scheme) => {
			const answer = await send(name, `${scheme} ${scene.key}`);
			if (endpoint.takesKey === "any") await json(answer);
			else if (endpoint.takesKey) {
				const scope = endpoint.takesKey === "writing" ? "addresses:write" : "changes:read";
				const problem = await json(answer, 403);
				expect(problem).toMatchObject({ code: "FORBIDDEN", detail: expect.stringContaining(scope) });
			} else await refused(answer, "UNAUTHENTICATED");
		},
	);

	it("is closed to a suspended account, but for exporting and deleting its data", async () => {
		const suspended = await signUp();
		await sql("update users set disabled_at = 1 where id = ?", suspended.user.id);
		const credentials = { phone: suspended.user.phone, password: PASSWORD };
		await json(post("/v1/auth/login", credentials), 403);
		const { access } = await json<SignedInUser>(post("/v1/auth/login", { ...credentials, even_suspended: true }));
		const answer = await send(name, `Bearer ${access}`);
		if (OPEN_TO_SUSPENDED.has(name)) await json(answer, endpoint.otherUser.status);
		else expect(await json(answer, 403)).toMatchObject({ code: "ACCOUNT_SUSPENDED" });
	});

	it("gives another user the answer that the table says, and changes nothing of the owner's", async () => {
		const answer = await send(name, `Bearer ${(await signUp()).access}`);
		const { status, code } = endpoint.otherUser;
		expect(await json(answer, status)).toMatchObject(code ? { code } : {});
		const mine = await json(call(`/v1/addresses/${scene.canonical}`, { token: scene.owner.access }));
		expect(mine).toMatchObject({ owned: true, verification_level: 0, label: "" });
		await json(call(`/v1/addresses/${scene.canonical}`, { headers: { Authorization: `Api-Key ${scene.key}` } }));
		expect(await json(call("/v1/auth/me", { token: scene.owner.access }))).toMatchObject(scene.owner.user);
	});
});

it("a signing secret is rotated without signing anyone out as the operator's guide says: add, deploy, wait, remove", async () => {
	const { access, refresh } = await signUp();
	const me = (token: string, JWT_SECRETS: string) => call("/v1/auth/me", { token, settings: { JWT_SECRETS } });
	const [before, added] = [env.JWT_SECRETS, `next:${"n".repeat(32)}`];
	const both = `${added},${before}`;
	await json(me(access, before));
	await json(me(access, both));
	const pair = await json<{ access: string }>(
		post("/v1/auth/token/refresh", { refresh }, { settings: { JWT_SECRETS: both } }),
	);
	expect(decode(pair.access.split(".")[0]).kid).toBe("next");
	await json(me(pair.access, both));
	// Edges that do not have the new secret yet refuse what it signed, so all get it as second before it comes first.
	await json(me(pair.access, before), 401);
	await json(me(access, `${before},${added}`));
	await json(me(pair.access, `${before},${added}`));
	// Half an hour later no token of the old secret is alive, and it goes.
	await json(me(pair.access, added));
	await json(me(access, added), 401);
});
