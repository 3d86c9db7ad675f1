/** Builds the zones of the world: `npm run zones:build` writes zones/world.zones and its checksum, always the same bytes. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { compile } from "./compile.ts";
import { planWorld } from "./plan.ts";

const started = performance.now();
const { plan, figures } = planWorld();
const planned = performance.now();
const file = compile(plan);
const written = performance.now();
const digest = createHash("sha256").update(file).digest("hex");
writeFileSync(`${import.meta.dirname}/world.zones`, file);
writeFileSync(`${import.meta.dirname}/world.zones.sha256`, `${digest}  world.zones\n`);
const zones = figures.reduce((sum, country) => sum + country.zones, 0);
console.log(`${zones} zones in ${figures.length} countries, ${file.length} bytes, sha256 ${digest}`);
console.log(
	`planned in ${((planned - started) / 1000).toFixed(1)} s, compiled in ${((written - planned) / 1000).toFixed(1)} s`,
);
