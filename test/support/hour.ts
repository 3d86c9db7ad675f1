/** The jobs of an hour, as the platform runs them. */
import { env } from "cloudflare:workers";
import { SNAPSHOT_CRON } from "../../src/changes/snapshot.ts";
import { openAllDatabases } from "../../src/db/open.ts";
import { countOn } from "../../src/jobs/watch.ts";
import { MINUTE } from "../../src/time/time.ts";
import { asked } from "./client.ts";
import { isApart } from "./databases.ts";

async function run(time: number, cron: string): Promise<void> {
	const { outcome } = await asked().scheduled({ scheduledTime: new Date(time), cron });
	if (outcome !== "ok") throw new Error(`The job ended with ${outcome}`);
}

/** Runs what an hour brings for the databases besides that of accounts, where the suite has them, and then the hourly job. */
export async function runHour(now = Date.now()): Promise<void> {
	const hour = now - (now % (60 * MINUTE));
	if (isApart) for (let minutes = 0; minutes < 60; minutes += 5) await run(hour + minutes * MINUTE, SNAPSHOT_CRON);
	await run(now, "40 * * * *");
}

/** Counts the codes of the databases besides that of accounts, which the hourly job does not. */
export async function countOthers(now = Date.now()): Promise<void> {
	for (const database of openAllDatabases(env).slice(1)) await countOn(env, now, database);
}

/** Has the hourly job count and alert as in a new registry. */
export async function forgetWatch(): Promise<void> {
	const { objects } = await env.ZONES.list({ prefix: "watch/" });
	await env.ZONES.delete(objects.map(({ key }) => key));
}
