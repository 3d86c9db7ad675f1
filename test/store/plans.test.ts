import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as shareMakerStore from "../../src/accounts/share-maker-store.ts";
import * as accounts from "../../src/accounts/store.ts";
import * as feed from "../../src/addresses/feed-store.ts";
import * as addresses from "../../src/addresses/store.ts";
import { perText } from "../../src/addresses/texts.ts";
import { openDatabase } from "../../src/db/open.ts";
import type { Statement } from "../../src/db/statement.ts";
import { AppError } from "../../src/errors.ts";
import * as keys from "../../src/keys/store.ts";
import * as failedLogins from "../../src/limits/failed-login-store.ts";
import * as limits from "../../src/limits/store.ts";
import * as personalData from "../../src/personal-data/store.ts";
import * as otp from "../../src/verification/store.ts";
import { sql } from "../support/sql.ts";

/** A database that takes down what it is asked to prepare, with the values bound. */
function noting(): { asked: { query: string; values: unknown[] }[]; db: ReturnType<typeof openDatabase> } {
	const asked: { query: string; values: unknown[] }[] = [];
	const prepare = (query: string) => ({
		bind: (...values: unknown[]) => {
			asked.push({ query, values });
			return env.DB.prepare(query).bind(...values);
		},
	});
	return { asked, db: openDatabase({ ...env, DB: { prepare } as unknown as D1Database }) };
}

const { asked, db } = noting();
const owned = { ownerId: "u", isSandbox: false };
const loginSubject = { phoneKey: "p", pairKey: "q", phone: "+234", knownKeys: ["k"], ofPairAlone: false, now: 1 };
const address = {
	zoneName: "",
	region: "Lagos",
	zoneRegion: "Lagos",
	locality: "",
	isLocalityChosen: false,
	edition: "2-00000000",
	lat: 1,
	lng: 1,
	...perText(() => ""),
	visibility: "public" as const,
	entrance: null,
	ownerId: "u",
	createdAt: 1,
	externalId: "e",
	idempotencyKey: "k",
	requestHash: "h",
};

const ofPhone = { phone: "+234", userId: "", networkKey: "n" };
const wish = { ...ofPhone, id: "o", isForHolder: false, now: 1 };

const refused = () => new AppError("FORBIDDEN", "");

