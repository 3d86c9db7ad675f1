/**
 * All files beside it as one: Vitest gives each file to the process that is free, and three processes would each survey the world, which
 * takes one of them half a minute.
 */
import { readdirSync } from "node:fs";
import { describe } from "vitest";

for (const file of readdirSync(import.meta.dirname)) {
	if (file.endsWith(".test.ts")) describe(file.replace(".test.ts", ""), () => import(`./${file}`));
}
