import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Runs `work` with the path of a new folder, which is deleted afterwards. */
export async function withTemporaryFolder<Answer>(work: (folder: string) => Promise<Answer>): Promise<Answer> {
	const folder = mkdtempSync(path.join(tmpdir(), "registry-"));
	try {
		return await work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}
