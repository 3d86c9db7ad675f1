import { limitTable } from "../env.ts";
import {
	BYTES_OF_WRITE,
	failedSignIns,
	lastRegistrations,
	ofWideNetwork,
	oneTimeCodes,
	perDay,
	perMinute,
	reportsPerDay,
	type Trickle,
	writesOfNetwork,
} from "../limits/policy.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";

/** Numbers of the same unit, such as `30; 60 a minute`: of the policy, or the default of a setting. */
function quotas(unit: string, ...numbers: (number | keyof typeof limitTable)[]): string {
	const values = numbers.map((number) => (typeof number === "string" ? limitTable[number].default : number));
	return `${values.map((value) => value.toLocaleString("en")).join("; ")} ${unit}`;
}

/** What a limit still lets pass once it is used up, such as `3 a minute`. */
function trickleOf({ count, every }: Trickle): string {
	return `${count} ${every === MINUTE ? "a minute" : "an hour"}`;
}

const { ofPair, ofPhone } = failedSignIns;
const untilNextMinute = "429 to the end of the minute";

/**
 * The policy of limits in words, a row for each limit: what is limited, by what it is counted, how much there may be, and what happens
 * past it.
 */
export const limitsTable: string[][] = [
	[
		"look-ups of codes that reach the database",
		"network; with a credential, account",
		quotas("a minute", perMinute.LOOKUPS),
		untilNextMinute,
	],
	[
		"codes that do not exist, in one zone",
		"network; account",
		quotas("a minute", perMinute.UNKNOWN_IN_ZONE, perMinute.UNKNOWN_IN_ZONE_OF_ACCOUNT),
		"429 for look-ups of that zone to the end of the minute, also for items of a batch",
	],
	[
		"codes that do not exist, in all zones",
		"network; account, unless an operator lets it ask for them",
		quotas("a minute", perMinute.UNKNOWN_CODES),
		"429 for look-ups to the end of the minute",
	],
	[
		"street sketches and pictures of cards (PNG) that no cache holds",
		"network; signed in, account",
		quotas("a minute", perMinute.DRAWINGS, perMinute.DRAWINGS_OF_ACCOUNT),
		"a page comes without its sketch; a picture answers 429 to the end of the minute",
	],
	[
		"batches of up to 100 codes or new addresses, dry runs included; pages of the feed and parts of snapshots",
		"account",
		quotas("a minute", perMinute.BATCHES),
		untilNextMinute,
	],
	[
		"calls to `/v1/auth`, and forms about signing in",
		"network; signed in, account",
		quotas("a minute", perMinute.AUTH_CALLS),
		untilNextMinute,
	],
	[
		"credentials that are wrong",
		"network",
		quotas("a minute", perMinute.LOOKUPS),
		"429 for credentials that were not verified lately",
	],
	[
		"password hashes",
		"network; signed in, account; where the network has signed in with that phone before, the phone",
		quotas("a minute", perMinute.PASSWORD_CALLS, perMinute.PASSWORD_CALLS, perMinute.PASSWORD_CALLS_OF_PHONE),
		untilNextMinute,
	],
	[
		"failed sign-ins",
		"phone and network",
		quotas(`in ${ofPair.window / MINUTE} minutes`, ofPair.quota),
		"429 until the window ends",
	],
	[
		"failed sign-ins",
		"phone",
		quotas(`in ${ofPhone.window / HOUR} hours`, ofPhone.quota),
		"a network that has never signed in with it waits a second, doubling to a minute",
	],
	[
		"accounts opened without a one-time code",
		"network",
		quotas("a day", "REGISTRATIONS_PER_NETWORK_AND_DAY"),
		trickleOf(lastRegistrations),
	],
	["the same", "IPv4 /24; IPv6 /48", quotas("a day", ofWideNetwork.quota), trickleOf(ofWideNetwork.trickle)],
	[
		"new addresses; sandbox addresses; changes; keys; attestations; private addresses read by an agent",
		"account or agent",
		quotas(
			"a day",
			perDay["new-addresses"].quota,
			perDay["sandbox-addresses"].quota,
			perDay.changes.quota,
			perDay["new-keys"].quota,
			perDay.attestations.quota,
			perDay["private-reads"].quota,
		),
		"429",
	],
	[
		`the same, of all accounts together. A write counts once more for every ${BYTES_OF_WRITE} bytes of its texts`,
		"network",
		quotas("a day", writesOfNetwork.quota),
		`accounts with fewer than ${writesOfNetwork.share} of a kind that day may continue, up to twice the quota. Accounts with an allowance of new addresses are not counted`,
	],
	[
		`the same, of accounts opened in the last ${ofWideNetwork.youngFor / DAY} days`,
		"IPv4 /24; IPv6 /48",
		quotas("a day", ofWideNetwork.quota),
		trickleOf(ofWideNetwork.trickle),
	],
	["exports of an account", "account", quotas("a day", perDay.exports.quota), "429"],
	["API keys at a time", "account", limitTable.LIVE_KEYS_PER_ACCOUNT.default.toLocaleString("en"), "429"],
	[
		"reports without an account",
		"network and address; network; IPv4 /24 or IPv6 /48",
		quotas("a day", reportsPerDay.ofAddress, reportsPerDay.ofNetwork, reportsPerDay.ofWideNetwork.quota),
		`${trickleOf(reportsPerDay.trickle)}; of a /24 or /48, ${trickleOf(reportsPerDay.ofWideNetwork.trickle)}`,
	],
	[
		"one-time codes",
		`phone, of which ${oneTimeCodes.ofAsker} for one asker; account; without an account, network, unless it has signed in with that phone before`,
		quotas("a day", oneTimeCodes.ofPhone, oneTimeCodes.ofAccount, "OTP_PER_NETWORK_AND_DAY"),
		`429; from a network, ${trickleOf(oneTimeCodes.trickle)}`,
	],
	[
		"one-time codes to one calling code",
		"everybody; apart from them, accounts opened before that day",
		quotas("each a day", "OTP_PER_CALLING_CODE_AND_DAY"),
		"429",
	],
];
