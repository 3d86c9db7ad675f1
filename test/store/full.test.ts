import { describe, expect, it } from "vitest";
import { call, json, patch, post, problem } from "../support/client.ts";
import { databaseThrough } from "../support/database.ts";
import { LAGOS, newOwner } from "../support/people.ts";

/** The real database, which says that it holds so many bytes. */
const holding = (bytes: number) =>
	databaseThrough(async (work) => {
		const answer = await work();
		const answers = (Array.isArray(answer) ? answer : [answer]) as D1Result[];
		for (const one of answers) if (one?.meta) one.meta.size_after = bytes;
		return answer;
	});

describe("a database that is nearly full", () => {
	it("takes no new address from 9.5 GB on and says so, while what is there is found and changed", async () => {
		const { access: token, canonical } = await newOwner();
		const settings = { DB: holding(9_600_000_000) };
		await json(patch(`/v1/addresses/${canonical}`, { label: "Green gate" }, { token, settings }));
		const refused = await post("/v1/addresses", LAGOS, { token, settings });
		expect(refused.headers.get("Retry-After")).toBe("3600");
		expect(await problem(refused, 503, "UNAVAILABLE")).toMatchObject({
			code: "UNAVAILABLE",
			detail: expect.stringContaining("is full"),
		});
		await json(call(`/v1/public/addresses/${canonical}`, { settings }));
		await json(post("/v1/addresses", LAGOS, { token, settings: { DB: holding(9_400_000_000) } }), 201);
	});

	it.each([
		"D1_ERROR: database or disk is full: SQLITE_FULL",
		"D1_ERROR: database is locked: SQLITE_BUSY",
		"D1_ERROR: disk I/O error: SQLITE_IOERR",
		"D1_ERROR: database disk image is malformed: SQLITE_CORRUPT",
		"D1_ERROR: Your account has exceeded D1's maximum account storage limit",
	])("answers 503 with Retry-After where it says %s", async (message) => {
		const { access: token } = await newOwner();
		const DB = databaseThrough((work, queries) =>
			queries.some((query) => /insert into "addresses"/.test(query)) ? Promise.reject(new Error(message)) : work(),
		);
		const refused = await post("/v1/addresses", LAGOS, { token, settings: { DB } });
		expect([refused.status, refused.headers.has("Retry-After")]).toEqual([503, true]);
	});
});
