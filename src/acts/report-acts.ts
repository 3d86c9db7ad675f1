/** What operators do about reports. */
import * as z from "zod/mini";
import { type AddressCode, parseCode } from "../codes/code.ts";
import type { Statement } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import { findReport } from "../reports/actions.ts";
import { DECISIONS, reportParameterSchema } from "../reports/schemas.ts";
import type { Report } from "../reports/store.ts";
import * as reportStore from "../reports/store.ts";
import { described, named } from "../schemas/common.ts";
import { type Act, type ActContext, act, type Deed, reason, type Target } from "./act.ts";
import { addressOfCode, hiding, ownerOfCode, retirement, retiring } from "./address-acts.ts";

/** A report by its id. An act on a report is recorded as an act on its address. */
export const report: Target<ActContext & { id: string; code: AddressCode }, { id: string }, Report> = {
	name: "report",
	path: "reports/{id}",
	params: reportParameterSchema,
	example: "rpt_7dN3kq0vXW2mZrB8cT5yLa",
	printedBy: "reports",
	errors: ["NOT_FOUND"],
	async find(registry, { id }) {
		const { canonical } = await findReport(registry, id);
		const code = parseCode(canonical);
		return { id, code, subject: canonical, userId: await ownerOfCode(registry, code), db: registry.databaseOf(code) };
	},
	idOf: ({ id }) => id,
};

/** Turns a refusal by the address of a report into a refusal of the decision. @throws Any other error, as it is. */
function refusedDecision(error: unknown): Error {
	if (!(error instanceof AppError && error.code.startsWith("ADDRESS_"))) throw error;
	return invalidField("decision", `${error.detail} To close the report, decide "nothing".`);
}

/** The same statement, with any refusal by the address turned into a refusal of the decision. */
function deciding(statement: Statement): Statement {
	const refusal = async (reason: string) => {
		const error = await statement.refusal(reason);
		return error instanceof AppError && error.code.startsWith("ADDRESS_") ? refusedDecision(error) : error;
	};
	return { ...statement, refusal };
}

const decisionRequest = named(
	{ id: "ReportDecision", examples: [{ decision: "nothing", reason: "The pin is at the gate." }] },
	() =>
		z
			.strictObject({
				decision: described(z.enum(DECISIONS), "What is done about it.", "nothing"),
				...retirement(),
				reason: described(reason(), "Why. The reporter and the owner read it.", "The pin is at the gate."),
			})
			.with(
				z.refine(({ decision, successor }) => decision === "retire" || successor === undefined, {
					path: ["successor"],
					message: "Only an address that is retired has a successor.",
				}),
			),
);

export const reportActs: Act[] = [
	act({
		name: "report-text",
		on: report,
		path: "text",
		id: "showReportText",
		summary: "Let the owner read a report",
		description: "Until then, the owner of the address sees only the kind and the point of the report.",
		button: "Let the owner read this report",
		done: "The owner of the address can read the report now.",
		offer: ({ text, textShownAt }) => (text && textShownAt === null ? {} : undefined),
		plan: ({ now }, { id }) => ({
			detail: id,
			statements: { isReport: reportStore.assertReport({ id }), shown: reportStore.showText({ id, at: now }) },
		}),
	}),
	act({
		name: "decide",
		on: report,
		id: "decideReport",
		summary: "Decide a report",
		description:
			"Does nothing about it, hides its address or retires it for good. If the address is retired already, only `nothing` closes the report. The reporter and the owner of the address read the reason. A decision is final.",
		button: "Decide this report",
		done: "Report decided.",
		body: decisionRequest,
		offer: ({ decision }) => (decision === null ? {} : undefined),
		async plan(registry, { id, code }, { decision, successor, reason }): Promise<Deed> {
			const settled = { id, decision, reason, decidedAt: registry.now };
			const statements = { isOpen: reportStore.assertOpen(settled), decided: reportStore.decide(settled) };
			if (decision === "nothing") return { detail: `nothing ${id}`, statements };
			const close = async () => {
				const address = await addressOfCode(registry, code);
				return decision === "hide" ? hiding(registry, address, true) : retiring(registry, address, successor);
			};
			const change = await close().catch((error) => {
				throw refusedDecision(error);
			});
			const changing = Object.entries(change.statements).map(([name, one]) => [name, deciding(one)] as const);
			return {
				...change,
				detail: [decision, change.detail, id].filter(Boolean).join(" "),
				statements: { ...statements, ...Object.fromEntries(changing) },
			};
		},
	}),
];
