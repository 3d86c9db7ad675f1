import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

/** A folder of its own for a file of tests, until these are over. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(path.join(tmpdir(), "address-registry-"));
	afterAll(() => rmSync(folder, { recursive: true }));
	return folder;
}
