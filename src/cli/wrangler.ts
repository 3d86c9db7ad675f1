/** Runs wrangler, and reads what wrangler.toml says. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { faultOf } from "../env.ts";
import { readDatabases } from "../settings/database-bindings.ts";
import { goneSettings } from "../settings/gone-settings.ts";
import { rateLimitBindings } from "../settings/limits.ts";

/** The result of one run of wrangler. */
interface WranglerRun {
	succeeded: boolean;
	stdout: string;
	/** Why it failed, in wrangler's words and without its colours and log paths. Empty after a success. */
	failure: string;
}

/** What a run of wrangler gets besides its arguments. */
export interface WranglerInput {
	/** Its standard input. */
	input?: string;
	/** Environment variables beside those of this process. */
	variables?: Record<string, string>;
}

/** Runs wrangler with some arguments. It never asks for input. */
export type Wrangler = (args: string[], given?: WranglerInput) => Promise<WranglerRun>;

/** A wrangler command failed. The message has wrangler's own words. */
export class WranglerError extends Error {
	override name = "WranglerError";
}

/** A database as wrangler.toml binds it. */
export interface BoundDatabase {
	/** Such as `DB_NG`, which says what it holds. */
	binding: string;
	/** Its name on Cloudflare. */
	databaseName: string;
}

/** The settings that say who runs a registry. */
const IDENTITY = ["REGISTRY_NAME", "OPERATOR_NAME", "OPERATOR_CONTACT"] as const;
export type IdentityVariable = (typeof IDENTITY)[number];

/** What a Worker's configuration says about the resources that a deployment needs. */
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

/** wrangler's words for why it failed: what follows its first `[ERROR]`, or all of its output if there is none. */
function failureOf(output: string): string {
	const plain = stripVTControlCharacters(output);
	const [, ...errors] = plain.split("[ERROR]");
	return (errors.length > 0 ? errors.join("\n") : plain)
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("🪵"))
		.join("\n");
}

/** Where Node keeps wrangler compiled between its runs: a start takes 1.1 s of CPU time without it, and 0.9 s with it. */
const COMPILED = path.join(import.meta.dirname, "../../node_modules/.cache/compiled-wrangler");

/**
 * Makes a function that runs the project's own wrangler.
 * @param config A configuration to use instead of wrangler.toml.
 */
export function createWrangler(config?: string): Wrangler {
	return async (args, { input = "", variables = {} } = {}) => {
		const child = spawn("wrangler", config && !args.includes("--config") ? [...args, "--config", config] : args, {
			// CI keeps wrangler from asking: what it would ask has been decided here.
			env: {
				NODE_COMPILE_CACHE: COMPILED,
				...process.env,
				CI: "true",
				WRANGLER_SEND_METRICS: "false",
				...variables,
			},
		});
		child.stdin.end(input);
		const output = [once(child, "close"), text(child.stdout), text(child.stderr)] as const;
		const [[code], stdout, stderr] = await Promise.all(output);
		return { succeeded: code === 0, stdout, failure: code === 0 ? "" : failureOf(stderr || stdout) };
	};
}

/** The output of a command that must succeed. @throws WranglerError if it fails. */
export async function outputOf(wrangler: Wrangler, args: string[], given?: WranglerInput): Promise<string> {
	const { succeeded, stdout, failure } = await wrangler(args, given);
	if (!succeeded) throw new WranglerError(failure);
	return stdout;
}

/** wrangler's own type depends on a package that wrangler does not include. */
interface RawConfig {
	name: string;
	vars: Record<string, unknown>;
	d1_databases: { binding: string; database_name: string }[];
	r2_buckets: { binding: string; bucket_name: string; jurisdiction?: string }[];
	ratelimits: { name: string }[];
	compatibility_date: string;
	limits?: object;
	routes?: unknown[];
	route?: unknown;
	workers_dev?: boolean;
}

function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

