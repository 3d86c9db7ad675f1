/** Deploys the registry to Cloudflare, or updates it there. Safe to repeat. */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { readEditionFile } from "../../zones/edition.ts";
import { LOCAL_ISSUER } from "../acts/identity.ts";
import { faultOf } from "../env.ts";
import { runCommand, UsageError } from "./command.ts";
import { deploymentSteps, isLocation, LOCATIONS, type Placement } from "./deployment.ts";
import { smokeTest } from "./smoke.ts";
import { runSteps } from "./steps.ts";
import {
	createWrangler,
	type IdentityVariable,
	readWorkerConfig,
	type WorkerConfig,
	withOwnNamespaces,
	writeVariables,
} from "./wrangler.ts";

const locations = Object.entries(LOCATIONS).map(([name, region]) => `${name.padEnd(4)}  ${region}`);

const USAGE = `Deploy the registry, or bring it up to date:

  npm run deploy                         deploys; it is safe to repeat
  npm run deploy -- --dry-run            prints each step and changes nothing; it exits with 1 if one would fail

  --env NAME             another environment of wrangler.toml, such as staging
  --location NAME        where the first deployment stores the data, which cannot be moved later:
                           ${locations.join("\n                           ")}
  --jurisdiction NAME    stores the data within a jurisdiction, such as eu; wrangler.toml must name it for the bucket too
  --zones FILE           the zone index to serve instead of the current one; by default the file that ZONES_FILE in
                         wrangler.toml names, or else zones/world.zones`;

const PUBLISHED_INDEX = "zones/world.zones";

const say = (line: string) => console.log(line);

async function withTerminal<Answer>(
	ask: (question: (text: string) => Promise<string>) => Promise<Answer>,
): Promise<Answer> {
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	try {
		return await ask(async (text) => (await terminal.question(text)).trim());
	} finally {
		terminal.close();
	}
}

/** Asks where the data is to be stored. It cannot be moved later. */
function askForPlacement(): Promise<Placement> {
	say(`\n  Where will most people create addresses? The data cannot be moved later.\n  ${locations.join("\n  ")}`);
	return withTerminal(async (question) => {
		for (;;) {
			const answer = await question("  Location: ");
			if (isLocation(answer)) return { location: answer };
		}
	});
}

/** The question for each setting that says who runs the registry. */
const IDENTITY_QUESTIONS: Record<IdentityVariable, string> = {
	REGISTRY_NAME: "What is the registry called? Every page and sign says so",
	OPERATOR_NAME: "Who runs it? Pages and the privacy notice name them",
	OPERATOR_CONTACT: "Where can people write to them, such as mailto:office@addr.example or https://...",
};

/** Asks who runs the registry, and writes the answers into wrangler.toml. */
async function askForIdentity({ unsetIdentity }: WorkerConfig, environment: string): Promise<void> {
	if (unsetIdentity.length === 0) return;
	say("\n  Pages say who runs this registry. Press Enter to leave an answer out for now.");
	const answers: Partial<Record<IdentityVariable, string>> = {};
	await withTerminal(async (question) => {
		for (const name of unsetIdentity) {
			do answers[name] = await question(`  ${IDENTITY_QUESTIONS[name]}: `);
			while (faultOf(name, answers[name]));
		}
	});
	writeVariables(environment, answers);
}

/** What this registry still lacks before it is used in earnest. */
function nextSettings(config: WorkerConfig, environment: string): string[] {
	const table = environment ? `[env.${environment}.vars]` : "[vars]";
	const hasOwnDomain = Boolean(config.exposure.routes?.length);
	const next = [
		...config.unusable,
		!hasOwnDomain &&
			`Set a domain of your own in wrangler.toml: routes = [{ pattern = "addr.example", custom_domain = true }]. On workers.dev nothing is cached at the edge.`,
		!config.webUrl &&
			`Set WEB_URL under ${table} in wrangler.toml before anybody prints a sign: every QR code contains it.`,
		config.unsetIdentity.length > 0 &&
			`Set ${config.unsetIdentity.join(", ")} under ${table} in wrangler.toml. Until then no page and no privacy notice says who runs this registry.`,
	].filter((line) => line !== false);
	return next.length > 0 ? [...next, "Then run this command again."] : [];
}

const OPTIONS = {
	env: { type: "string", default: "" },
	zones: { type: "string" },
	location: { type: "string" },
	jurisdiction: { type: "string" },
	"dry-run": { type: "boolean", default: false },
} as const;

await runCommand({ usage: USAGE, options: OPTIONS }, async ({ values }) => {
	const { env: environment, location, jurisdiction, zones } = values;
	if (location !== undefined && !isLocation(location)) {
		throw new UsageError(`--location ${location} is not one of ${Object.keys(LOCATIONS).join(", ")}.`);
	}
	const canAsk = process.stdin.isTTY && !process.env.CI;
	if (canAsk && !values["dry-run"]) await askForIdentity(readWorkerConfig(environment), environment);
	const config = readWorkerConfig(environment);
	if (config.operatorsIssuer === LOCAL_ISSUER) {
		throw new Error(
			"OPERATORS_ISSUER is `local` in wrangler.toml, which works only on a developer's machine. Name your identity provider.",
		);
	}
	if (config.unboundRateLimits.length > 0) {
		throw new Error(
			`wrangler.toml binds no rate limit ${config.unboundRateLimits.join(", ")}. Copy the [[ratelimits]] tables of this version into it.`,
		);
	}
	const indexFile = zones ?? config.zonesFile ?? PUBLISHED_INDEX;
	if (!existsSync(indexFile))
		throw new UsageError(`There is no zone index ${indexFile}. Name another file with --zones.`);
	await readEditionFile(indexFile);
	await withOwnNamespaces(config.name, async (file) => {
		const steps = deploymentSteps({
			wrangler: createWrangler(file),
			config,
			environment,
			indexFile,
			isIndexChosen: zones !== undefined || config.zonesFile !== undefined,
			placement: { location, jurisdiction: jurisdiction ?? config.bucketJurisdiction },
			...(canAsk ? { askForPlacement } : {}),
			smoke: (url, version) => smokeTest(url, { version, worker: config.name }),
			say,
			isLogged: Boolean(process.env.CI),
		});
		await runSteps(steps, say, values["dry-run"]);
		if (values["dry-run"]) return say("\nThis was a dry run: nothing has been changed.");
		say("\nThe registry is deployed.");
		for (const next of nextSettings(config, environment)) say(`- ${next}`);
	});
});
