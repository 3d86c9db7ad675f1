/** Writes a sentence for each validation fault that has no message of its own. */
import type * as z from "zod/mini";

/** JSON types with their articles. */
const typeNames: Readonly<Record<string, string>> = {
	string: "a text",
	number: "a number",
	int: "a whole number",
	boolean: "true or false",
	object: "an object",
	array: "a list",
	null: "null",
};

/** The unit of a bound, by the kind of value. */
const units: Readonly<Record<string, string>> = { string: " character", array: " item" };

function bound({ origin }: { origin: string }, count: number | bigint): string {
	const unit = units[origin];
	return `${count}${unit ? unit + (Number(count) === 1 ? "" : "s") : ""}`;
}

/** A sentence that says how to correct an input. It never repeats the input, which may be a secret. */
export function faultText(issue: z.core.$ZodRawIssue): string {
	switch (issue.code) {
		case "invalid_type":
			if (issue.input === undefined) return "This is required.";
			// A parameter of a query that is sent twice is a list too.
			if (Array.isArray(issue.input) && issue.expected !== "object") return "Send one value, not several.";
			return `Send ${typeNames[issue.expected] ?? "another type of value"}.`;
		case "too_big":
			return `Send at most ${bound(issue, issue.maximum)}.`;
		case "too_small":
			return `Send at least ${bound(issue, issue.minimum)}.`;
		case "invalid_value":
			return `Send ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}.`;
		case "invalid_format":
			return "This does not have the documented form.";
		default:
			return "This is not as documented.";
	}
}
