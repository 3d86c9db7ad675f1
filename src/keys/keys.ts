import { type Caller, createCaller } from "../db/caller.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import type { WriteLimits } from "../limits/write-limits.ts";
import { newId } from "../random.ts";
import { MINUTE } from "../time.ts";
import { hashOfKey, type KeyMode, newKey } from "./secret.ts";
import { type ApiKey, KEY_LACKS_SCOPE, KEY_NOT_LIVE, type KeyScope, type KeyStore } from "./store.ts";

export type { ApiKey, KeyScope };

/** How often the use of a key is written down, in milliseconds. */
const USE_NOTED_EVERY = MINUTE;

/** When a caller whose keys are used up may ask again, in seconds. Nothing frees one but revoking, so this only keeps retries slow. */
const RETRY_SECONDS = 3600;

/** A key that is to be made, and the limits it is made within. */
export interface KeyRequest {
	name: string;
	mode: KeyMode;
	scopes: KeyScope[];
	/** What keys start with. */
	prefix: string;
	/** How many live keys the account may have. */
	quota: number;
}

/**
 * Makes a key for a user. The key itself is returned here and never again.
 * @param limits On the keys that they make in a day, revoked ones too.
 * @param now Milliseconds since the epoch.
 * @throws AppError QUOTA_EXCEEDED.
 */
export async function createKey(
	store: KeyStore,
	caller: Caller,
	limits: WriteLimits,
	request: KeyRequest,
	now: number,
): Promise<ApiKey & { key: string }> {
	const { name, mode, quota } = request;
	// Whoever may change an address may read it.
	const scopes: KeyScope[] = request.scopes.includes("addresses:write")
		? ["addresses:read", "addresses:write"]
		: ["addresses:read"];
	const { key, prefix, hash } = newKey(request.prefix, mode);
	const row = { id: newId("key"), name, mode, scopes, prefix, hash, createdAt: now };
	const making = retryIdempotent(() =>
		caller.runAs((userId) => [store.insert({ ...row, userId, quota }), ...limits.spend, store.byId(row)]),
	);
	const [, , , [record]] = await making.catch((error: unknown) => {
		throw limits.explain(error);
	});
	if (!record) {
		throw new AppError(
			"QUOTA_EXCEEDED",
			`An account may have ${quota} live keys. Revoke one that you no longer need.`,
			{
				headers: { "Retry-After": String(RETRY_SECONDS) },
			},
		);
	}
	return { ...record, key };
}

/**
 * Revokes a key of a user at once and for good.
 * @throws AppError KEY_NOT_FOUND, also for a key of another user and for one that is revoked.
 */
export async function revokeKey(store: KeyStore, caller: Caller, id: string, now: number): Promise<void> {
	const [[revoked]] = await retryIdempotent(() => caller.runAs((userId) => [store.revoke({ id, userId, now })]));
	if (!revoked) throw new AppError("KEY_NOT_FOUND", "You have no live key with this id.");
}

/**
 * Whoever calls with an API key. A text that cannot be a key is refused without asking the database.
 * @param scope What the key must be allowed to do.
 * @param noteUse Is given the writing of the key's last use, when that is due; it need not be waited for.
 * @throws AppError INVALID_TOKEN; the caller's trips throw it too, and FORBIDDEN for a key without the scope.
 */
export function callerOfKey(
	store: KeyStore,
	key: string,
	scope: KeyScope,
	now: number,
	noteUse: (write: () => Promise<unknown>) => void,
): Caller {
	const notGood = () =>
		new AppError("INVALID_TOKEN", "The API key is wrong or revoked.", { headers: { "WWW-Authenticate": "Api-Key" } });
	const hash = hashOfKey(key);
	if (hash === undefined) throw notGood();
	return createCaller({
		check: store.liveKey({ hash, scope }),
		userId: undefined,
		countedBy: hash,
		refusals: {
			[KEY_NOT_LIVE]: notGood,
			[KEY_LACKS_SCOPE]: () =>
				new AppError("FORBIDDEN", `This API key does not have the scope ${scope}. Create a key that has it.`),
		},
		proved({ id, lastUsedAt }) {
			const unlessAfter = now - USE_NOTED_EVERY;
			if (lastUsedAt === null || lastUsedAt <= unlessAfter) {
				noteUse(() => inOneTrip(store.markUsed({ id, now, unlessAfter })));
			}
		},
	});
}
