/** Opens a zone index with this version's reader, and compares this version's own index with it, as a deployment does where there are addresses. */
import { readFileSync } from "node:fs";
import { readEdition } from "../zones/edition.ts";
import { checkPublication } from "../zones/publish-check.ts";

const [file = ""] = process.argv.slice(2);
const before = readFileSync(file);
const { directory } = await readEdition(before);
await checkPublication(readFileSync("zones/world.zones"), before, async () => []);
console.log(`${file}: edition ${directory.edition} can be read, and followed by zones/world.zones`);
