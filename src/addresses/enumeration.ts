/**
 * The guard against enumeration. A zone has about 9,091 codes and anyone can compute their check digits, so codes could be read out by guessing.
 *
 * Codes that do not exist are counted per minute and day, under the account of the credential that asked or, without one, under its network in
 * several widths, so that an attacker gains nothing by making keys or by moving within what one customer gets. Past a budget every look-up in the database counts, whether it finds
 * something or not, because answering only one kind would tell both apart. A few a minute remain, so that nobody behind the same network is
 * shut out, and reading out a zone with few addresses still takes more than a day.
 */
import type { Context } from "hono";
import type { Caller } from "../db/caller.ts";
import { type Database, openAddressesDatabase } from "../db/open.ts";
import type { Statement } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { keyedHash } from "../hash.ts";
import type { AppEnv } from "../http/app-env.ts";
import { clientNetworks, countCall, rateLimited, wasRefused } from "../http/rate-limit.ts";
import { log } from "../log.ts";
import { DAY, MINUTE } from "../time.ts";
import { enumerationStoreOf, type UnknownCodes } from "./enumeration-store.ts";

/** Who asks: a caller with a credential, or undefined for a stranger, who is known by their network alone. */
export type Asking = Caller | undefined;

/** What a look-up asks for. */
export interface Question<Answer> {
	/** Codes that are asked for. The first one's zone goes to the log. */
	codes: string[];
	/** Limits look-ups of one code, or batches of them. */
	limit: "LOOKUPS" | "BATCHES";
	/** Whether asking may change anything. What only reads is asked side by side with the limit. */
	changes?: boolean;
	/** Asks a database, in one trip with `counts` of it; the answer and those counts. */
	ask: (counts: (db: Database) => Statement<UnknownCodes[]>) => Promise<[Answer, UnknownCodes[]]>;
	/** How many of the codes were found not to exist. */
	missesOf: (answer: Answer) => number;
	/** Whether the answer is about what is the caller's own, which they may always see. */
	isOwn: (answer: Answer) => boolean;
}

/** Whether a look-up found nothing. */
export function isMiss(outcome: unknown): boolean {
	return outcome instanceof AppError && outcome.code === "ADDRESS_NOT_FOUND";
}

/** The keyed hash under which misses are counted. */
function subjectOf(c: Context<AppEnv>, name: string): string {
	return keyedHash(c.get("config").signingSecrets[0].secret, "enumeration", name);
}

/** What the misses of a stranger are counted under: every width of their network. Empty where it is not known. */
function networkSubjects(c: Context<AppEnv>): string[] {
	return clientNetworks(c).map((network) => subjectOf(c, network));
}

/** The subjects that are past their budget of unknown codes, in this minute or this day. */
function pastBudget(c: Context<AppEnv>, counts: UnknownCodes[], now: number): string[] {
	const { UNKNOWN_CODES_PER_MINUTE, UNKNOWN_CODES_PER_DAY } = c.get("config").limits;
	const day = Math.floor(now / DAY);
	const minute = Math.floor(now / MINUTE);
	return counts
		.filter(
			(counted) =>
				(counted.day === day && counted.dayCount > UNKNOWN_CODES_PER_DAY) ||
				(counted.minute === minute && counted.minuteCount > UNKNOWN_CODES_PER_MINUTE),
		)
		.map(({ subject }) => subject);
}

/** Spends a look-up for each code from the few that subjects past their budget have, and returns whether there were enough. */
async function spendLastLookups(c: Context<AppEnv>, subjects: string[], codes: number): Promise<boolean> {
	const spent = await Promise.all(
		subjects.flatMap((subject) => Array.from({ length: codes }, () => countCall(c, "LAST_LOOKUPS", subject))),
	);
	return !spent.includes(false);
}

/** Counts misses, and logs once when a subject passes its budget of the minute, and when many are asked for in one zone, by whomever. */
async function countMisses(c: Context<AppEnv>, caller: Asking, code: string, count: number, now: number) {
	const zone = code.slice(0, 6);
	const store = enumerationStoreOf(openAddressesDatabase(c.env, code.slice(0, 2)));
	const account = caller && subjectOf(c, await caller.user());
	const credential = caller && subjectOf(c, caller.countedBy);
	const counts = await store.count({
		subjects: [...(account ? [account] : networkSubjects(c)), zone],
		mirror: account && credential && credential !== account ? { subject: credential, of: account } : undefined,
		count,
		day: Math.floor(now / DAY),
		minute: Math.floor(now / MINUTE),
	});
	const { UNKNOWN_CODES_PER_MINUTE, UNKNOWN_CODES_PER_DAY, UNKNOWN_CODES_PER_ZONE_AND_MINUTE } = c.get("config").limits;
	const passes = (total: number, budget: number) => total > budget && total - count <= budget;
	for (const { subject, minuteCount, dayCount } of counts) {
		const fields = { request_id: c.var.requestId, zone };
		if (subject === zone) {
			if (passes(minuteCount, UNKNOWN_CODES_PER_ZONE_AND_MINUTE)) log("warn", "enumeration_of_zone", fields);
		} else if (passes(minuteCount, UNKNOWN_CODES_PER_MINUTE) || passes(dayCount, UNKNOWN_CODES_PER_DAY)) {
			log("warn", "enumeration", { ...fields, caller: subject.slice(0, 12) });
		}
	}
	return counts.filter(({ subject }) => subject !== zone);
}

function tooMany(caller: Asking): AppError {
	const who = caller ? "Your account" : "Your network";
	return rateLimited(`${who} asked for too many codes that do not exist. A few look-ups per minute remain.`);
}

/**
 * Asks the database about codes, within the look-ups that the caller has. A caller whom the limit has just refused is asked for before the
 * database is, so that it costs nothing.
 * @throws AppError RATE_LIMITED; besides, what `ask` throws.
 */
export async function askGuarded<Answer>(
	c: Context<AppEnv>,
	caller: Asking,
	question: Question<Answer>,
): Promise<Answer> {
	const { codes, limit, changes = false, ask, missesOf, isOwn } = question;
	const code = codes[0] ?? "";
	const now = Date.now();
	const account = caller?.countedBy;
	const subjects = account === undefined ? networkSubjects(c) : [subjectOf(c, account)];
	const askNow = () => ask((db) => enumerationStoreOf(db).countsOf(subjects));
	const assertWithinLimit = async () => {
		if (!(await countCall(c, limit, account))) throw rateLimited("You looked up too many codes. Wait a minute.");
	};
	const isLimitFirst = changes || wasRefused(c, limit, account);
	if (isLimitFirst) await assertWithinLimit();
	const [[answer, known]] = await Promise.all([askNow(), isLimitFirst || assertWithinLimit()]);
	const spend = async (over: string[]) => {
		if (over.length === 0) return;
		// All keys of an account share what is left.
		const spenders = caller ? [subjectOf(c, await caller.user())] : over;
		if (!(await spendLastLookups(c, spenders, codes.length))) throw tooMany(caller);
	};
	const over = pastBudget(c, known, now);
	// What is refused tells nothing, so it is not counted, and nobody makes the database grow by going on.
	if (!isOwn(answer)) await spend(over);
	const misses = missesOf(answer);
	if (misses > 0) {
		const counted = pastBudget(c, await countMisses(c, caller, code, misses, now), now);
		// A caller past their budget has spent already, under whichever of their names.
		await spend(caller && over.length > 0 ? [] : counted.filter((subject) => !over.includes(subject)));
	}
	return answer;
}
