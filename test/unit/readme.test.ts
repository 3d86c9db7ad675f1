import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseCode } from "../../src/addresses/code.ts";
import { apiDocument } from "../../src/docs/openapi.ts";
import { type Bindings, readConfig } from "../../src/env.ts";
import { detectionTable } from "../support/detection.ts";

const root = path.join(import.meta.dirname, "../..");
const readme = readFileSync(path.join(root, "README.md"), "utf8");

function matches(pattern: RegExp): string[] {
	return [...readme.matchAll(pattern)].map(([, found = ""]) => found);
}

describe("the README agrees with the code on", () => {
	it("the commands: each that it names exists, and each that exists is named", () => {
		const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { scripts: object };
		const named = new Set(matches(/npm (?:run )?([a-z][a-z:]*)/g).filter((name) => name !== "ci"));
		const parts = ["test:unit", "test:readme", "build", "bundle:size"];
		expect([...named].sort()).toEqual(
			Object.keys(scripts)
				.filter((name) => !parts.includes(name))
				.sort(),
		);
	});

	it("the settings and their defaults", () => {
		const binding = {} as D1Database & R2Bucket & Fetcher & RateLimit;
		const env: Bindings = {
			DB: binding,
			ZONES: binding,
			ASSETS: binding,
			AUTH_CALLS: binding,
			PASSWORD_CALLS: binding,
			LOOKUPS: binding,
			BATCHES: binding,
			LAST_LOOKUPS: binding,
			LAST_SIGN_INS: binding,
			JWT_SECRETS: `a:${"s".repeat(32)}`,
		};
		for (const [name, value] of Object.entries(readConfig(env).limits)) {
			expect(readme).toContain(`| \`${name}\` | variable | ${value.toLocaleString("en")} |`);
		}
		for (const name of [...Object.keys(env), "WEB_URL", "API_KEY_PREFIX", "OTP_GATEWAY_URL", "OTP_GATEWAY_TOKEN"]) {
			expect(readme).toContain(`\`${name}\``);
		}
	});

	it("the events of the log: each that it names exists, and each that exists is named", () => {
		const src = path.join(root, "src");
		const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
			.filter((name) => /\.tsx?$/.test(name))
			.map((name) => readFileSync(path.join(src, name), "utf8"));
		const logged = sources.flatMap((text) =>
			[...text.matchAll(/\blog\(.{0,60}?, "([a-z_]+)"/g)].map(([, event]) => event),
		);
		const [, chapter = ""] = /^## The log$([\s\S]*?)^## /m.exec(readme) ?? [];
		const named = [...chapter.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, events = ""]) =>
			events.slice(1, -1).split("`, `"),
		);
		expect(named.sort()).toEqual([...new Set(logged)].sort());
	});

	it("the rate limits, which the platform keeps", () => {
		const toml = readFileSync(path.join(root, "wrangler.toml"), "utf8");
		const limits = [
			...toml.matchAll(/name = "([A-Z_]+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = (\d+) \}/g),
		];
		const within = new Map(
			limits.map(([, name = "", limit, period]) => [
				name,
				`${Number(limit).toLocaleString("en")} per ${period === "60" ? "minute" : `${period} seconds`}`,
			]),
		);
		const rows = [...readme.matchAll(/^\| (`[^|]*`) \| rate limit bindings? \| ([^|]*) \| per (minute|10 seconds) /gm)];
		const named = rows.flatMap(([, names = "", numbers = "", period]) => {
			const limitsOfRow = numbers.split(/, /);
			return names
				.split(", ")
				.map((name, index) => [name.slice(1, -1), `${limitsOfRow[index]} per ${period}`] as const);
		});
		expect(new Map(named)).toEqual(within);
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
		expect(readme).toContain(detectionTable());
		const codes = [...matches(/\b(NG-\d{4}-\d{5})\b/g)];
		expect(codes).not.toEqual([]);
		for (const code of codes) expect(() => parseCode(code)).not.toThrow();
	});
});
