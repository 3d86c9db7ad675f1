import { type Context, Hono } from "hono";
import type * as z from "zod";
import { openAccountsDatabase } from "../db/open.ts";
import type { AppEnv } from "../http/app-env.ts";
import { requireUser } from "../http/authentication.ts";
import { jsonBody } from "../http/validation.ts";
import { type AccountContext, currentUser, login, register, type SignedIn } from "./accounts.ts";
import { credentialsSchema, type signedInSchema, type userSchema } from "./schemas.ts";
import { createAccountStore, type User } from "./store.ts";

function accountContext(c: Context<AppEnv>): AccountContext {
	return {
		store: createAccountStore(openAccountsDatabase(c.env)),
		signingSecrets: c.var.config.signingSecrets,
		now: Date.now(),
	};
}

function userRecord(user: User): z.infer<typeof userSchema> {
	return {
		id: user.id,
		phone: user.phone,
		phone_verified: user.phoneVerified,
		created_at: new Date(user.createdAt).toISOString(),
	};
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
		return c.json(signedInRecord(await login(accountContext(c), phone, password)), 200);
	})
	.get("/me", requireUser, async (c) =>
		c.json(userRecord(await currentUser(accountContext(c).store, c.var.caller.userId))),
	);
