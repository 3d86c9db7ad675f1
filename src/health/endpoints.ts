/** Whether the service is up, for monitors and for the smoke test of a deployment. */

import * as z from "zod/mini";
import type { Database } from "../db/open.ts";
import { AppError } from "../errors.ts";
import { json } from "../http/answer.ts";
import { anyone, endpoint } from "../http/endpoint.ts";
import { type JournalIncident, journalState } from "../jobs/journal-state.ts";
import { lastHourlyRun } from "../jobs/last-run.ts";
import type { Registry } from "../registry.ts";
import { answered, described } from "../schemas/common.ts";
import { lazy, type ValueOf } from "../schemas/lazy.ts";
import { beforeDeadline } from "../time/deadline.ts";
import { HOUR, SECOND } from "../time/time.ts";
import type { ZoneEdition } from "../zones/locate.ts";
import { openZoneLocator } from "../zones/open-locator.ts";

/** How long a part may take to answer, in milliseconds, before it counts as unavailable. */
const PATIENCE = 2 * SECOND;

/** How long an isolate repeats a database's last answer, in milliseconds, so that frequent checks cost the database nothing. */
const REMEMBERED = 5 * SECOND;

/** Ages in milliseconds past which the hourly job is dead, or the journal behind. */
const RUN_AGE_MAX = 3 * HOUR;
const QUEUE_AGE_MAX = 3 * HOUR;

interface DatabaseHealth {
	at: number;
	answer: Awaited<ReturnType<typeof succeeds>>;
	oldest: number | null;
	incident: JournalIncident | null;
}

const said = new WeakMap<Database, DatabaseHealth>();

/**
 * Whether a database answers, since when its oldest change has waited for the journal, and what is wrong between the two; as found within
 * the last five seconds.
 */
async function databaseHealth(database: Database, now: number): Promise<DatabaseHealth> {
	const last = said.get(database);
	if (last && now - last.at < REMEMBERED) return last;
	const found: DatabaseHealth = { at: now, answer: "unavailable", oldest: null, incident: null };
	found.answer = await succeeds(
		journalState(database).then(({ queuedSince, incident }) => {
			found.oldest = queuedSince;
			found.incident = incident;
		}),
	);
	said.set(database, found);
	return found;
}

const runs = new WeakMap<Database, { at: number; lastRun: number | null }>();

/** When the hourly job last ran, as the bucket said within the last five seconds; null if it does not answer. */
async function lastRunOf({ bindings, database, now }: Registry): Promise<number | null> {
	const last = runs.get(database);
	if (last && now - last.at < REMEMBERED) return last.lastRun;
	const lastRun = await beforeDeadline(lastHourlyRun(bindings), PATIENCE, "late").catch(() => null);
	runs.set(database, { at: now, lastRun });
	return lastRun;
}

const strictSchema = lazy(() =>
	z.strictObject({
		strict: described(
			z.optional(z.enum(["", "1", "true"])),
			"Answers 503 while the status is `degraded`. It needs no value, as in `/healthz?strict`.",
			"true",
		),
	}),
);

/** What may be wrong between databases and the bucket, the gravest first. */
const INCIDENTS = ["database_behind", "bucket_behind", "journal_newer"] as const satisfies JournalIncident[];

const ageSchema = lazy(() => z.nullable(z.int().with(z.gte(0))));

const part = lazy(() => z.enum(["ok", "unavailable"]));

