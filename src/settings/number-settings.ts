import { limitSettings } from "./limits.ts";
import { retentionSettings } from "./retention.ts";

/**
 * The numbers that an operator may set: the default, the least and the most. The unit is part of the name. A variable of the same name in
 * wrangler.toml overrides the default. All other numbers are constants; those of limits are in src/settings/limits.ts, and those
 * of waiting in src/time/wait-times.ts.
 */
export const numberSettings = {
	...retentionSettings,
	...limitSettings,
} as const satisfies Record<string, { default: number; min: number; max: number; erases?: true }>;

type NumberName = keyof typeof numberSettings;

export const numberNames = Object.keys(numberSettings) as NumberName[];

/** The names of those that, if ignored, would let something be erased earlier than was meant, and for good. */
export const erasingNumbers: readonly string[] = numberNames.filter((name) => "erases" in numberSettings[name]);

/** The settings in force, by name. */
export type NumberSettings = Readonly<Record<NumberName, number>>;
