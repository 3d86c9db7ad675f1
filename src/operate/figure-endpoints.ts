import * as z from "zod/mini";
import { CODES_PER_ZONE } from "../codes/code.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { figuresOf } from "../jobs/watch.ts";
import { answered, arrayOf, described, timeOrNullSchema, timeSchema } from "../schemas/common.ts";
import { timestamp, timestampOrNull } from "../time/time.ts";
import { forOperators } from "./operator-endpoint.ts";

const count = (description: string) =>
	described(z.int().with(z.gte(0), z.lte(Number.MAX_SAFE_INTEGER)), description, 12);

const countsBy = (example: string, description: string, maxItems: number) =>
	arrayOf(
		z.object({ name: z.string().with(z.meta({ maxLength: 64, examples: [example] })), count: count(description) }),
		maxItems,
	);

const figuresSchema = answered("Figures", () => ({
	issued_today: countsBy("NG", "Addresses created today (UTC).", 300),
	issued: described(
		z.nullable(
			z.object({
				counted_at: timeSchema(),
				countries: countsBy("NG", "Codes ever issued, also of retired and erased addresses.", 300),
				fullest_zones: countsBy("NG0311", `Codes ever issued in the zone, of about ${CODES_PER_ZONE}.`, 20),
			}),
		),
		"All codes ever issued, as last counted. It is null until the hourly job has counted them.",
	),
	database_bytes: count("How large the database is. It can hold 10,000,000,000."),
	unrecorded: count("Addresses whose newest version is not in the journal yet, up to 10,000."),
	last_backup_at: described(timeOrNullSchema(), "When the last verified backup began."),
	reports: z.object({ waiting: count("Reports that wait for a decision."), oldest_at: timeOrNullSchema() }),
	failed_sign_ins: z.object({
		count: count("Failed sign-ins of the last day, up to 10,000."),
		phones: count(
			"The phone numbers that were tried. Many of them mean that somebody tries common passwords on many accounts.",
		),
	}),
	suspicious_today: countsBy("enumeration", "How often it was logged today (UTC).", 100),
	suspicious_yesterday: countsBy("enumeration", "How often it was logged the day before.", 100),
}));

export const operatorFigureEndpoints: Endpoint[] = [
	endpoint({
		...forOperators("get", "figures"),
		id: "getFigures",
		summary: "Read the figures of the registry",
		description:
			"Says what was issued, how full the zones and the database are, what waits for operators, and what looks like an attack. The hourly job counts all codes ever issued, 100,000 at a time.",
		answer: json(200, figuresSchema, "The figures."),
		handle: async ({ registry: { bindings, now } }) => {
			const figures = await figuresOf(bindings, now);
			const { counted, reports } = figures;
			return {
				issued_today: figures.issuedToday,
				issued: counted
					? {
							counted_at: timestamp(counted.at),
							countries: counted.countries,
							fullest_zones: counted.zones.slice(0, 20),
						}
					: null,
				database_bytes: figures.databaseBytes,
				unrecorded: figures.unrecorded,
				last_backup_at: timestampOrNull(figures.backedUpAt ?? null),
				reports: { waiting: reports.count, oldest_at: timestampOrNull(reports.oldest ?? null) },
				failed_sign_ins: figures.failedSignIns,
				suspicious_today: figures.eventsToday,
				suspicious_yesterday: figures.eventsYesterday,
			};
		},
	}),
];