const healthSchema = answered("Health", () => ({
	status: described(
		z.enum(["ok", "degraded"]),
		"`ok` when all parts answer and belong together in time, the hourly job has run in the last three hours, and no change has waited longer for the journal.",
	),
	version: described(z.string(), "The deployed version of the service, or `local`.", "local", { maxLength: 64 }),
	database: described(
		part(),
		"Whether the database answered within two seconds when it was last asked, at most five seconds ago.",
	),
	databases: described(
		z.optional(z.record(z.string().with(z.meta({ maxLength: 17 })), part())),
		"Whether each database of addresses answered, by its name, where there are several.",
		{ DB_NG: "ok" },
	),
	zone_index: described(part(), "Whether the zone index can be read within two seconds."),
	hourly_job_age_seconds: described(
		ageSchema(),
		"How long ago the hourly job last ran. It is null before its first run.",
		840,
		{ format: "int32" },
	),
	journal_wait_seconds: described(
		ageSchema(),
		"How long the oldest change has waited to be written into the journal. It is null when none waits.",
		null,
		{ format: "int32" },
	),
	storage: described(
		z.enum(["together", ...INCIDENTS]),
		"Whether the databases and the bucket belong together in time, as found within the last five minutes. `database_behind`: a database was rolled back, and refuses new addresses. `bucket_behind`: the bucket is new, or an older copy. `journal_newer`: the journal has newer entries than rows that wait for it.",
		"together",
	),
	zones: described(
		z.nullable(
			z.object({
				edition: described(z.int().with(z.gte(1), z.lte(65_535)), "The number of the edition of the zone index.", 2, {
					format: "int32",
				}),
				digest: described(
					z.string().with(z.regex(/^[0-9a-f]{64}$/)),
					"SHA-256 of the contents of the zone index, in hexadecimal.",
					"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
					{ maxLength: 64 },
				),
			}),
		),
		"The zone index that is served. It is null while it cannot be read.",
	),
}));

/** Whether an attempt succeeds in time. */
function succeeds(attempt: Promise<unknown>): Promise<ValueOf<typeof part>> {
	return beforeDeadline(attempt, PATIENCE, "late").then(
		() => "ok",
		() => "unavailable",
	);
}

export const healthEndpoint = endpoint({
	method: "get",
	path: "/healthz",
	id: "getHealth",
	tag: "Status",
	summary: "Check that the service is up",
	description:
		"Says which version runs, whether the database and the zone index answer, and whether databases and bucket belong together. Answers 200 as long as the service runs, because caches still resolve codes while a part is unavailable. With `?strict` it answers 503 while the status is `degraded`, for monitors that look at the status code alone.",
	access: anyone,
	query: strictSchema,
	errors: ["UNAVAILABLE"],
	answer: json(200, healthSchema, "The service runs."),
	handle: async ({ c, query }) => {
		let zones: ZoneEdition | null = null;
		const readEdition = async () => {
			zones = await openZoneLocator(c.env).edition();
		};
		const registry = c.get("registry");
		const [zoneIndex, lastRun, accounts, ...others] = await Promise.all([
			succeeds(readEdition()),
			lastRunOf(registry),
			...registry.databases.map((db) => databaseHealth(db, registry.now)),
		] as const);
		const all = [accounts, ...others] as DatabaseHealth[];
		const answers = all.map(({ answer }) => answer);
		const [database = "unavailable", ...apart] = answers;
		const databases = Object.fromEntries(apart.map((answer, index) => [registry.databases[index + 1]?.name, answer]));
		const queued = all.flatMap(({ oldest }) => oldest ?? []);
		const ageOf = (time: number | null) => (time === null ? null : Math.max(0, registry.now - time));
		const [runAge, queueAge] = [ageOf(lastRun), ageOf(queued.length > 0 ? Math.min(...queued) : null)];
		const isInTime = (runAge ?? 0) <= RUN_AGE_MAX && (queueAge ?? 0) <= QUEUE_AGE_MAX;
		const incidents = all.flatMap(({ incident }) => incident ?? []);
		const [incident] = INCIDENTS.filter((each) => incidents.includes(each));
		const isOk = zoneIndex === "ok" && isInTime && !incident && answers.every((answer) => answer === "ok");
		if (!isOk && query.strict !== undefined)
			throw new AppError(
				"UNAVAILABLE",
				"A part is unavailable, late or rolled back. GET /healthz without `strict` says which.",
				{
					headers: { "Retry-After": "60" },
				},
			);
		const seconds = (age: number | null) => (age === null ? null : Math.floor(age / SECOND));
		return {
			status: isOk ? ("ok" as const) : ("degraded" as const),
			hourly_job_age_seconds: seconds(runAge),
			journal_wait_seconds: seconds(queueAge),
			version: c.env.VERSION?.id || "local",
			database,
			...(apart.length > 0 ? { databases } : {}),
			storage: incident ?? ("together" as const),
			zone_index: zoneIndex,
			zones,
		};
	},
});
