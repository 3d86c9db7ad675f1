import { env } from "cloudflare:workers";
import { vi } from "vitest";

/** How many statements the Worker sent to the real D1 meanwhile. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
	const prepare = vi.spyOn(env.DB, "prepare");
	try {
		await work();
		return prepare.mock.calls.length;
	} finally {
		prepare.mockRestore();
	}
}
