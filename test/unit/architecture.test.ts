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

/** The texts of the files below a folder, by their paths from the root. */
function textsBelow(folder: string): Map<string, string> {
	return new Map(filesBelow(folder).map((file) => [file, readFileSync(path.join(root, file), "utf8")]));
}

/** What the Worker and the command line are made of. */
const sources = textsBelow("src");
/** The same, and the builder of the zones. */
const withBuilder = new Map([...sources, ...textsBelow("zones")]);

/** What a file imports: project files as paths from the root, packages by name. Type imports bind as much as others. */
function importsOf(file: string): string[] {
	const specifiers = [...(withBuilder.get(file) ?? "").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
		([, specifier = ""]) => specifier,
	);
	return specifiers.map((specifier) =>
		specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : specifier,
	);
}

/** The project files of which a file imports more than types. */
function valueImportsOf(file: string): string[] {
	const imports = [...(sources.get(file) ?? "").matchAll(/^import (type )?(?:\{([^}]*)\}|[^{]*?) from "(\.[^"]+)"/gm)];
	return imports
		.filter(([, isType, names]) => !isType && !names?.split(",").every((name) => /^\s*(type |$)/.test(name)))
		.map(([, , , specifier = ""]) => path.posix.join(path.posix.dirname(file), specifier));
}

/** Migrations that drop what the version before them no longer reads, each with that version. */
const AFTER_LAST_READER: string[] = [];

/** What a migration drops, renames or rebuilds. A trigger may be dropped where it is made anew. */
function takenAway(migration: string): string[] {
	const statements = migration.replaceAll(/^\s*--(?!>).*$/gm, "").replaceAll(/'(?:[^']|'')*'/g, "''");
	const found = statements.matchAll(
		/\bdrop (?:(table|index|column|view|trigger) )?(?:if exists )?[`"]?(\w+)|\brename\b|__new_|on delete cascade/gi,
	);
	return Array.from(found, ([text, kind = "", name = ""]) => ({ text, kind, name }))
		.filter(
			({ kind, name }) =>
				kind.toLowerCase() !== "trigger" || !new RegExp(`create trigger [\`"]?${name}\\b`, "i").test(statements),
		)
		.map(({ text }) => text);
}

/** A file that holds SQL. */
const STORE = /[/-]store\.ts$/;

/** The feature folders of src, each of which owns its tables, rules and endpoints. */
const FEATURES =
	/^src\/(accounts|acts|addresses|changes|keys|limits|my|personal-data|print|operate|reports|verification|web|zones)\//;

function violations(rule: (file: string, imported: string) => boolean, imports = importsOf): string[] {
	return [...sources.keys()].flatMap((file) =>
		imports(file)
			.filter((imported) => rule(file, imported))
			.map((imported) => `${file} imports ${imported}`),
	);
}

/** Every node on a cycle of a graph, with the path that leads back to it. */
function cyclesOf(edges: Map<string, Set<string>>): string[] {
	const found: string[] = [];
	const proved = new Set<string>();
	const visit = (node: string, path: string[]) => {
		if (path.includes(node)) found.push([...path.slice(path.indexOf(node)), node].join(" > "));
		else if (!proved.has(node)) for (const next of edges.get(node) ?? []) visit(next, [...path, node]);
		proved.add(node);
	};
	for (const node of edges.keys()) visit(node, []);
	return found;
}

/** The imports inside src and the builder as a graph, of files or of what `nodeOf` makes of them. */
function graph(nodeOf: (file: string) => string): Map<string, Set<string>> {
	const edges = new Map<string, Set<string>>();
	for (const file of withBuilder.keys()) {
		const node = nodeOf(file);
		const targets = importsOf(file)
			.filter((imported) => withBuilder.has(imported))
			.map(nodeOf)
			.filter((target) => target !== node);
		edges.set(node, new Set([...(edges.get(node) ?? []), ...targets]));
	}
	return edges;
}

/** What must not be imported, by the reason: whether a file that imports another breaks the rule. */
const FORBIDDEN: Record<string, (file: string, imported: string) => boolean> = {
	"http and db know no feature": (file, imported) => /^src\/(http|db)\//.test(file) && FEATURES.test(imported),
	"the documentation is made by the build, and the Worker loads none of what makes it": (file, imported) =>
		imported.startsWith("src/docs/") && !file.startsWith("src/docs/"),
	"drizzle stays with the stores and db": (file, imported) =>
		/^drizzle-orm/.test(imported) && !STORE.test(file) && !file.startsWith("src/db/"),
	"Hono stays with the app, http, endpoints and pages: what does the work knows no request": (file, imported) =>
		(/^(hono|@hono)\b/.test(imported) || imported === "src/http/app-env.ts") &&
		!/^src\/((app|pages)\.ts|(http|web|forms|my|docs|operate\/pages)\/|[\w-]+\/([\w-]+-)?endpoints\.ts$)/.test(file),
	"cookies are read and set in one place": (file, imported) =>
		imported === "hono/cookie" && file !== "src/forms/cookies.ts",
	"forms are those of the console and of operators' pages": (file, imported) =>
		imported.startsWith("src/forms/") && !/^src\/(forms|my|operate\/pages)\//.test(file),
	"the list of pages alone knows the console": (file, imported) =>
		imported.startsWith("src/my/") && !/^src\/(my\/|pages\.ts)/.test(file),
	"nothing in src needs the tests": (_, imported) => imported.startsWith("test/"),
	"the command line alone needs the builder of the zones, and stays out of the Worker": (file, imported) =>
		/^(zones|src\/cli)\//.test(imported) && !file.startsWith("src/cli/"),
	"codes knows nothing else": (file, imported) =>
		file.startsWith("src/codes/") && !/^src\/(codes\/|errors\.ts)|^open-/.test(imported),
	"points and print know no feature": (file, imported) =>
		/^src\/(points|print)\//.test(file) && FEATURES.test(imported) && !imported.startsWith("src/print/"),
};

