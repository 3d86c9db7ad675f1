import type { ValueOf } from "../schemas/lazy.ts";
import { timestamp, timestampOrNull } from "../time/time.ts";
import type { keySchema } from "./schemas.ts";
import type { ApiKey } from "./store.ts";

/** The fields of a key that its record shows. */
type ShownKey = Pick<ApiKey, "id" | "name" | "mode" | "scopes" | "prefix" | "createdAt" | "lastUsedAt">;

/** The record of a key, as its owner sees it. */
export function keyRecord(key: ShownKey): ValueOf<typeof keySchema> {
	return {
		id: key.id,
		name: key.name,
		mode: key.mode,
		scopes: key.scopes,
		prefix: key.prefix,
		created_at: timestamp(key.createdAt),
		last_used_at: timestampOrNull(key.lastUsedAt),
	};
}
