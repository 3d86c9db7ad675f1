/** Builds the zones of the world: `npm run zones:build` writes the index and its checksum, always the same bytes. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "./compile.ts";
import { planWorld } from "./plan.ts";
import { updateReadme } from "./report.ts";

const started = performance.now();
const { plan, figures } = planWorld();
const planned = performance.now();
const file = compile(plan);
const compiled = performance.now();
const digest = createHash("sha256").update(file).digest("hex");
writeFileSync(`${import.meta.dirname}/world.zones`, file);
writeFileSync(`${import.meta.dirname}/world.zones.sha256`, `${digest}  world.zones\n`);
const readme = `${import.meta.dirname}/README.md`;
writeFileSync(readme, updateReadme(readFileSync(readme, "utf8"), figures, file.length, digest));
const zones = figures.reduce((sum, country) => sum + country.zones, 0);
const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
console.log(`${zones} zones in ${figures.length} countries, ${file.length} bytes, sha256 ${digest}`);
console.log(`planned in ${seconds(started, planned)} s, compiled in ${seconds(planned, compiled)} s`);
