/** One-time codes: sending one to a phone, and checking one that was entered. */

import { equalInConstantTime, keyedHash } from "../crypto/hash.ts";
import { newId, randomDigits } from "../crypto/random.ts";
import type { Caller } from "../db/caller.ts";
import { inOneTrip, type Statement, type Statements, spending } from "../db/statement.ts";
import type { OtpGateway } from "../env.ts";
import { AppError } from "../errors.ts";
import { type RateLimitState, refusalHeaders } from "../limits/rate-limit-headers.ts";
import type { Registry } from "../registry.ts";
import { oneTimeCodes, standingLimits } from "../settings/limits.ts";
import { DAY, MINUTE, SECOND } from "../time/time.ts";
import { deliver } from "./gateway.ts";
import * as otpStore from "./store.ts";

/** Long enough that somebody who has a thousand codes sent a day, and tries each ten times, guesses one in 10,000 days. */
const CODE_DIGITS = 8;

/** Who asks for a code and later uses it: the signed-in account, or else the network of the request. */
type Asker = { userId: string } | "network";

/** A code that is to be sent. */
interface OtpSending {
	/** E.164. */
	phone: string;
	asker: Asker;
	/** What the code spends of daily quotas, besides the limits of its phone. */
	spends: readonly Statement[];
	/** Further checks in the batch that stores the code. */
	checks: Statements;
	/**
	 * Whether the asker is the phone's own account, or a network where its holder has signed in before. Strangers cannot use up their
	 * codes.
	 */
	isForHolder: boolean;
	/** The asker, if they are signed in. */
	caller?: Caller;
}

/** A code that was sent: when it expires (milliseconds since the epoch), and how many more the asker may have sent to the phone. */
export interface SentCode {
	phone: string;
	expiresAt: number;
	quota: RateLimitState;
}

/**
 * The gateway that sends one-time codes.
 * @throws AppError OTP_DISABLED if there is none.
 */
export function otpGateway({ settings }: Registry): OtpGateway {
	if (settings.otpGateway) return settings.otpGateway;
	throw new AppError("OTP_DISABLED", "This registry does not send one-time codes, because it has no SMS gateway.");
}

/** The columns that say who asked for codes to a phone. Without a network, as in development, all who are signed out count as one. */
function askedBy({ settings, network = "" }: Registry, asker: Asker, phone: string) {
	const [{ secret }] = settings.signingSecrets;
	return asker === "network"
		? { phone, userId: "", networkKey: keyedHash(secret, "otp-network", `${phone}\0${network}`) }
		: { phone, userId: asker.userId, networkKey: "" };
}

function codeHash(key: Uint8Array, asker: Asker, phone: string, code: string): string {
	return keyedHash(key, "otp", `${asker === "network" ? "" : asker.userId}\0${phone}\0${code}`);
}

/** What is left of an asker's quota of codes to one phone in 24 hours. */
function stateOf(usage: otpStore.SendingUsage | undefined, now: number): RateLimitState {
	const { quota } = standingLimits["one-time-codes"];
	const { remaining, resetsAt } = usage ?? { remaining: quota, resetsAt: now + DAY };
	return { name: "one-time-codes", quota, windowSeconds: DAY / SECOND, remaining: Math.max(0, remaining), resetsAt };
}

/**
 * Sends a one-time code to a phone.
 * @throws AppError OTP_DISABLED, RATE_LIMITED, QUOTA_EXCEEDED, UNAVAILABLE; also whatever the checks throw.
 */
export async function sendCode(registry: Registry, sending: OtpSending): Promise<SentCode> {
	const { phone, asker, spends, checks, isForHolder, caller } = sending;
	const gateway = otpGateway(registry);
	const { database, now, settings, webUrl } = registry;
	const code = randomDigits(CODE_DIGITS);
	const row = {
		...askedBy(registry, asker, phone),
		id: newId("otp"),
		isForHolder,
		codeHash: codeHash(settings.signingSecrets[0].secret, asker, phone, code),
		sentAt: now,
		expiresAt: now + oneTimeCodes.lifetime,
	};
	const wish = { ...row, now };
	const tooMany = async () => {
		const [usage] = await inOneTrip(database, otpStore.usage(wish));
		const detail = "Too many one-time codes were sent to this phone number. Wait before you ask for another.";
		return new AppError("RATE_LIMITED", detail, {
			headers: refusalHeaders(stateOf(usage, now), now, usage?.opensAt),
		});
	};
	const storing = {
		isSendable: otpStore.assertSendable(wish, tooMany),
		usage: otpStore.usage(wish),
		inserted: spending(otpStore.insert(row), spends),
		...checks,
	};
	const {
		usage: [before],
	} = await (caller ? caller.run(database, storing) : inOneTrip(database, storing));
	const { host } = new URL(webUrl);
	const minutes = oneTimeCodes.lifetime / MINUTE;
	// Phones fill in the code of the last line on the page of that host alone (WICG, Origin-bound one-time codes delivered via SMS).
	const text = `${code} is your code for ${host}. It works for ${minutes} minutes. Do not share it.\n@${host} #${code}`;
	const delivery = await deliver(gateway, phone, text);
	// Without a clear answer the message may be on its way and cost money. So only after a clear refusal may another one go at once.
	if (delivery === "refused") await inOneTrip(database, otpStore.forget(row));
	if (delivery !== "accepted") {
		throw new AppError("UNAVAILABLE", "The one-time code could not be sent right now. Try again shortly.", {
			headers: { "Retry-After": String(oneTimeCodes.interval / SECOND) },
		});
	}
	const state = stateOf(before, now);
	return { phone, expiresAt: row.expiresAt, quota: { ...state, remaining: state.remaining - 1 } };
}

/**
 * Tries a code that was sent to a phone. Each try counts, so that a code can be guessed only a few times.
 * @param phone E.164.
 * @param caller The asker, if they are signed in.
 * @returns A function that makes the statements which use up a right code, for the batch that acts on it. They throw the given error if the
 * code is used up by then. Undefined if the code is wrong, expired, used, or was tried too often.
 */
export async function tryCode(
	registry: Registry,
	asker: Asker,
	phone: string,
	code: string,
	caller?: Caller,
): Promise<((usedUp: () => AppError) => Statements) | undefined> {
	// A missing or incomplete code is no guess, so it costs none of the few tries.
	if (code.length !== CODE_DIGITS) return undefined;
	const { database, now, settings } = registry;
	const asked = { ...askedBy(registry, asker, phone), now };
	const elsewhere = asker === "network" ? { sentElsewhere: otpStore.spendTryElsewhere(asked) } : {};
	const trying = { sent: otpStore.spendTry(asked), ...elsewhere };
	const { sent, sentElsewhere = [] } = await (caller ? caller.run(database, trying) : inOneTrip(database, trying));
	const hashes = settings.signingSecrets.map(({ secret }) => codeHash(secret, asker, phone, code));
	const right = [...sent, ...sentElsewhere].find((row) =>
		hashes.some((hash) => equalInConstantTime(hash, row.codeHash)),
	);
	if (!right) return undefined;
	const used = { id: right.id, now, usedBy: newId("use") };
	return (usedUp) => ({ isUnused: otpStore.assertCodeUnused(used, usedUp), used: otpStore.use(used) });
}