/** @throws Error if wrangler.toml has no such environment; an empty name stands for the registry itself. */
function requireEnvironment(environment: string, config = "wrangler.toml"): void {
	if (!environment) return;
	const tables = readFileSync(config, "utf8").matchAll(/^\[+env\.([\w-]+)/gm);
	const names = [...new Set([...tables].map(([, name]) => name))];
	if (!names.includes(environment))
		throw new Error(`${config} has no [env.${environment}]; it has ${names.join(", ") || "none"}.`);
}

/**
 * Reads what wrangler.toml says about one environment.
 * @param environment As in `[env.staging]`; the top level when it is empty.
 * @throws Error if wrangler.toml has no such environment, or binds databases by names that the Worker would refuse.
 */
export function readWorkerConfig(environment: string, config = "wrangler.toml") {
	requireEnvironment(environment, config);
	// Loaded only here, because it takes a second, for which a complaint about the arguments need not wait.
	const { unstable_readConfig } = createRequire(import.meta.url)("wrangler") as typeof import("wrangler");
	const raw: RawConfig = unstable_readConfig({ config, env: environment }, { hideWarnings: true });
	const bucket = raw.r2_buckets.find(({ binding }) => binding === "ZONES");
	const bound = raw.d1_databases.map(({ binding, database_name: databaseName }) => ({ binding, databaseName }));
	const [accounts] = bound.filter(({ binding }) => binding === ACCOUNTS);
	if (!accounts || !bucket) {
		throw new Error(
			`${config} has no [env.${environment}] with the bindings DB and ZONES. Add it, or leave --env out to deploy the registry itself.`,
		);
	}
	// What the Worker would refuse is refused before anything is done.
	const names = new Set(readDatabases(bound.map(({ binding }) => binding)).values());
	const { name, vars, routes, route, workers_dev, compatibility_date, limits = {} } = raw;
	return {
		/** The name of the Worker itself. */
		name,
		/** The database of accounts first, then those that hold the addresses of countries or parts of them. */
		databases: [accounts, ...bound.filter(({ binding }) => names.has(binding))],
		bucketName: bucket.bucket_name,
		/** The bucket's jurisdiction, such as `eu`: Cloudflare finds a bucket in a jurisdiction only if the binding names it. */
		bucketJurisdiction: bucket.jurisdiction,
		/** The zone index that the operator has set to be served, if any. */
		zonesFile: textOf(vars.ZONES_FILE),
		/** The country that people mean if they name none (ISO 3166-1 alpha-2), if any. */
		country: textOf(vars.REGISTRY_COUNTRY)?.toUpperCase(),
		/** The URL that one-time codes are posted to, if any. */
		otpGatewayUrl: textOf(vars.OTP_GATEWAY_URL),
		/** What makes the Worker public: its routes, and workers.dev. */
		exposure: { routes: route === undefined ? routes : [route], workers_dev },
		compatibilityDate: compatibility_date,
		/** The limit of CPU time for a request, in milliseconds, which the free plan does not allow to be set. */
		limits,
		/** The public origin that the operator has set, if any. */
		webUrl: textOf(vars.WEB_URL),
		/** The issuer of operators' tokens, if any. */
		operatorsIssuer: textOf(vars.OPERATORS_ISSUER),
		/** What is wrong with the variables, and which are no settings any more, in sentences. */
		unusable: [...Object.entries(vars).flatMap(([name, value]) => faultOf(name, value) ?? []), ...goneSettings(vars)],
		/** The rate limits without which the Worker does not serve, and that wrangler.toml does not bind. */
		unboundRateLimits: rateLimitBindings.filter((binding) => !raw.ratelimits.some((bound) => bound.name === binding)),
		/** The settings that tell people whose registry it is and that are not set. */
		unsetIdentity: IDENTITY.filter((name) => !textOf(vars[name])),
	};
}

/**
 * Writes variables into the table of an environment in wrangler.toml, replacing those of the same name. Empty ones are left out.
 * @param environment As in `[env.staging.vars]`; the top level's `[vars]` when it is empty.
 */
export function writeVariables(environment: string, variables: Record<string, string>, config = "wrangler.toml"): void {
	const header = environment ? `[env.${environment}.vars]` : "[vars]";
	const lines = readFileSync(config, "utf8").trimEnd().split("\n");
	const isHeader = (line: string) => line.trim() === header;
	const given = Object.entries(variables).filter(([, value]) => value !== "");
	if (given.length > 0 && !lines.some(isHeader)) lines.push("", header);
	for (const [name, value] of given) {
		const start = lines.findIndex(isHeader) + 1;
		const found = lines.slice(start).findIndex((line) => /^\s*\[/.test(line) || line.split("=")[0]?.trim() === name);
		const isSet = found !== -1 && !lines[start + found]!.trimStart().startsWith("[");
		// A basic string of TOML takes every escape that JSON writes.
		lines.splice(isSet ? start + found : start, isSet ? 1 : 0, `${name} = ${JSON.stringify(value)}`);
	}
	if (given.length > 0) writeFileSync(config, `${lines.join("\n")}\n`);
}

/**
 * Runs `work` with a copy of wrangler.toml in which the rate limits have numbers of this Worker's own: those of the same number share one
 * count in their account, across Workers. The copy lies beside it, because paths in it are relative, and is gone afterwards. One that a
 * killed deployment leaves is a dot-file that Git ignores, and the next deployment of the Worker takes its place.
 */
export async function withOwnNamespaces<Answer>(
	worker: string,
	work: (config: string) => Promise<Answer>,
): Promise<Answer> {
	const file = `.wrangler.${worker}.toml`;
	const own = readFileSync("wrangler.toml", "utf8").replace(/^(namespace_id = )"(\d+)"/gm, (_, key, id) => {
		const number = createHash("sha256").update(`${worker} ${id}`).digest().readUInt32BE() % 2 ** 31;
		return `${key}"${number}"`;
	});
	writeFileSync(file, own);
	try {
		return await work(file);
	} finally {
		rmSync(file, { force: true });
	}
}
