/** Writes the OpenAPI document to the file that is named, for the linters: the same that the Worker serves, for an origin in production. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { apiDocument } from "../src/docs/openapi.ts";

const file = process.argv[2];
if (!file) throw new Error("Name the file to write");
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, JSON.stringify(apiDocument("https://addr.example"), null, 2));
