import { env } from "cloudflare:workers";
import { vi } from "vitest";

/** How many statements the Worker sent to the real D1 meanwhile. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
	// Every session is of one class, and public reads have a session.
	const sessions = Object.getPrototypeOf(env.DB.withSession()) as D1DatabaseSession;
	const prepares = [vi.spyOn(env.DB, "prepare"), vi.spyOn(sessions, "prepare")];
	try {
		await work();
		return prepares.reduce((sum, { mock }) => sum + mock.calls.length, 0);
	} finally {
		for (const prepare of prepares) prepare.mockRestore();
	}
}
