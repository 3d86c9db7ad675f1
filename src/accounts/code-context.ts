/** What one-time codes work with in a request. */
import type { Context } from "hono";
import { openAccountsDatabase } from "../db/open.ts";
import type { OtpGateway } from "../env.ts";
import { AppError } from "../errors.ts";
import { keyedHash } from "../hash.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { clientNetwork, clientNetworks } from "../http/rate-limit.ts";
import { type DailyQuotaOptions, dailyQuota } from "../limits/daily-quota.ts";
import { isKnownNetwork } from "../limits/failed-logins.ts";
import { WIDER_TIMES } from "../limits/write-limits.ts";
import { deliver } from "../verification/gateway.ts";
import { otpContext } from "../verification/otp.ts";
import { accountStore, loginContext } from "./authentication.ts";
import { readNumberingPlans } from "./numbering-plans.ts";
import type { CodeContext, SendingTo } from "./one-time-codes.ts";
import { phoneReader } from "./phone.ts";
import { reservedSince } from "./phone-proof.ts";
import { assertSmsNumber } from "./sms-numbers.ts";

/**
 * The gateway that sends one-time codes.
 * @throws AppError OTP_DISABLED where there is none.
 */
export function otpGateway(c: Context<AppEnv>): OtpGateway {
	const gateway = c.var.config.otpGateway;
	if (!gateway)
		throw new AppError("OTP_DISABLED", "This registry does not send one-time codes, because it has no SMS gateway.");
	return gateway;
}

export function codeContext(c: Context<AppEnv>): CodeContext {
	const otp = otpContext(c.env, c.var.config, Date.now());
	return {
		...otp,
		accounts: accountStore(c),
		readPhone: phoneReader(c.env),
		reservedSince: reservedSince(otp.limits, otp.now),
		isKnownNetwork: (phone) => isKnownNetwork(loginContext(c), phone),
	};
}

/** The network that codes are asked for from. Without one, as locally, all callers are one. */
export function askingNetwork(c: Context<AppEnv>): string {
	return clientNetwork(c) ?? "";
}

/** Sends codes through the gateway, within the quotas of who asks and of the phone's country. */
function sendingWithin(c: Context<AppEnv>, ofAsker: DailyQuotaOptions[]): SendingTo {
	const gateway = otpGateway(c);
	const database = openAccountsDatabase(c.env);
	const now = Date.now();
	return async (phone, isForHolder) => {
		const callingCode = assertSmsNumber(await readNumberingPlans(c.env), c.var.config.smsNumbers, phone);
		const ofCallingCode = {
			name: "one-time-codes-of-calling-code",
			// Two counts, so that strangers use up none of those that accounts have sent to their own phones.
			subject: `one-time-codes${isForHolder ? "-of-holders" : ""}:${callingCode}`,
			quota: c.var.config.limits.OTP_PER_CALLING_CODE_AND_DAY,
			detail: "No more one-time codes can be sent to this country today (UTC). Try again tomorrow.",
		};
		return {
			quotas: [...ofAsker, ofCallingCode].map((options) => dailyQuota(database, options, now)),
			deliver: (to, text) => deliver(gateway, to, text),
			host: new URL(webUrl(c)).host,
		};
	};
}

/** Sends the codes that an account asks for. */
export function sendingForAccount(c: Context<AppEnv>, userId: string): SendingTo {
	const quota = c.var.config.limits.OTP_PER_ACCOUNT_AND_DAY;
	return sendingWithin(c, [
		{
			name: "one-time-codes-of-account",
			subject: `one-time-codes-of:${userId}`,
			quota,
			detail: `An account may request ${quota} one-time codes per day (UTC).`,
		},
	]);
}

/** Sends the codes that somebody asks for who is not signed in, counted under their network in several widths. */
export function sendingForNetwork(c: Context<AppEnv>): SendingTo {
	const { limits, signingSecrets } = c.var.config;
	const networks = clientNetworks(c);
	return sendingWithin(
		c,
		networks.map((network, width) => ({
			name: `one-time-codes-of-network-${width}`,
			subject: `one-time-codes-of:${keyedHash(signingSecrets[0].secret, "otp-network", network)}`,
			quota: limits.OTP_PER_NETWORK_AND_DAY * WIDER_TIMES ** width,
			detail: "Your network requested too many one-time codes today (UTC). Sign in, or try again tomorrow.",
		})),
	);
}
