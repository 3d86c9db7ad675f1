/** When the hourly job last began, which tells whether it is alive. */
import type { Bindings } from "../env.ts";

const LAST_RUN = "watch/last-run";

/** When the hourly job last began, in milliseconds since the epoch; null before its first run. */
export async function lastHourlyRun({ ZONES }: Bindings): Promise<number | null> {
	const text = await (await ZONES.get(LAST_RUN))?.text();
	return text ? Number(text) : null;
}

/** Records that a run begins. Returns false if another has begun for the same moment, which would send the same alerts again. */
export async function beginRun({ ZONES }: Bindings, now: number): Promise<boolean> {
	const last = await ZONES.get(LAST_RUN);
	if ((await last?.text()) === String(now)) return false;
	const onlyIf = last ? { etagMatches: last.etag } : { etagDoesNotMatch: "*" };
	return (await ZONES.put(LAST_RUN, String(now), { onlyIf })) !== null;
}
