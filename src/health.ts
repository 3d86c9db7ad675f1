/** Whether the service is up, for monitors and for the smoke test of a deployment. */

import * as z from "zod/mini";
import { type Database, databaseBytes } from "./db/open.ts";
import { beforeDeadline } from "./deadline.ts";
import { json } from "./http/answer.ts";
import { anyone, endpoint } from "./http/endpoint.ts";
import { lazy, type ValueOf } from "./lazy.ts";
import type { Registry } from "./registry.ts";
import { answered, described } from "./schemas.ts";
import { SECOND } from "./time.ts";
import type { ZoneEdition } from "./zones/locate.ts";
import { openZoneLocator } from "./zones/open-locator.ts";

/** What has not answered by then does not answer. */
const PATIENCE = 2 * SECOND;

/** How long an isolate repeats what the database said, so that asking for it costs the database nothing. */
const REMEMBERED = 5 * SECOND;

const said = new WeakMap<Database, { at: number; answer: Awaited<ReturnType<typeof succeeds>> }>();

/** Whether the database answers, or did so within the last five seconds. */
async function databaseHealth({ bindings, database, now }: Registry): ReturnType<typeof succeeds> {
	const last = said.get(database);
	if (last && now - last.at < REMEMBERED) return last.answer;
	const answer = await succeeds(databaseBytes(bindings));
	said.set(database, { at: now, answer });
	return answer;
}

const part = lazy(() => z.enum(["ok", "unavailable"]));

const healthSchema = answered("Health", () => ({
	status: described(z.enum(["ok", "degraded"]), "`ok` when all parts answer."),
	version: described(z.string(), "The deployed version of the service, or `local`.", "local", { maxLength: 64 }),
	database: described(
		part(),
		"Whether the database answered within two seconds when it was last asked, at most five seconds ago.",
	),
	zone_index: described(part(), "Whether the zone index can be read within two seconds."),
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
		"Says which version runs, and whether the database and the zone index answer. Answers 200 as long as the service runs, because caches still resolve codes while a part is unavailable.",
	access: anyone,
	answer: json(200, healthSchema, "The service runs."),
	handle: async ({ c }) => {
		let zones: ZoneEdition | null = null;
		const readEdition = async () => {
			zones = await openZoneLocator(c.env).edition();
		};
		const [database, zoneIndex] = await Promise.all([databaseHealth(c.get("registry")), succeeds(readEdition())]);
		return {
			status: database === "ok" && zoneIndex === "ok" ? ("ok" as const) : ("degraded" as const),
			version: c.env.VERSION?.id || "local",
			database,
			zone_index: zoneIndex,
			zones,
		};
	},
});
