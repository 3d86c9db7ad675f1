/**
 * Kills and starves a registry that it serves itself, and fails when something is lost, given twice, or answered otherwise than
 * promised. `npm run faults [-- --small] [--part kill,injected,hang,index] [--kills 5] [--port 8807]`
 */
import { parseArgs } from "node:util";
import { type Served, serveRegistry } from "../support/serve.ts";
import { Findings } from "./findings.ts";
import { hang, injectFaults, spoilIndex } from "./injected.ts";
import { killAmidMints } from "./kill.ts";

const { values } = parseArgs({
	options: {
		small: { type: "boolean", default: false },
		part: { type: "string", default: "kill,index,hang,injected" },
		/** How often the runtime is killed amid mints, over one database and over four. */
		kills: { type: "string" },
		port: { type: "string", default: "8807" },
	},
});
const parts = values.part.split(",");
const isSmall = values.small;
const port = Number(values.port);
const findings = new Findings();

const kills = Number(values.kills ?? (isSmall ? 1 : 5));
if (parts.includes("kill")) for (const isApart of [false, true]) await killAmidMints(port, kills, isApart, findings);

const served = await serveRegistry(port, { entry: "test/faults/worker.ts" });
const withFaults: Record<string, (served: Served) => Promise<void>> = {
	index: (on) => spoilIndex(on, findings),
	hang: (on) => hang(on, isSmall, findings),
	injected: (on) => injectFaults(on, isSmall, findings),
};
for (const part of parts) {
	const before = findings.failures.length;
	await withFaults[part]?.(served);
	if (part in withFaults) console.log(`${part}: ${findings.failures.length - before} failures`);
}
await served.stop();
console.log(`${findings.checks} checks, ${findings.failures.length} failures`);
process.exit(findings.failures.length > 0 ? 1 : 0);
