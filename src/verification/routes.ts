import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type * as z from "zod";
import { callingCode } from "../accounts/phone.ts";
import { attestPhone } from "../accounts/phone-proof.ts";
import { userRecord } from "../accounts/record.ts";
import { openAccountsDatabase } from "../db/open.ts";
import type { OtpGateway } from "../env.ts";
import { AppError } from "../errors.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { accountStore, requireAgent, requireUser } from "../http/authentication.ts";
import { dailyQuotaOf } from "../http/rate-limit.ts";
import { jsonBody } from "../http/validation.ts";
import { bothQuotas } from "../limits/daily-quota.ts";
import { rateLimitHeaders } from "../limits/policy.ts";
import { deliver } from "./gateway.ts";
import { type OtpContext, type OtpSending, requestOtp, verifyOtp } from "./otp.ts";
import {
	type attestedPhoneSchema,
	otpRequestSchema,
	type otpSentSchema,
	otpVerificationSchema,
	phoneAttestationSchema,
} from "./schemas.ts";
import { createOtpStore } from "./store.ts";

/** Answers OTP_DISABLED to anyone, whatever they send, while there is no gateway. */
const requireOtpGateway = createMiddleware<AppEnv>(async (c, next) => {
	if (!c.var.config.otpGateway) {
		throw new AppError("OTP_DISABLED", "Phone verification by one-time code is not available yet.");
	}
	await next();
});

function otpContext(c: Context<AppEnv>): OtpContext {
	const { limits, signingSecrets } = c.var.config;
	return {
		store: createOtpStore(openAccountsDatabase(c.env)),
		accounts: accountStore(c),
		limits,
		signingSecrets,
		now: Date.now(),
	};
}

function otpSending(c: Context<AppEnv>, gateway: OtpGateway, now: number): OtpSending {
	const { limits } = c.var.config;
	return {
		quotaOf: (phone) =>
			bothQuotas(
				dailyQuotaOf(
					c,
					{
						name: "one-time-codes-of-account",
						subject: `one-time-codes-of:${c.var.caller.userId}`,
						quota: limits.OTP_PER_ACCOUNT_AND_DAY,
						detail: `An account may have ${limits.OTP_PER_ACCOUNT_AND_DAY} codes sent a day (UTC).`,
					},
					now,
				),
				dailyQuotaOf(
					c,
					{
						name: "one-time-codes-of-calling-code",
						subject: `one-time-codes:${callingCode(phone)}`,
						quota: limits.OTP_PER_CALLING_CODE_AND_DAY,
						detail: "No more codes can be sent to this country today.",
					},
					now,
				),
			),
		deliver: (to, text) => deliver(gateway, to, text),
		host: new URL(webUrl(c)).host,
	};
}

/** Mounted at /v1/auth. */
export const verificationRoutes = new Hono<AppEnv>()
	.post("/otp/request", requireOtpGateway, requireUser, ...jsonBody(otpRequestSchema), async (c) => {
		const gateway = c.var.config.otpGateway;
		if (!gateway) throw new Error("requireOtpGateway let a request pass without a gateway");
		const context = otpContext(c);
		const sending = otpSending(c, gateway, context.now);
		const sent = await requestOtp(context, sending, c.var.caller.userId, c.req.valid("json").phone);
		const record = { phone: sent.phone, expires_at: new Date(sent.expiresAt).toISOString() };
		return c.json(record satisfies z.infer<typeof otpSentSchema>, 202, rateLimitHeaders(sent.quota, context.now));
	})
	.post("/otp/verify", requireOtpGateway, requireUser, ...jsonBody(otpVerificationSchema), async (c) => {
		const { phone, code } = c.req.valid("json");
		return c.json(userRecord(await verifyOtp(otpContext(c), c.var.caller.userId, phone, code)));
	})
	.post("/attest-phone", requireUser, requireAgent, ...jsonBody(phoneAttestationSchema), async (c) => {
		const { phone, user_id: userId } = c.req.valid("json");
		const user = await attestPhone(accountStore(c), { agentId: c.var.caller.userId, phone, userId }, Date.now());
		const record = { user_id: user.id, phone: user.phone ?? "", phone_verified: user.phoneVerified };
		return c.json(record satisfies z.infer<typeof attestedPhoneSchema>);
	});
