/** Units of time, in milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A time in milliseconds since the epoch as the API writes it (RFC 3339, UTC). */
export function timestamp(time: number): string {
	return new Date(time).toISOString();
}

/** Like `timestamp`; null for null. */
export function timestampOrNull(time: number | null): string | null {
	return time === null ? null : timestamp(time);
}
