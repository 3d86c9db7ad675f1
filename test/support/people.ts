/** Who the tests are, and what they hold. */
import { env } from "cloudflare:workers";
import { hashPassword } from "../../src/accounts/password.ts";
import { userRecord } from "../../src/accounts/record.ts";
import { newSession } from "../../src/accounts/session.ts";
import * as accountStore from "../../src/accounts/store.ts";
import { newId } from "../../src/crypto/random.ts";
import { openDatabase } from "../../src/db/open.ts";
import { inOneTrip } from "../../src/db/statement.ts";
import { sql } from "../support/sql.ts";
import { call, json, post } from "./client.ts";
import { testRegistry } from "./registry.ts";
import { PASSWORD } from "./secrecy.ts";

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
		usedUntil: null,
		shareCount: 0,
		recoveryRequestedAt: null,
		recoveryAgentId: null,
		recoveryGivenAt: null,
		recoveryAskedAt: null,
		recoveryGivenTo: null,
		databaseNames: "",
	} as const;
	const { session, tokens } = await newSession(testRegistry(), created.id);
	await inOneTrip(openDatabase(env), {
		...accountStore.startSession(session),
		inserted: accountStore.insertUser(created),
	});
	return { ...tokens, user: userRecord(created) as SignedInUser["user"] };
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
	await sql("update users set role = 'agent' where id = ?", agent.user.id);
	return agent;
}

/** A new user who is signed in and holds one address. */
export async function newOwner(place: object = LAGOS): Promise<SignedInUser & Minted> {
	const owner = await signUp();
	return { ...owner, ...(await mint(owner.access, place)) };
}

/** Makes an API key of a user: a live one that reads, unless `more` says otherwise. */
export function newKey(
	{ access }: Pick<SignedInUser, "access">,
	more: object = {},
): Promise<{ id: string; key: string }> {
	return json(post("/v1/keys", { name: "k", mode: "live", ...more }, { token: access }), 201);
}

/** Makes the recovery code of a user. */
export async function newRecoveryCode({ access }: Pick<SignedInUser, "access">): Promise<string> {
	const made = post("/v1/auth/recovery-code", { password: PASSWORD }, { token: access });
	return (await json<{ recovery_code: string }>(made, 201)).recovery_code;
}
