import { limitSettings } from "./policy.ts";

/**
 * The numbers that an operator may set: the default, the least and the most. The unit is part of the name. A variable of the same name in
 * wrangler.toml overrides the default. All other numbers are constants; those of limits are in src/settings/policy.ts, and those
 * of waiting in src/time/wait-times.ts.
 */
export const numberSettings = {
	/** The longest life of a session, however much it is used. */
	SESSION_DAYS_MAX: { default: 180, min: 1, max: 3_650 },
	/** How long a verified number that an account has replaced stays reserved for it, so that nobody else gets it meanwhile. */
	PHONE_RESERVED_DAYS: { default: 30, min: 0, max: 3_650, erases: true },
	/** How long a closed account is retained before everything of its holder is erased. Until then, signing in opens it again. */
	ACCOUNT_ERASURE_DAYS: { default: 7, min: 0, max: 365, erases: true },
	/** How long a retired address is retained before its point, label, owner and history are erased. */
	RETIRED_ADDRESSES_KEPT_DAYS: { default: 30, min: 0, max: 3_650, erases: true },
	/** How long a revoked key is retained, so that one can still tell what a leaked key did. */
	REVOKED_KEYS_KEPT_DAYS: { default: 90, min: 0, max: 3_650, erases: true },
	...limitSettings,
} as const satisfies Record<string, { default: number; min: number; max: number; erases?: true }>;

type NumberName = keyof typeof numberSettings;

export const numberNames = Object.keys(numberSettings) as NumberName[];

/** The names of those that, if ignored, would let something be erased earlier than was meant, and for good. */
export const erasingNumbers: readonly string[] = numberNames.filter((name) => "erases" in numberSettings[name]);

/** The settings in force, by name. */
export type NumberSettings = Readonly<Record<NumberName, number>>;