const statements: Record<string, Statement | readonly Statement[]> = {
	"a live session": accounts.liveSession(
		{ sessionId: "s", userId: "u", now: 1, admitted: "agent" },
		{ ended: refused, suspended: refused },
	),
	"a user by phone": accounts.userByPhone({ phone: "+234" }),
	"a password": accounts.assertPassword("u", ["h"]),
	"what an agent attested": addresses.attestedBy({ agentId: "u", limit: 20 }),
	"the sessions of a user": [
		...Object.values(accounts.revokeSessions({ userId: "u", now: 1, exceptId: "s" })),
		accounts.endSharesOfSignedOut({ userId: "u", now: 1 }),
	],
	"what made a link": shareMakerStore.isValidMaker({ userId: "u", accountCount: 1, keyId: "k" }),
	"a link in the history": addresses.recordLink({ canonical: "NG042158212", ownerId: "u", madeAt: 1, expiresAt: "2" }),
	"a refresh token": accounts.refreshToken({ hash: "h" }),
	"a proof of a phone": Object.values(
		accounts.givePhoneTo({
			id: "p",
			userId: "u",
			phone: "+234",
			method: "otp",
			agentId: null,
			provedAt: 1,
			isReset: false,
		}),
	),
	"whether a phone may be had": [
		accounts.assertPhoneFree({ phone: "+234", userId: "u", reservedSince: 1 }, ""),
		accounts.assertProvable({ phone: "+234", userId: "u", reservedSince: 1 }),
	],
	codes: addresses.byCodes(["NG042158212"]),
	"an owner's list": addresses.ownedBy(owned, 21, { createdAt: 1, canonical: "x" }),
	"a change": Object.values(addresses.change("NG042158212", "u", { label: "x" }, 1)),
	"the area of a zone": addresses.assertArea({ country: "NG", zone: 1, area: 1 }),
	"a retirement": addresses.retire({ canonical: "NG042158212", ownerId: "u", now: 1, successor: null }),
	"a history": [
		addresses.pastValues({ canonical: "NG042158212", limit: 1 }),
		addresses.attestationsOf({ canonical: "NG042158212" }),
	],
	"an idempotency key": addresses.ofEarlierRequest({ ...owned, idempotencyKey: "k", externalId: "e" }),
	"external ids": addresses.byExternalIds({ ...owned, externalIds: ["e"] }),
	"what a dry run looks at": [
		addresses.ownInCells({ ...owned, cells: [1] }),
		addresses.issuedIn({ zones: ["NG0421"], ownerId: "usr_x" }),
	],
	"the newest overflow": addresses.newestOverflow({ country: "NG", area: 1 }),
	"a new attestation": addresses.attest({
		id: "a",
		canonical: "NG042158212",
		agentId: "u",
		level: 1,
		note: "",
		position: null,
		distance: null,
		createdAt: 1,
	}),
	"a live key": keys.liveKey(
		{ hash: "h", scope: "addresses:read" },
		{ notLive: refused, suspended: refused, lacksScope: refused },
	),
	"a user's keys": keys.listOf({ userId: "u" }),
	"a new key": keys.insert({
		id: "k",
		userId: "u",
		name: "n",
		mode: "live",
		sandbox: false,
		scopes: ["addresses:read"],
		prefix: "p",
		hash: "h",
		createdAt: 1,
		quota: 50,
	}),
	"how a sign-in stands": [failedLogins.stateOfSignIn(loginSubject), failedLogins.assertMayTry(loginSubject)],
	"a new failed sign-in": failedLogins.recordFailure(loginSubject),
	"a known network": failedLogins.isKnown(loginSubject),
	"a spent quota": (
		[
			{ kind: "the same for all" },
			{ kind: "allowance", userId: "u" },
			{ kind: "share", userId: "u", account: "a", share: 1 },
			{ kind: "age", userId: "u", account: "a", share: 1, older: "o", youngSince: 1 },
		] as const
	).map((rule) =>
		limits.spend(
			{ name: "n", subject: "s", day: 1, quota: 1, amount: 1, rule, from: 0, to: 0 },
			async () => new Error(),
		),
	),
	"a page of the feed of changes": [
		feed.changesAfter({ after: 1, limit: 1_000, ownerId: "u" }),
		feed.boundsOf({ after: null }),
		feed.head({}),
	],
	"live addresses for a snapshot": feed.liveAfter({ after: "", limit: 1_000 }),
	"whether a code may be sent": [otp.usage(wish), otp.assertSendable(wish)],
	"the codes of a person's export": personalData.readingAllOf("u").oneTimeCodes,
	"a try at a code": [otp.spendTry({ ...ofPhone, now: 1 }), otp.spendTryElsewhere({ ...ofPhone, now: 1 })],
};

/** How SQLite would run a statement, a line a step. */
async function planOf(statement: Statement): Promise<string> {
	asked.length = 0;
	statement.bind(db);
	const [{ query = "", values = [] } = {}] = asked;
	return (await sql(`explain query plan ${query}`, ...values)).map(({ detail }) => detail).join("\n");
}

describe("reads an index and sorts nothing", () => {
	it.each(Object.entries(statements))("%s", async (_, given) => {
		for (const statement of [given].flat() as Statement[]) {
			const plan = await planOf(statement);
			expect(plan).not.toMatch(/temp b-tree/i);
			// Tables are searched; what is scanned is a list of values, a subquery of one row or the index itself.
			expect(plan).not.toMatch(
				/\bscan (?:users|sessions|refresh_tokens|addresses|attestations|address_changes|api_keys|failed_sign_ins|known_networks|daily_counts|otp_codes|burnt_codes|overflow_zones)\b/i,
			);
		}
	});

	it("an owner's list, past no retired address", async () => {
		expect(await planOf(addresses.ownedBy(owned, 21))).toMatch(
			/^.*using index addresses_live_by_owner \(owner_id=\? and retired_at=\? and \(created_at,canonical\)<\(\?,\?\)\)/i,
		);
	});

	it("the draw of a free code, apart from the last codes of its zone, which are few", async () => {
		const draw = addresses.insertUnderFreeCode(address, "NG0421", ["NG042158212"]);
		const plan = await planOf(draw);
		expect(plan).toMatch(/search last_codes using .*index/i);
		expect(plan).not.toMatch(/\bscan (?:addresses|burnt_codes|last_codes|daily_counts)\b/i);
	});
});
