import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withSections } from "../../.dev/guides.ts";
import { parseCode } from "../../src/codes/code.ts";
import { apiDocument } from "../../src/docs/openapi.ts";
import { perMinute, rateLimitBindings } from "../../src/settings/limits.ts";
import { numberSettings } from "../../src/settings/number-settings.ts";
import { detectionTable } from "../support/detection.ts";

const root = path.join(import.meta.dirname, "../..");
const guides = readdirSync(path.join(root, "src/docs/guides")).map((name) => `src/docs/guides/${name}`);
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const readme = read("README.md");
const guide = (name: string) => read(`src/docs/guides/${name}.md`);
/** The README and all guides. */
const manual = [readme, ...guides.map(read)].join("\n");

function matches(pattern: RegExp): string[] {
	return [...manual.matchAll(pattern)].map(([, found = ""]) => found);
}

/** The anchors of a Markdown text's headings, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
	return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
		title
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, "")
			.replaceAll(" ", "-"),
	);
}

it("the README is short", () => {
	expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(12 * 1024);
});

it.each(["README.md", "zones/README.md", "zones/FORMAT.md", ...guides])("every link in %s leads somewhere", (file) => {
	const links = [...read(file).matchAll(/(?:\]\(|src=")(?!https?:)([^)"#]*)(?:#([^)"]*))?[)"]/g)];
	for (const [, target = "", anchor] of links) {
		const found = target ? path.posix.join(path.posix.dirname(file), target) : file;
		expect(existsSync(path.join(root, found)), `${file} links to ${target}`).toBe(true);
		if (anchor !== undefined) expect(anchorsOf(read(found)), `${file} links to ${found}`).toContain(anchor);
	}
});

it.each(guides)("the tables of %s are those of the code: npm run guides:build writes them", (name) => {
	expect(read(name)).toBe(withSections(read(name)));
});

it("every licence of a bundled package has its text or a link in THIRD-PARTY.md", () => {
	const text = guide("THIRD-PARTY");
	const licences = new Set([...text.matchAll(/^\| \[.*npmjs.*\| ([\w.-]+) \|$/gm)].map(([, licence]) => licence));
	expect(licences.size).toBeGreaterThan(1);
	for (const licence of licences)
		expect(text).toMatch(new RegExp(`^## The ${licence} License$|\\[${licence}\\]\\(`, "m"));
});

it("the README leads to every guide", () => {
	for (const name of guides) expect(readme).toContain(`](${name})`);
});

/** What the platform counts in a minute, by its bindings. */
const quotas = Object.values(perMinute).map(({ quota }) => [`PER_MINUTE_${quota}`, quota] as const);

describe("the README and the guides agree with the code on", () => {
	it("the commands: each that it names exists, and each that exists is named", () => {
		const { scripts } = JSON.parse(read("package.json")) as { scripts: object };
		const ofNpm = ["ci", "install", "pkg"];
		const found = matches(/npm (?:run )?(?:--silent )?([a-z][a-z:]*)/g);
		const named = new Set(found.filter((name) => !ofNpm.includes(name)));
		const parts = ["test:unit", "test:readme", "build", "bundle:size"];
		expect([...named].sort()).toEqual(
			Object.keys(scripts)
				.filter((name) => !parts.includes(name))
				.sort(),
		);
	});

	it("the events of the log: each that it names exists, and each that exists is named", () => {
		const src = path.join(root, "src");
		const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
			.filter((name) => /\.tsx?$/.test(name))
			.map((name) => readFileSync(path.join(src, name), "utf8"));
		const logged = sources.flatMap((text) =>
			[...text.matchAll(/\b(?:log|logTurnedAway|showSuspicion)\(.{0,60}?, "([a-z_]+)"/g)].map(([, event]) => event),
		);
		const named = [...guide("log").matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, events = ""]) =>
			events.slice(1, -1).split("`, `"),
		);
		expect(named.sort()).toEqual([...new Set(logged)].sort());
	});

	it("the settings: each that it names exists, each that exists is named, and numbers stand with their defaults", () => {
		const bound = new Set([...read("src/env.ts").matchAll(/^\t([A-Z_]+)\??: /gm)].map(([, name = ""]) => name));
		const rows = [...guide("operate").matchAll(/^\| `([A-Z_\d]+)` \| [^|]+ \| ([^|]*) \| [^|]+ \|$/gm)];
		const named = rows.map(([, name = "", unset = ""]) => [name, unset.trim()] as const);
		const settable = [...Object.keys(numberSettings), ...rateLimitBindings];
		expect(named.map(([name]) => name).sort()).toEqual([...bound, ...settable, "ZONES_FILE"].sort());
		const defaults = Object.entries(numberSettings).map(([name, limit]) => [name, limit.default] as const);
		const unset = new Map(named);
		for (const [name, value] of [...defaults, ...quotas])
			expect(unset.get(name), name).toBe(value.toLocaleString("en"));
	});

	it("the policy of limits: wrangler.toml and its staging hold its numbers", () => {
		const toml = read("wrangler.toml");
		for (const prefix of ["", "env.staging."]) {
			const limits = [
				...toml.matchAll(
					new RegExp(
						`^\\[\\[${prefix}ratelimits\\]\\]\nname = "(\\w+)"\nnamespace_id = "\\d+"\nsimple = \\{ limit = (\\d+), period = 60 \\}$`,
						"gm",
					),
				),
			].map(([, name = "", limit]) => [name, Number(limit)]);
			expect(Object.fromEntries(limits), prefix).toEqual(Object.fromEntries(quotas));
		}
		expect(new Set(toml.match(/namespace_id = "\d+"/g)).size).toBe(2 * rateLimitBindings.length);
	});

	it("the endpoints", () => {
		const documented = Object.keys(apiDocument("https://addr.example").paths);
		const named = new Set(matches(/(?:GET|POST|BASE|`)[ ]?(\/v1\/[\w/{}$.-]*[\w}])/g));
		expect(named.size).toBeGreaterThan(5);
		const patterns = documented.map((name) => new RegExp(`^${name.replace(/\{\w+\}/g, "(\\{\\w+\\}|\\$CODE)")}/?$`));
		for (const name of named)
			expect(patterns.some((pattern) => pattern.test(name)) || name === "/v1/auth", name).toBe(true);
	});

	it("the folders of src", () => {
		const folders = readdirSync(path.join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
		for (const { name } of folders) expect(readme).toMatch(new RegExp(`^  ${name}/ `, "m"));
	});

	it("what the check digit catches, and on its example", () => {
		expect(guide("develop")).toContain(detectionTable());
		const codes = [...matches(/\b(NG-\d{4}-\d{5})\b/g)];
		expect(codes).not.toEqual([]);
		for (const code of codes) expect(() => parseCode(code)).not.toThrow();
	});
});