/** What stands in some files alone: the pattern that finds it in a text, and the files that may have it. */
const CONFINED: Record<string, [pattern: RegExp, files: RegExp]> = {
	"the documents' schemas are made in one place": [/toJSONSchema/, /^src\/docs\/openapi\.ts$/],
	"every insert of the Worker goes through insertRow, which names its columns": [
		/\.insert\(\w+\)\s*\.(values|select)|insert into/i,
		/^src\/(cli\/|db\/rows\.ts)/,
	],
	"D1 stays with db": [/\bD1Database\b/, /^src\/(env\.ts|db\/|cli\/)/],
	"R2 stays with the zone source and the journal": [
		/\bR2Bucket\b/,
		/^src\/((env|basemap\/archive|(accounts\/account-|addresses\/)journal|zones\/(r2-source|open-locator))\.ts|(cli|journal)\/)/,
	],
	"no file names the header of cookies": [/["'`](set-)?cookie["'`]/i, /^$/],
	"the binding of the database is read in one place, and the settings prove it": [
		/\bDB\b/,
		/^src\/((cli|docs)\/|(env|db\/(open|database-of-code)|settings\/database-bindings)\.ts$)/,
	],
};

/** Files of addresses that also ask the database of accounts, or all of them. */
const OF_ACCOUNTS = /^src\/addresses\/(batch|databases-of-owner|enumeration|mint|settle-actions|feed-actions)\.ts$/;

describe("the architecture of the source", () => {
	it("no files import each other in a cycle", () => {
		expect(cyclesOf(graph((file) => file))).toEqual([]);
	});

	it("no folders import each other in a cycle", () => {
		const folders = graph((file) => (file.split("/").length > 2 ? path.posix.dirname(file) : file));
		expect(cyclesOf(folders)).toEqual([]);
	});

	it("finds an import cycle where there is one", () => {
		const edges = (text: string) => {
			const arrows = text.split(" ").map((arrow) => arrow.split(">") as [string, string]);
			return new Map(
				[...Map.groupBy(arrows, ([from]) => from)].map(([from, to]) => [from, new Set(to.map((t) => t[1]))]),
			);
		};
		expect(cyclesOf(edges("a>b b>c b>a"))).toEqual(["a > b > a"]);
		expect(cyclesOf(edges("a>b a>c b>c"))).toEqual([]);
	});

	it.each(Object.entries(FORBIDDEN))("%s", (_, rule) => {
		expect(violations(rule)).toEqual([]);
	});

	it.each(Object.entries(CONFINED))("%s", (_, [pattern, files]) => {
		const found = [...sources].filter(([file, text]) => pattern.test(text) && !files.test(file));
		expect(found.map(([file]) => file)).toEqual([]);
		// A pattern that finds nothing where it may stand has gone stale.
		if (files.source !== "^$") expect([...sources].some(([, text]) => pattern.test(text))).toBe(true);
	});

	it("what is asked of addresses goes to the database of their code, or to all", () => {
		const asked = [...sources].filter(
			([file, text]) =>
				/^src\/((addresses|changes|reports)\/|acts\/report-)/.test(file) &&
				!OF_ACCOUNTS.test(file) &&
				/registry\.database\b|\{[^{}]*\bdatabase\b[^{}]*\}(: \w+)? = registry\b/.test(text),
		);
		expect(asked.map(([file]) => file)).toEqual([]);
	});

	it("no feature uses the store of another", () => {
		// An act is of the feature that it acts on.
		const acted = { account: "accounts", address: "addresses", key: "keys", report: "reports" } as Record<
			string,
			string
		>;
		const feature = (file: string) =>
			acted[/^src\/acts\/(\w+)-acts\.ts$/.exec(file)?.[1] ?? ""] ?? FEATURES.exec(file)?.[1];
		expect(
			violations(
				(file, imported) => STORE.test(imported) && feature(file) !== undefined && feature(file) !== feature(imported),
				valueImportsOf,
			),
		).toEqual([]);
	});

	it("the stores of addresses name their tables alone, and no other store names any of them", () => {
		const ofAddresses = [
			"addresses",
			"addressChanges",
			"attestations",
			"units",
			"privateReads",
			"overflowZones",
			"lastCodes",
			"burntCodes",
			"closedOwners",
			"journalQueue",
			"changes",
			"homes",
		];
		/** Each database has its own rows of it. */
		const ofAny = ["journalWritten"];
		const tables = Object.entries(schema).flatMap(([name, table]) =>
			isTable(table) ? [{ name, sqlName: getTableName(table) }] : [],
		);
		for (const [file, text] of [...sources].filter(([file]) => STORE.test(file))) {
			const imports = [...text.matchAll(/import \{([^}]*)\} from "\.\.\/db\/schema\.ts"/g)];
			const imported = imports.flatMap(([, names = ""]) => names.split(/[\s,]+/));
			const written = [...text.matchAll(/\b(?:from|into|update|join)\s+(\w+)/g)].map(([, word]) => word);
			const named = tables
				.filter(({ name, sqlName }) => imported.includes(name) || written.includes(sqlName))
				.map(({ name }) => name);
			// A store that is put together from others names none itself.
			expect(named.length > 0 || /from "\.\/[\w-]+-store\.ts"/.test(text), file).toBe(true);
			const allowed = named.filter(
				(name) => ofAny.includes(name) || ofAddresses.includes(name) === file.startsWith("src/addresses/"),
			);
			expect(named, file).toEqual(allowed);
		}
	});

	it("an address is read with the closing of its owner's account: what it is by itself is known to a few stores alone", () => {
		// What reads it, and why: the columns of readers; the walk through an owner's addresses; a mint; a retirement; the owner's list of
		// retired ones; what is erased; what is renewed even while it is closed.
		const knowing = ["address-columns", "closing", "code", "change", "list", "erasure", "renewal"];
		const naming = [...sources].filter(([, text]) => /\bretiredItselfAt\b/.test(text)).map(([file]) => file);
		expect(naming.sort()).toEqual(
			[...knowing.map((name) => `src/addresses/${name}-store.ts`), "src/db/schema.ts"].sort(),
		);
	});

	it("a file name tells what is in it: few occur twice besides those of the parts that every feature has", () => {
		const ofEveryFeature = /^(([\w-]+-)?(endpoints|actions|schemas|store)|acts|routes|messages-\w+)\.tsx?$/;
		const names = [...sources.keys()].map((file) => path.posix.basename(file));
		const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index && !ofEveryFeature.test(name)));
		expect(twice.size, [...twice].join(", ")).toBeLessThanOrEqual(6);
	});

	it("lines have at most 140 characters, those of texts and data aside", () => {
		const token =
			/"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[=(,:[!&|?{;\n]\s*)\/(?![*/])(?:\\.|[^/\\\n])+\/|\/\*[\s\S]*?\*\/|\/\/.*/g;
		/** A file with nothing between the quotes of its texts and the slashes of its patterns. */
		const withoutTexts = (text: string) =>
			text.replace(token, (found) => (/^\/[*/]/.test(found) ? found : found.replace(/[^\n]/g, "")));
		const long = [...sources].flatMap(([file, text]) =>
			withoutTexts(text)
				.split("\n")
				.flatMap((line, index) => (line.length > 140 ? [`${file}:${index + 1}`] : [])),
		);
		expect(withoutTexts('a("b", /"/, `c\nd`) // "e"')).toBe('a(, , \n) // "e"');
		expect(long).toEqual([]);
	});

	it("folders are at most two deep", () => {
		expect([...sources.keys()].filter((file) => file.split("/").length > 4)).toEqual([]);
	});

	it("the top level holds the agreed files and dot-files only", () => {
		const agreed =
			/^(\..+|LICENSE|README\.md|migrations|package(-lock)?\.json|src|test|tsconfig\.json|wrangler\.toml|zones)$/;
		const made = ["node_modules", "dist", "coverage"];
		expect(readdirSync(root).filter((name) => !agreed.test(name) && !made.includes(name))).toEqual([]);
	});

	it("migrations after the baseline only add, so that the version before works with their tables", () => {
		expect(takenAway("DROP TABLE a;")).toEqual(["DROP TABLE a"]);
		expect(takenAway("ALTER TABLE `a` DROP COLUMN `b`;--> statement-breakpoint\ndrop index c;")).toHaveLength(2);
		expect(takenAway("ALTER TABLE a RENAME TO b")).toHaveLength(1);
		expect(takenAway("CREATE TABLE `__new_a` (`b` text)")).toHaveLength(1);
		expect(takenAway("DROP TRIGGER t;")).toEqual(["DROP TRIGGER t"]);
		expect(takenAway("DROP TRIGGER t;\nCREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;")).toEqual([]);
		expect(takenAway("-- Nobody may drop table a.\nALTER TABLE a ADD b text DEFAULT 'drop table a' NOT NULL;")).toEqual(
			[],
		);

		const names = readdirSync(path.join(root, "migrations")).filter((name) => name.endsWith(".sql"));
		expect(names.sort().slice(0, 2)).toEqual(["0000_tables.sql", "0001_triggers.sql"]);
		for (const name of names.filter((name) => !AFTER_LAST_READER.includes(name)))
			expect([name, ...takenAway(readFileSync(path.join(root, "migrations", name), "utf8"))]).toEqual([name]);
	});
});
