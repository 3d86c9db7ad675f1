/** Whether the service is up, for monitors and for the smoke test of a deployment. */
import * as z from "zod";
import { databaseAnswers } from "./db/open.ts";
import { json } from "./http/answer.ts";
import { anyone, endpoint } from "./http/endpoint.ts";
import { SECOND } from "./time.ts";
import type { ZoneEdition } from "./zones/locate.ts";
import { openZoneLocator } from "./zones/open.ts";

/** What has not answered by then does not answer. */
const PATIENCE = 2 * SECOND;

const part = z.enum(["ok", "unavailable"]);

const healthSchema = z
	.object({
		status: z.enum(["ok", "degraded"]).describe("`ok` when all parts answer."),
		version: z.string().meta({
			maxLength: 64,
			description: "The deployed version of the service, or `local`.",
			examples: ["local"],
		}),
		database: part.describe("Whether the database answers within two seconds."),
		zone_index: part.describe("Whether the zone index can be read within two seconds."),
		zones: z
			.object({
				edition: z
					.int()
					.min(1)
					.max(65_535)
					.meta({ format: "int32", description: "The number of the edition of the zone index.", examples: [2] }),
				digest: z
					.string()
					.regex(/^[0-9a-f]{64}$/)
					.meta({
						maxLength: 64,
						description: "SHA-256 of the contents of the zone index, in hexadecimal.",
						examples: ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
					}),
			})
			.nullable()
			.describe("The zone index that is served. It is null while it cannot be read."),
	})
	.meta({ id: "Health" });

/** Whether an attempt succeeds in time. */
async function succeeds(attempt: Promise<unknown>): Promise<z.infer<typeof part>> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise((_, reject) => {
		timer = setTimeout(() => reject(new Error("late")), PATIENCE);
	});
	try {
		await Promise.race([attempt, late]);
		return "ok";
	} catch {
		return "unavailable";
	} finally {
		clearTimeout(timer);
	}
}

export const healthEndpoint = endpoint(
	{
		method: "get",
		path: "/healthz",
		id: "getHealth",
		tag: "Status",
		summary: "Check that the service is up",
		description:
			"Says which version runs, and whether the database and the zone index answer. Answers 200 as long as the service runs, because caches still resolve codes while a part is unavailable.",
		access: anyone,
		answer: json(200, healthSchema, "The service runs."),
	},
	async ({ c }) => {
		let zones: ZoneEdition | null = null;
		const readEdition = async () => {
			zones = await openZoneLocator(c.env).edition();
		};
		const [database, zoneIndex] = await Promise.all([succeeds(databaseAnswers(c.env)), succeeds(readEdition())]);
		return {
			status: database === "ok" && zoneIndex === "ok" ? ("ok" as const) : ("degraded" as const),
			version: c.env.VERSION?.id || "local",
			database,
			zone_index: zoneIndex,
			zones,
		};
	},
);
