/** Requests and answers about reports. */
import * as z from "zod/mini";
import { canonical, canonicalParameterSchema } from "../addresses/code-schemas.ts";
import { latitude, longitude } from "../addresses/zone-schemas.ts";
import {
	answered,
	arrayOf,
	described,
	identifier,
	lineOfText,
	named,
	sent,
	timeOrNullSchema,
	timeSchema,
} from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";

/** Longest text of a report and of the answer to it, in Unicode code points. */
export const REPORT_CHARACTERS_MAX = 300;

/** The most reports of one address that its owner is shown: the newest. */
export const REPORTS_SHOWN_MAX = 100;

const REASON_CHARACTERS_MAX = 500;

/** The kinds of reports, in the order in which a form offers them. */
export const REPORT_KINDS = ["wrong_place", "gone", "no_access", "duplicate", "offensive", "other"] as const;

/** The decisions that an operator can make about a report. */
export const DECISIONS = ["nothing", "hide", "retire"] as const;

const kind = lazy(() => described(z.enum(REPORT_KINDS), "What is wrong with the address.", "wrong_place"));

const id = lazy(() => identifier("rpt", "The id of the report."));

const text = (description: string, example: string) =>
	described(lineOfText(REPORT_CHARACTERS_MAX), description, example, { maxLength: REPORT_CHARACTERS_MAX });

export const newReportSchema = named(
	{
		id: "NewReport",
		examples: [{ kind: "wrong_place", text: "The gate is on the other side.", lat: 6.5246, lng: 3.3791 }],
	},
	() =>
		z
			.strictObject({
				kind: kind(),
				text: z._default(
					text("What the operator should know. The owner of the address reads it only if the operator allows it.", ""),
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
			),
);

export const reportCreatedSchema = answered("ReportCreated", () => ({
	id: id(),
	status_url: described(
		z.url(),
		"A secret page that says what was decided. It is shown nowhere else.",
		"https://addr.example/reports/rpt_7dN3kq0vXW2mZrB8cT5yLa",
		{ maxLength: 400 },
	),
}));

export const reportParameterSchema = lazy(() => z.object({ id: id() }));
export const ownReportParameterSchema = lazy(() => z.extend(canonicalParameterSchema(), { id: id() }));

export const reportStatusSchema = answered("ReportStatus", () => ({
	kind: kind(),
	created_at: timeSchema(),
	state: z.enum(["open", "decided"]),
	decision: described(
		z.optional(z.enum(DECISIONS)),
		"What the operator did: nothing, hide the address or retire it. It is missing while the report waits.",
		"nothing",
	),
	reason: described(
		z.optional(z.string()),
		"Why, in the operator's words.",
		"The owner has moved the pin to the gate.",
		{ maxLength: REASON_CHARACTERS_MAX },
	),
}));

const reportShape = lazy(() => ({
	...reportStatusSchema().shape,
	id: id(),
	point: described(
		z.nullable(z.object({ lat: latitude().schema, lng: longitude().schema })),
		"Where the address should be, as the reporter says; null where they do not.",
		{ lat: 6.5246, lng: 3.3791 },
	),
	answer: text("What the owner of the address answered; empty where they have not.", ""),
	answered_at: timeOrNullSchema(),
	decided_at: timeOrNullSchema(),
}));

export const ownReportSchema = answered("OwnReport", () => ({
	...reportShape(),
	text: z
		.nullable(text("What the reporter wrote; null unless the operator lets you read it.", ""))
		.with(z.meta({ examples: [null] })),
}));

export const ownReportListSchema = answered("OwnReportList", () => ({
	data: arrayOf(ownReportSchema(), REPORTS_SHOWN_MAX),
}));

export const reportAnswerSchema = sent("ReportAnswer", () => ({
	text: text("What you answer. Only the operator reads it.", "The gate was moved last week; the pin is right.").with(
		z.refine((answer) => answer.trim() !== "", "Write an answer."),
	),
}));

export const operatorReportSchema = answered("OperatorReport", () => ({
	...reportShape(),
	canonical: canonical(),
	text: text("What the reporter wrote.", "The gate is on the other side."),
	text_shown_at: described(timeOrNullSchema(), "Since when the owner may read the text.", null),
}));
