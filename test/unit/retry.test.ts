import { DrizzleQueryError } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { retryIdempotent } from "../../src/db/retry.ts";

/** A write that fails as D1 does, so many times, wrapped as Drizzle wraps it. */
function failing(times: number, message: string): { write: () => Promise<string>; calls: () => number } {
	let calls = 0;
	return {
		calls: () => calls,
		write: async () => {
			calls += 1;
			if (calls <= times) {
				throw new DrizzleQueryError("insert", ["Network connection lost"], new Error(`D1_ERROR: ${message}`));
			}
			return "written";
		},
	};
}

describe("retryIdempotent", () => {
	it("writes again when the database did not answer", async () => {
		const { write, calls } = failing(2, "Network connection lost.");
		expect(await retryIdempotent(write)).toBe("written");
		expect(calls()).toBe(3);
	});

	it.each([
		[3, "Network connection lost.", 3],
		[1, "UNIQUE constraint failed: users.phone", 1],
		[1, "D1 DB is overloaded. Too many requests queued.", 1],
	])("gives up after %i failures with %s", async (times, message, attempts) => {
		const { write, calls } = failing(times, message);
		await expect(retryIdempotent(write)).rejects.toThrow("Failed query");
		expect(calls()).toBe(attempts);
	});
});
