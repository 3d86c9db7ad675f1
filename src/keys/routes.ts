import { type Context, Hono } from "hono";
import type * as z from "zod";
import { openAccountsDatabase } from "../db/open.ts";
import type { AppEnv } from "../http/app-env.ts";
import { requireUser } from "../http/authentication.ts";
import { jsonBody } from "../http/validation.ts";
import { createKey, revokeKey } from "./keys.ts";
import { type keySchema, newKeySchema } from "./schemas.ts";
import { type ApiKey, createKeyStore } from "./store.ts";

function keyStore(c: Context<AppEnv>) {
	return createKeyStore(openAccountsDatabase(c.env));
}

function keyRecord(key: ApiKey): z.infer<typeof keySchema> {
	return {
		id: key.id,
		name: key.name,
		mode: key.mode,
		prefix: key.prefix,
		created_at: new Date(key.createdAt).toISOString(),
		last_used_at: key.lastUsedAt === null ? null : new Date(key.lastUsedAt).toISOString(),
	};
}

/** Mounted at /v1/keys. */
export const keyRoutes = new Hono<AppEnv>()
	.get("/", requireUser, async (c) => {
		const keys = await keyStore(c).listOf(c.var.caller.userId);
		return c.json(keys.map(keyRecord));
	})
	.post("/", requireUser, ...jsonBody(newKeySchema), async (c) => {
		const { apiKeyPrefix, limits } = c.var.config;
		const created = await createKey(
			keyStore(c),
			{
				...c.req.valid("json"),
				userId: c.var.caller.userId,
				prefix: apiKeyPrefix,
				quota: limits.LIVE_KEYS_PER_ACCOUNT,
			},
			Date.now(),
		);
		return c.json({ ...keyRecord(created), key: created.key }, 201);
	})
	.delete("/:id", requireUser, async (c) => {
		await revokeKey(keyStore(c), c.req.param("id"), c.var.caller.userId, Date.now());
		return c.body(null, 204);
	});
