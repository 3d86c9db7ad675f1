import { type Context, Hono } from "hono";
import type * as z from "zod";
import type { AppEnv } from "../http/app-env.ts";
import { accountStore, requireUser } from "../http/authentication.ts";
import { log } from "../http/log.ts";
import { loginThrottleOf } from "../http/rate-limit.ts";
import { jsonBody } from "../http/validation.ts";
import { type AccountContext, changePassword, currentUser, login, register, type SignedIn } from "./accounts.ts";
import { userRecord } from "./record.ts";
import { credentialsSchema, passwordChangeSchema, refreshSchema, type signedInSchema } from "./schemas.ts";
import { logout, RefreshTokenError, refreshSession } from "./session.ts";

function accountContext(c: Context<AppEnv>): AccountContext {
	return {
		store: accountStore(c),
		signingSecrets: c.var.config.signingSecrets,
		now: Date.now(),
	};
}

/** Logs why a refresh token was refused: a replay is either a bug of the client or a theft. */
async function logRefusal<Result>(c: Context<AppEnv>, work: Promise<Result>): Promise<Result> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof RefreshTokenError) {
			const { reason, sessionId } = error;
			log(reason === "replayed" ? "warn" : "info", "refresh_token_refused", {
				request_id: c.var.requestId,
				reason,
				session_id: sessionId,
			});
		}
		throw error;
	}
}

function signedInRecord({ access, refresh, user }: SignedIn): z.infer<typeof signedInSchema> {
	return { access, refresh, user: userRecord(user) };
}

/** Mounted at /v1/auth. */
export const accountRoutes = new Hono<AppEnv>()
	.post("/register", ...jsonBody(credentialsSchema), async (c) => {
		const { phone, password } = c.req.valid("json");
		return c.json(signedInRecord(await register(accountContext(c), phone, password)), 201);
	})
	.post("/login", ...jsonBody(credentialsSchema), async (c) => {
		const { phone, password } = c.req.valid("json");
		return c.json(signedInRecord(await login(accountContext(c), loginThrottleOf(c), phone, password)));
	})
	.post("/token/refresh", ...jsonBody(refreshSchema), async (c) => {
		const { store, signingSecrets, now } = accountContext(c);
		const pair = refreshSession(store, signingSecrets, c.req.valid("json").refresh, now);
		return c.json(await logRefusal(c, pair));
	})
	.post("/logout", ...jsonBody(refreshSchema), async (c) => {
		const { store, now } = accountContext(c);
		await logRefusal(c, logout(store, c.req.valid("json").refresh, now));
		return c.body(null, 204);
	})
	.post("/password/change", requireUser, ...jsonBody(passwordChangeSchema), async (c) => {
		const { current_password, new_password } = c.req.valid("json");
		const { userId } = c.var.caller;
		return c.json(await changePassword(accountContext(c), loginThrottleOf(c), userId, current_password, new_password));
	})
	.get("/me", requireUser, async (c) =>
		c.json(userRecord(await currentUser(accountContext(c).store, c.var.caller.userId))),
	);
