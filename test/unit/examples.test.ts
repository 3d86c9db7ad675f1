/** The examples of docstrings say what the functions return. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../../src");

/** Each line of an `@example` that tells a result: its file, the call, and what that returns. */
const examples = ["client", "codes", "points"].flatMap((folder) =>
	readdirSync(path.join(root, folder))
		.filter((name) => name.endsWith(".ts"))
		.flatMap((name) => {
			const file = `${folder}/${name}`;
			const lines = readFileSync(path.join(root, file), "utf8").matchAll(/^ \* (\w.*\)(?:\??\.\w+)?) \/\/ (.+)$/gm);
			return Array.from(lines, ([, call = "", result = ""]) => [file, call, result] as const);
		}),
);

const evaluate = (expression: string, names: Record<string, unknown>) =>
	new Function(...Object.keys(names), `return (${expression});`)(...Object.values(names)) as unknown;

it.each(examples)("%s: %s", async (file, call, result) => {
	const module = (await import(path.join(root, file))) as Record<string, unknown>;
	expect(evaluate(call, module)).toEqual(evaluate(result, {}));
});

it("finds the examples", () => {
	expect(examples.length).toBeGreaterThan(12);
});
