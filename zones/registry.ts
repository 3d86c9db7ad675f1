/** Queries a registry's database about its zone numbers. */
import { execFileSync } from "node:child_process";
import { DEMO_CODE } from "../src/codes/demo.ts";
import { SANDBOX_COUNTRY } from "../src/codes/sandbox.ts";
import { OperatorError } from "./faults.ts";

/** Answers a query with its rows. */
export type Query = (sql: string) => Promise<Array<Record<string, unknown>>>;

/** The rows in the output of `wrangler d1 execute --json`. */
function rowsOf(output: string): Array<Record<string, unknown>> {
	const [answer] = JSON.parse(output) as Array<{ results: Array<Record<string, unknown>> }>;
	return answer!.results;
}

/** What `wrangler d1 execute --json` says when it fails: its own words in JSON, or nothing but an exit code. */
function failureOf(error: Error & { stdout?: unknown }): string {
	try {
		return (JSON.parse(String(error.stdout)) as { error: { text: string } }).error.text;
	} catch {
		return error.message;
	}
}

/**
 * Returns a function that queries a D1 database of this checkout, or one on Cloudflare, by its binding.
 * @throws OperatorError if a query fails, from the function it returns.
 */
export function databaseQuery(where: "local" | "remote", binding = "DB"): Query {
	const tables = where === "local" ? "npm start" : "npm run deploy";
	return async (sql) => {
		try {
			const output = execFileSync("wrangler", ["d1", "execute", binding, `--${where}`, "--json", "--command", sql], {
				encoding: "utf8",
				stdio: ["ignore", "pipe", "inherit"],
				env: { ...process.env, CI: "true", CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_SEND_METRICS: "false" },
			});
			return rowsOf(output);
		} catch (cause) {
			if (!(cause instanceof Error && ("status" in cause || "code" in cause))) throw cause;
			const failure = failureOf(cause);
			const advice = failure.includes("no such table") ? `\nIts tables are made by ${tables}.` : "";
			throw new OperatorError(`The ${where} database cannot be asked: ${failure}${advice}`, { cause });
		}
	};
}

/** The database that the options `--local` and `--remote` of a command name; undefined for neither. */
export function queryOf({
	local,
	remote,
}: {
	local?: boolean | undefined;
	remote?: boolean | undefined;
}): Query | undefined {
	if (remote) return databaseQuery("remote");
	return local ? databaseQuery("local") : undefined;
}

/** Numbers that full zones have opened, by country, ascending. Those of the sandbox, which is in no index, are left out. */
export async function openedNumbers(query: Query): Promise<Map<string, number[]>> {
	const opened = new Map<string, number[]>();
	const rows = await query(
		`select country, zone from overflow_zones where country <> '${SANDBOX_COUNTRY}' order by country, zone`,
	);
	for (const { country, zone } of rows) {
		const known = opened.get(String(country)) ?? [];
		opened.set(String(country), [...known, Number(zone)]);
	}
	return opened;
}

/** Prefixes of codes in one query: D1 takes statements of up to 100,000 bytes, and a call of wrangler over a second. */
const PREFIXES_A_QUERY = 10_000;

/**
 * How many addresses each number has, live or retired; numbers without any are left out. The example in every registry does not count, so
 * that it does not prevent zones of its country from changing.
 * @param prefixes Country and number, such as `NG0421`.
 */
export async function addressesUnder(query: Query, prefixes: readonly string[]): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	for (let from = 0; from < prefixes.length; from += PREFIXES_A_QUERY) {
		const list = JSON.stringify(prefixes.slice(from, from + PREFIXES_A_QUERY));
		// `:` follows `9` in ASCII, so these bounds hold exactly the codes that start with the prefix.
		const rows = await query(`select value as prefix,
			(select count(*) from addresses where canonical between value and value || ':' and canonical <> '${DEMO_CODE}')
			+ (select count(*) from burnt_codes where canonical between value and value || ':') as addresses
			from json_each('${list}')`);
		for (const { prefix, addresses } of rows) if (Number(addresses) > 0) found.set(String(prefix), Number(addresses));
	}
	return found;
}
