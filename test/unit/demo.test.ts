import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { displayCode, parseCode } from "../../src/codes/code.ts";
import { DEMO_CODE } from "../../src/codes/demo.ts";
import { llmsText } from "../../src/docs/llms.ts";
import { apiDocument } from "../../src/docs/openapi.ts";
import { problemHelp } from "../../src/docs/problem-help.ts";
import { AppError } from "../../src/errors.ts";

const root = path.join(import.meta.dirname, "../..");

/** Whether a text is a code with a right check digit. */
function isCode(text: string): boolean {
	try {
		return parseCode(text).canonical.length > 0;
	} catch (error) {
		if (error instanceof AppError) return false;
		throw error;
	}
}

it("every example of a code is the demo address, so that a reader who tries it gets an answer", () => {
	const texts = {
		"README.md": readFileSync(path.join(root, "README.md"), "utf8"),
		openapi: JSON.stringify(apiDocument("https://addr.example")),
		llms: llmsText("https://addr.example"),
		problems: JSON.stringify(problemHelp),
	};
	for (const [name, text] of Object.entries(texts)) {
		const codes = text.match(/\b[A-Z]{2}([- ]?)\d{4}\1\d{5}\b/g)?.filter(isCode) ?? [];
		expect(codes.length, name).toBeGreaterThan(0);
		for (const code of codes) expect([DEMO_CODE, displayCode(DEMO_CODE)], name).toContain(code);
	}
});
