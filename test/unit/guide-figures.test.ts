/** The numbers that the guides name in sentences: each is that of the code. Those of tables are held by guides.test.ts. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { JUST_SIGNED_IN } from "../../src/accounts/session.ts";
import { STALE_SECONDS } from "../../src/addresses/address-cache.ts";
import { VISIT_METRES, VISIT_METRES_MAX } from "../../src/addresses/attestation-schemas.ts";
import { CODES_PER_ZONE } from "../../src/codes/code.ts";
import { ERASURES_RETENTION_DAYS } from "../../src/journal/retention.ts";
import {
	BYTES_OF_WRITE,
	failedSignInLimits,
	oneTimeCodes,
	PRIVATE_READS_SHOWN,
	perDay,
	perMinute,
	recovery,
	SESSIONS_OF_YOUNG_ACCOUNT,
	SESSIONS_PER_ACCOUNT,
	standingLimits,
} from "../../src/settings/limits.ts";
import {
	IDEMPOTENCY_KEY_RETENTION,
	KNOWN_FOR,
	PENDING_PHONE_RETENTION,
	REPORTS_RETENTION,
	SHORT_RECORDS_RETENTION,
	UNUSED_ACCOUNT_RETENTION,
} from "../../src/settings/retention.ts";
import { DAY, MINUTE, SECOND } from "../../src/time/time.ts";
import { waitMilliseconds } from "../../src/time/wait-times.ts";

const WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const numberOf = (text: string) => {
	const word = text.toLowerCase();
	if (word === "a") return 1;
	if (word === "sixty") return 60;
	if (word === "twenty") return 20;
	if (word === "hundred") return 100;
	return WORDS.includes(word) ? WORDS.indexOf(word) : Number(text.replaceAll(",", ""));
};

const wholeZone = CODES_PER_ZONE;
const perCode = standingLimits["one-time-codes"].quota;

/** A guide, a sentence of it with a number, and the number. */
const figures: [guide: string, sentence: RegExp, number: number][] = [
	["limits", /has ([\d,]+) sandbox addresses and/, perDay["sandbox-addresses"].quota],
	["limits", /sandbox addresses and ([\d,]+) changes a day/, perDay.changes.quota],
	["limits", /It has (\d+) batches/, perMinute.BATCHES.quota],
	["limits", /and ([\d,]+) look-ups a minute/, perMinute.LOOKUPS.quota],
	["limits", /it may open ([\d,]+) accounts a day/, perDay["registrations-of-network"].quota],
	["limits", /sign in (\d+) times a minute/, perMinute.PASSWORD_CALLS.quota],
	["limits", /fewer than (\d+) a minute in one zone/, perMinute.UNKNOWN_IN_ZONE.quota],
	["limits", /A zone has about ([\d,]+) codes/, wholeZone],
	["limits", /one network (\w+) hours/, Math.round(wholeZone / perMinute.UNKNOWN_IN_ZONE.quota / 60)],
	["limits", /90 accounts (\w+) minutes/, Math.round(wholeZone / perMinute.UNKNOWN_IN_ZONE_OF_ACCOUNT.quota / 90)],
	["limits", /More than (\d+) new addresses a day in one zone/, perDay["new-addresses-of-zone"].quota],
	["limits", /more than (\d+) unknown codes a minute exempts/, perMinute.UNKNOWN_CODES.quota],
	["limits", /wait more than (\w+) seconds for its turn/, waitMilliseconds.hashTurn / SECOND],
	["limits", /once more for every (\d+) bytes/, BYTES_OF_WRITE],
	["limits", /an account keeps (\d+) sessions/, SESSIONS_PER_ACCOUNT],
	["limits", /sessions, or (\w+) in its first 30 days/, SESSIONS_OF_YOUNG_ACCOUNT],
	["limits", /is erased (\d+) days after it was opened/, UNUSED_ACCOUNT_RETENTION / DAY],
	["limits", /stored as hashes for (\w+) week/, IDEMPOTENCY_KEY_RETENTION / (7 * DAY)],
	["limits", /A code may be tried (\w+) times/, oneTimeCodes.tries],
	["limits", /have (\w+) further tries/, oneTimeCodes.tries],
	["limits", /for up to (\w+) minutes; its/, STALE_SECONDS / 60],
	["limits", /given up after (\w+) seconds with 503/, waitMilliseconds.databaseRead / SECOND],
	["security", /keyed hashes of phone and network or by account \| the operator \| about (\w+) days/, 2],
	["security", /random ids of erased accounts \| the operator \| (\d+) days/, ERASURES_RETENTION_DAYS],
	["security", /networks that have signed in .* \| (\w+) year/, KNOWN_FOR / (365 * DAY)],
	["security", /one-time codes, by a keyed hash \| .* \| (\w+) day/, SHORT_RECORDS_RETENTION / DAY],
	["security", /what is reported .* \| (\d+) days/, REPORTS_RETENTION / DAY],
	["security", /and that wait \| .* \| (\d+) days, and \d+ more/, PENDING_PHONE_RETENTION / DAY],
	["security", /days, and (\d+) more once/, PENDING_PHONE_RETENTION / DAY],
	["security", /can use up its (\w+) codes a day/, perCode],
	[
		"security",
		/(\w+) networks together can use up a day's/,
		standingLimits["one-time-codes-of-strangers"].quota / perCode,
	],
	["security", /and the (\w+) tries of each/, oneTimeCodes.tries],
	["security", /has (\w+) guesses at the password/, failedSignInLimits["failed-logins"].quota],
	["security", /guesses at the password in (\d+) minutes/, failedSignInLimits["failed-logins"].window / MINUTE],
	["security", /Past ([\d,]+) accounts opened from one network/, perDay["registrations-of-network"].quota],
	["security", /sends (\d+) calls a minute to `\/v1\/auth`/, perMinute.AUTH_CALLS.quota],
	["security", /Within (\w+) minutes of signing in, the console/, JUST_SIGNED_IN / MINUTE],
	["security", /within (\w+) minutes of the sign-in\. Later/, JUST_SIGNED_IN / MINUTE],
	["security", /(\w+) calls that hash a password/, perMinute.PASSWORD_CALLS.quota],
	["security", /A (\w+) accounts, or/, calling("one-time-codes-of-account")],
	["security", /or (\w+) networks, can use up a country's/, calling("one-time-codes-of-network")],
	["security", /that nobody uses, in (\w+) days/, recovery.wait / DAY],
	["operate", /(\w+) days\s+later that agent, who stands at a pin/, recovery.wait / DAY],
	["operate", /get another within (\d+)\s+minutes/, recovery.repeatable / MINUTE],
	["operate", /used in the last (\d+) days/, recovery.unusedFor / DAY],
	["operate", /or has more than (\d+) addresses, is refused/, recovery.addressesMax],
	["operate", /may ask for (\w+) in 24 hours/, recovery.perDay],
	["verification", /from within (\d+) metres of the pin/, VISIT_METRES],
	["verification", /up to (\d+) metres in all/, VISIT_METRES_MAX],
	["verification", /before a visit: at most (\d+) a day/, perDay["private-reads"].quota],
	["verification", /More than (\d+) in a\s+day/, PRIVATE_READS_SHOWN],
	["verification", /waits up to (\d+) days for/, PENDING_PHONE_RETENTION / DAY],
];

/** How many askers with this quota use up the codes of a country. */
function calling(quota: "one-time-codes-of-account" | "one-time-codes-of-network"): number {
	return perDay["one-time-codes-of-calling-code"].quota / perDay[quota].quota;
}

it.each(figures)("the guide to %s says in %s what the code has", (guide, sentence, number) => {
	const text = readFileSync(path.join(import.meta.dirname, `../../src/docs/guides/${guide}.md`), "utf8");
	const [, found = ""] = sentence.exec(text.replace(/\n +/g, " ").replace(/(?<!\|)\n(?=[\w`])/g, " ")) ?? [];
	expect(numberOf(found), found).toBe(number);
});
