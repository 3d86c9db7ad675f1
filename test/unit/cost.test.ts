import { expect, it } from "vitest";
import { estimate, linesOf, USUAL } from "../../src/cli/cost.ts";

it("a small registry costs the plan and nothing else", () => {
	expect(estimate(1_000, USUAL)).toMatchObject({ databases: 1, total: 5 });
});

it("each part costs its price past what the plan includes, and the total is their sum", () => {
	const { parts, total, requests, bytes, databases } = estimate(100_000_000, { ...USUAL, lookUps: 2, signIns: 0 });
	expect(requests).toBe(202_000_000);
	expect(parts.requests).toBeCloseTo(((202_000_000 - 10_000_000) / 1e6) * 0.3);
	expect(parts.databaseBytes).toBeCloseTo((bytes / 1e9 - 5) * 0.75);
	expect(parts.bucketWrites).toBeCloseTo((2 - 1) * 4.5);
	expect(databases).toBe(Math.ceil(bytes / 8e9));
	expect(total).toBeCloseTo(Object.values(parts).reduce((sum, dollars) => sum + dollars, 0));
});

it("a cache saves CPU time and rows, and no request", () => {
	const [without, within] = [0, 1].map((cached) => estimate(1e9, { ...USUAL, cached }));
	expect(within!.parts.requests).toBe(without!.parts.requests);
	expect(within!.parts.cpuMilliseconds).toBeLessThan(without!.parts.cpuMilliseconds);
});

it("a line of the log for each request costs more than the requests", () => {
	const { parts } = estimate(1e9, { ...USUAL, logged: 1 });
	expect(parts.logLines).toBeGreaterThan(parts.requests);
});

it("is told in lines that end with the sum", () => {
	const lines = linesOf(65_000_000, USUAL);
	expect(lines[0]).toBe("65,000,000 addresses, 32,500,000 accounts");
	expect(lines.at(-1)).toContain(estimate(65_000_000, USUAL).total.toFixed(2));
});
