import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { hashPassword } from "../../src/accounts/password.ts";
import { userRecord } from "../../src/accounts/record.ts";
import { newSession } from "../../src/accounts/session.ts";
import { accountStoreOf } from "../../src/accounts/store.ts";
import { app } from "../../src/app.ts";
import { openDatabase } from "../../src/db/open.ts";
import type { Bindings } from "../../src/env.ts";
import { newId } from "../../src/random.ts";
import { assertDocumented } from "./contract.ts";
import { testRegistry } from "./registry.ts";
import { PASSWORD, watch } from "./secrecy.ts";

/** Where the tests pretend the registry stands: WEB_URL of test/vitest.config.ts. */
export const ORIGIN = "https://registry.test";

let lastClient = 0;

/** An address no other call of this file came from, so that limits on one client do not add up over tests. */
export function freshAddress(): string {
	lastClient += 1;
	return `10.${lastClient >> 16}.${(lastClient >> 8) & 255}.${lastClient & 255}`;
}

/** Sends a request to the real Worker, from a client of its own unless the header says otherwise. An object body goes as JSON; `settings` stand for other variables in wrangler.toml. Whatever the API answers is held to the OpenAPI document. */
export async function call(
	path: string,
	init: Omit<RequestInit, "body"> & {
		body?: unknown;
		token?: string;
		settings?: Partial<Bindings>;
		/** The IP address of the client, where it is not one of its own. */
		from?: string | undefined;
		/** Scheme and host of the request, where it is not the registry's own. */
		origin?: string;
	} = {},
): Promise<Response> {
	const { body, token, settings, from = freshAddress(), origin = ORIGIN, ...rest } = init;
	const headers = new Headers(rest.headers);
	if (!headers.has("CF-Connecting-IP")) headers.set("CF-Connecting-IP", from);
	if (token) headers.set("Authorization", `Bearer ${token}`);
	if (body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
	const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
	const payload = body === undefined || isRaw ? body : JSON.stringify(body);
	const request = new Request(origin + path, { ...rest, headers, body: (payload ?? null) as BodyInit | null });
	const response = await (settings ? fetchUnder(settings, request) : exports.default.fetch(request));
	if (response.status >= 400) watch(`${request.method} ${path}`, await response.clone().text());
	await assertDocumented(request, response);
	return response;
}

/** Sends a body by POST. */
export function post(path: string, body: unknown, more: Parameters<typeof call>[1] = {}): Promise<Response> {
	return call(path, { method: "POST", body, ...more });
}

/** What goes on after answers under other settings. */
const unfinished: Promise<void>[] = [];

/** Waits for what goes on after the answers of a file. */
export async function settle(): Promise<void> {
	await Promise.all(unfinished.splice(0));
}

async function fetchUnder(settings: Partial<Bindings>, request: Request): Promise<Response> {
	const context = createExecutionContext();
	const response = await app.fetch(request, { ...env, ...settings }, context);
	const end = waitOnExecutionContext(context);
	// What goes on after a change, such as the second purge a second later, nobody waits for; what goes on after a look-up is what tests look at.
	if (request.method === "GET" || request.method === "HEAD") await end;
	else unfinished.push(end);
	return response;
}

/** The JSON of an answer, after its status was checked. */
export async function json<Body = Record<string, unknown>>(
	response: Response | Promise<Response>,
	status = 200,
): Promise<Body> {
	const answer = await response;
	const text = await answer.text();
	if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${text}`);
	return JSON.parse(text) as Body;
}

let lastNumber: number | undefined;

/** A phone number no other test of this run has: files that run side by side count from a start drawn at random, because they share a gateway. */
export function freshPhone(): string {
	lastNumber = 1 + (lastNumber ?? Math.floor(Math.random() * 9_000_000));
	return `+23480${String(30_000_000 + lastNumber)}`;
}

export { PASSWORD };

export interface SignedInUser {
	access: string;
	refresh: string;
	user: { id: string; phone: string; phone_verified: boolean; created_at: string };
}

/** Registers a new user through the API, which hashes the password at its full cost: for tests of that. */
export function register(phone: string = freshPhone()): Promise<SignedInUser> {
	return json<SignedInUser>(call("/v1/auth/register", { method: "POST", body: { phone, password: PASSWORD } }), 201);
}

/** The hash of the password that tests sign in with, at a cost that spares a test the tenth of a second of a real one. */
const CHEAP_HASH = hashPassword(PASSWORD, { logN: 1, r: 8, p: 1 });

/**
 * A new user who is signed in: their rows stand in the database as a registration leaves them, but for the cheap hash. A wrong password is
 * therefore refused at once; a right one succeeds and is hashed anew at the full cost.
 */
export async function signUp(phone: string = freshPhone()): Promise<SignedInUser> {
	const now = Date.now();
	const created = {
		id: newId("usr"),
		phone,
		phoneVerified: false,
		passwordHash: CHEAP_HASH,
		role: "user",
		createdAt: now,
		suspendedAt: null,
		recoveryHash: null,
		eraseAt: null,
		unusedUntil: null,
	} as const;
	const { session, tokens } = await newSession(testRegistry(), created.id);
	const user = await accountStoreOf(openDatabase(env)).createUser(created, session, 0, {});
	return { ...tokens, user: userRecord(user) as SignedInUser["user"] };
}

/** What the tests use of a created address. */
export interface Minted {
	canonical: string;
	display: string;
	country: string;
	zone: string;
	zone_name: string;
	region: string;
	qr_url: string;
	qr_svg_url: string;
}

/** Mints an address for a user. */
export function mint(token: string, body: object, headers: Record<string, string> = {}): Promise<Minted> {
	return json<Minted>(call("/v1/addresses", { method: "POST", token, body, headers }), 201);
}

export const LAGOS = { lat: 6.5244, lng: 3.3792 };

/** Where an agent stands who attests an address there. */
export const AT_LAGOS = { position: { ...LAGOS, accuracy_m: 10 } };

/** Registers a user and makes them an agent, by the operator's command of src/docs/guides/operate.md. */
export async function signUpAgent(): Promise<SignedInUser> {
	const agent = await signUp();
	await env.DB.prepare("update users set role = 'agent' where id = ?").bind(agent.user.id).run();
	return agent;
}
