import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { getTableName, isTable } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import * as schema from "../../src/db/schema.ts";

const root = path.join(import.meta.dirname, "../..");

function filesBelow(folder: string): string[] {
	return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
		.filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
		.map((name) => path.posix.join(folder, name.replaceAll(path.sep, "/")));
}

const sources = new Map(filesBelow("src").map((file) => [file, readFileSync(path.join(root, file), "utf8")]));

/** What a file imports: project files as paths from the root, packages by name. Type imports bind as much as others. */
function importsOf(file: string): string[] {
	const specifiers = [...(sources.get(file) ?? "").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
		([, specifier = ""]) => specifier,
	);
	return specifiers.map((specifier) =>
		specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : specifier,
	);
}

/** From the top of the house down; a file may import from its own floor and from those below. */
const floors: [name: string, member: RegExp][] = [
	["entry", /^src\/index\.ts$/],
	["app", /^src\/app\.ts$/],
	["doors", /^src\/http\/|^src\/web\/|\/operations\.ts$|\/routes\.tsx?$|\.tsx$/],
	[
		"use cases",
		/^src\/(addresses\/(attest|mint|resolve|manage|record|cursor|schemas)|accounts\/(accounts|identify|phone-proof|record|session|schemas)|keys\/(keys|schemas)|limits\/(daily-quota|failed-logins)|verification\/(otp|schemas)|zones\/(find|schemas))\.ts$/,
	],
	["input and output", /\/store\.ts$|^src\/db\/|^src\/zones\/(r2-source|open)\.ts$|^src\/verification\/gateway\.ts$/],
	["settings", /^src\/env\.ts$/],
	["pure", /./],
];

function floorOf(file: string): number {
	return floors.findIndex(([, member]) => member.test(file));
}

function violations(rule: (file: string, imported: string) => boolean): string[] {
	return [...sources.keys()].flatMap((file) =>
		importsOf(file)
			.filter((imported) => rule(file, imported))
			.map((imported) => `${file} imports ${imported}`),
	);
}

describe("the house keeps its walls", () => {
	it("imports point down only", () => {
		expect(
			violations(
				(file, imported) =>
					imported.startsWith("src/") && !imported.endsWith("src/errors.ts") && floorOf(imported) < floorOf(file),
			),
		).toEqual([]);
	});

	it("hono stays with the doors, drizzle and D1 with the stores, R2 with the zone source", () => {
		expect(violations((file, imported) => /^hono(\/|$)|^@hono\//.test(imported) && floorOf(file) > 2)).toEqual([]);
		expect(
			violations((file, imported) => /^drizzle-orm/.test(imported) && !/\/store\.ts$|^src\/db\//.test(file)),
		).toEqual([]);
		const typed = (pattern: RegExp, allowed: RegExp) =>
			[...sources].filter(([file, text]) => pattern.test(text) && !allowed.test(file)).map(([file]) => file);
		expect(typed(/\bD1Database\b/, /^src\/(env\.ts|db\/)/)).toEqual([]);
		expect(typed(/\bR2Bucket\b/, /^src\/(env|zones\/(r2-source|open))\.ts$/)).toEqual([]);
	});

	it("features speak to each other through use cases, doors and pure files, never through another's store", () => {
		const feature = (file: string) => /^src\/(addresses|accounts|keys|limits|verification|zones)\//.exec(file)?.[1];
		expect(
			violations(
				(file, imported) =>
					imported.endsWith("/store.ts") && feature(file) !== undefined && feature(file) !== feature(imported),
			),
		).toEqual([]);
	});

	it("the binding of the database is read in one place, and the settings prove it", () => {
		expect([...sources].filter(([, text]) => /\bDB\b/.test(text)).map(([file]) => file)).toEqual([
			"src/env.ts",
			"src/db/open.ts",
		]);
	});

	it("the store of addresses names their tables alone, and no other store names any of them", () => {
		const ofAddresses = ["addresses", "attestations", "overflowZones", "lastCodes", "burntCodes"];
		const tables = Object.entries(schema).flatMap(([name, table]) =>
			isTable(table) ? [{ name, sqlName: getTableName(table) }] : [],
		);
		for (const [file, text] of [...sources].filter(([file]) => file.endsWith("/store.ts"))) {
			const imports = [...text.matchAll(/import \{([^}]*)\} from "\.\.\/db\/schema\.ts"/g)];
			const imported = imports.flatMap(([, names = ""]) => names.split(/[\s,]+/));
			const written = [...text.matchAll(/\b(?:from|into|update|join)\s+(\w+)/g)].map(([, word]) => word);
			const named = tables
				.filter(({ name, sqlName }) => imported.includes(name) || written.includes(sqlName))
				.map(({ name }) => name);
			expect(named, file).not.toEqual([]);
			const allowed = named.filter((name) => ofAddresses.includes(name) === (file === "src/addresses/store.ts"));
			expect(named, file).toEqual(allowed);
		}
	});

	it("nothing in src needs the builder or the tests", () => {
		expect(violations((_, imported) => /^(zones|test)\//.test(imported))).toEqual([]);
	});

	it("files hold one idea each, and folders are at most two deep", () => {
		for (const [file, text] of sources) {
			expect(text.split("\n").length, file).toBeLessThan(321);
			expect(file.split("/").length, file).toBeLessThanOrEqual(3);
		}
	});

	it("the top level holds what the user named, and dot-files", () => {
		const named = [
			"LICENSE",
			"README.md",
			"migrations",
			"package-lock.json",
			"package.json",
			"src",
			"test",
			"tsconfig.json",
			"wrangler.toml",
			"zones",
		];
		const found = readdirSync(root).filter(
			(name) => !name.startsWith(".") && !["node_modules", "dist", "coverage"].includes(name),
		);
		expect(found.filter((name) => !named.includes(name))).toEqual([]);
	});

	it("no migration rebuilds a table, which would delete its children on D1", () => {
		for (const name of readdirSync(path.join(root, "migrations")).filter((name) => name.endsWith(".sql"))) {
			expect(readFileSync(path.join(root, "migrations", name), "utf8"), name).not.toMatch(/__new_|on delete cascade/i);
		}
	});
});
