import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../..");

it("every insert of the Worker goes through insertRow, which names its columns", () => {
	const files = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter(
		(file) => file !== path.join("src", "db", "rows.ts") && !file.startsWith(path.join("src", "cli")),
	);
	expect(files.length).toBeGreaterThan(50);
	const inserting = files.filter((file) =>
		/\.insert\(\w+\)\s*\.(values|select)|insert into/i.test(readFileSync(path.join(root, file), "utf8")),
	);
	expect(inserting).toEqual([]);
});
