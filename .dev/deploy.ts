/**
 * Puts the registry on Cloudflare, and brings it up to date there: `npm run deploy`. Safe to repeat.
 *
 * `--env staging` deploys `[env.staging]` of wrangler.toml, `--zones FILE` another zone index than the published one, and `--dry-run`
 * prints each step and changes nothing.
 */
import { parseArgs } from "node:util";
import { adviceOn } from "./advice.ts";
import { deploymentSteps } from "./deployment.ts";
import { smokeTest } from "./smoke.ts";
import { planSteps, runSteps, StepError } from "./steps.ts";
import { createWrangler, readWorkerConfig } from "./wrangler.ts";
import { proveIndex } from "./zone-index.ts";

const { values: options } = parseArgs({
	options: {
		env: { type: "string", default: "" },
		zones: { type: "string", default: "zones/world.zones" },
		"dry-run": { type: "boolean", default: false },
	},
});
const config = readWorkerConfig(options.env);
const say = (line: string) => console.log(line);

const steps = deploymentSteps({
	wrangler: createWrangler(),
	config,
	environment: options.env,
	indexFile: options.zones,
	proveIndex,
	smoke: (url, version) => smokeTest(url, { version }),
	say,
	isLogged: Boolean(process.env.CI),
});

try {
	if (options["dry-run"]) {
		await planSteps(steps, say);
		say("\nThis was a dry run: nothing has been changed.");
	} else {
		await runSteps(steps, say, adviceOn);
		say("\nThe registry is deployed.");
		for (const next of nextSettings()) say(`- ${next}`);
	}
} catch (error) {
	if (!(error instanceof StepError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}

/** What a registry should have before it is used in earnest, and this one has not. */
function nextSettings(): string[] {
	const table = options.env ? `[env.${options.env}` : "[";
	return [
		!config.hasOwnDomain &&
			`Set a domain of your own in wrangler.toml: routes = [{ pattern = "addr.example", custom_domain = true }]. On workers.dev nothing is kept at the edge.`,
		!config.webUrl &&
			`Set WEB_URL under ${table ? `${table === "[" ? "[vars]" : `${table}.vars]`}` : ""} in wrangler.toml before anybody prints a sign: every QR code contains it.`,
		(!config.hasOwnDomain || !config.webUrl) && "Then run this command again.",
	].filter((line) => line !== false);
}
