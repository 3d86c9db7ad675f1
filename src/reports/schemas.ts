/** Requests and answers about reports. */
import * as z from "zod/mini";
import { canonical, canonicalParameterSchema } from "../addresses/code-schemas.ts";
import { lazy } from "../lazy.ts";
import { lineOfText, timeSchema } from "../schemas.ts";
import { latitude, longitude } from "../zones/schemas.ts";

/** Longest text of a report and of the answer to it, in Unicode code points. */
export const REPORT_CHARACTERS_MAX = 300;

/** Reports of one address that its holder is shown: the newest. */
export const REPORTS_SHOWN_MAX = 100;

const REASON_CHARACTERS_MAX = 500;

/** What can be wrong with an address, in the order in which a form asks. */
export const REPORT_KINDS = ["wrong_place", "gone", "no_access", "duplicate", "offensive", "other"] as const;

/** What an operator can do about a report. */
export const DECISIONS = ["nothing", "hide", "retire"] as const;

const kind = lazy(() =>
	z.enum(REPORT_KINDS).with(z.meta({ description: "What is wrong with the address.", examples: ["wrong_place"] })),
);

const timeOrNull = lazy(() => z.nullable(timeSchema()).with(z.meta({ examples: [null] })));

const id = lazy(() =>
	z
		.string()
		.with(z.meta({ description: "The id of the report.", maxLength: 64, examples: ["rpt_7dN3kq0vXW2mZrB8cT5yLa"] })),
);

const text = (description: string, example: string) =>
	lineOfText(REPORT_CHARACTERS_MAX).with(
		z.meta({ description, maxLength: REPORT_CHARACTERS_MAX, examples: [example] }),
	);

export const newReportSchema = lazy(() =>
	z
		.strictObject({
			kind: kind(),
			text: z._default(
				text("What the operator should know. The holder of the address reads it only if the operator allows it.", ""),
				"",
			),
			lat: z.optional(latitude().schema),
			lng: z.optional(longitude().schema),
		})
		.with(
			z.superRefine(({ lat, lng }, { addIssue }) => {
				if ((lat === undefined) === (lng === undefined)) return;
				const path = [lat === undefined ? "lat" : "lng"];
				addIssue({ code: "custom", path, message: "Send lat and lng together." });
			}),
		)
		.register(z.globalRegistry, {
			id: "NewReport",
			examples: [{ kind: "wrong_place", text: "The gate is on the other side.", lat: 6.5246, lng: 3.3791 }],
		}),
);

export const reportCreatedSchema = lazy(() =>
	z
		.object({
			id: id(),
			status_url: z.url().with(
				z.meta({
					maxLength: 400,
					description: "A secret page that says what was decided. It is shown nowhere else.",
					examples: ["https://addr.example/reports/rpt_7dN3kq0vXW2mZrB8cT5yLa"],
				}),
			),
		})
		.register(z.globalRegistry, { id: "ReportCreated" }),
);

export const reportParameterSchema = lazy(() => z.object({ id: id() }));
export const ownReportParameterSchema = lazy(() => z.extend(canonicalParameterSchema(), { id: id() }));

export const reportStatusSchema = lazy(() =>
	z
		.object({
			kind: kind(),
			created_at: timeSchema(),
			state: z.enum(["open", "decided"]),
			decision: z.optional(z.enum(DECISIONS)).with(
				z.meta({
					description:
						"What the operator did: nothing, hide the address or retire it. It is missing while the report waits.",
					examples: ["nothing"],
				}),
			),
			reason: z.optional(z.string()).with(
				z.meta({
					maxLength: REASON_CHARACTERS_MAX,
					description: "Why, in the operator's words.",
					examples: ["The holder has moved the pin to the gate."],
				}),
			),
		})
		.register(z.globalRegistry, { id: "ReportStatus" }),
);

const reportShape = lazy(() => ({
	...reportStatusSchema().shape,
	id: id(),
	point: z.nullable(z.object({ lat: latitude().schema, lng: longitude().schema })).with(
		z.meta({
			description: "Where the address should be, as the reporter says; null where they do not.",
			examples: [{ lat: 6.5246, lng: 3.3791 }],
		}),
	),
	answer: text("What the holder of the address answered; empty where they have not.", ""),
	answered_at: timeOrNull(),
	decided_at: timeOrNull(),
}));

export const ownReportSchema = lazy(() =>
	z
		.object({
			...reportShape(),
			text: z
				.nullable(text("What the reporter wrote; null unless the operator lets you read it.", ""))
				.with(z.meta({ examples: [null] })),
		})
		.register(z.globalRegistry, { id: "OwnReport" }),
);

export const ownReportListSchema = lazy(() =>
	z
		.object({ data: z.array(ownReportSchema()).with(z.meta({ maxItems: REPORTS_SHOWN_MAX })) })
		.register(z.globalRegistry, { id: "OwnReportList" }),
);

export const reportAnswerSchema = lazy(() =>
	z
		.strictObject({
			text: text(
				"What you answer. Only the operator reads it.",
				"The gate was moved last week; the pin is right.",
			).with(z.refine((answer) => answer.trim() !== "", "Write an answer.")),
		})
		.register(z.globalRegistry, { id: "ReportAnswer" }),
);

export const operatorReportSchema = lazy(() =>
	z
		.object({
			...reportShape(),
			canonical: canonical(),
			text: text("What the reporter wrote.", "The gate is on the other side."),
			text_shown_at: timeOrNull().with(
				z.meta({ description: "Since when the holder may read the text.", examples: [null] }),
			),
		})
		.register(z.globalRegistry, { id: "OperatorReport" }),
);
