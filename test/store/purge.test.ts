import { expect, it } from "vitest";
import { purgeTogether } from "../../src/platform/purge.ts";
import { logged } from "../support/logged.ts";

/** Workers Cache is not simulated locally: this one notes what it is asked, and refuses as the platform does when `isFull`. */
function cacheOf({ isFull = false } = {}) {
	const calls: string[][] = [];
	const cache: CacheContext = {
		purge: async ({ tags = [] }) => {
			calls.push(tags);
			return isFull
				? { success: false, errors: [{ code: 971, message: "rate limited" }] }
				: { success: true, errors: [] };
		},
		invalidate: () => Promise.reject(new Error("nobody asks for this")),
	};
	return { cache, calls };
}

it("purges what several requests name within a second in one call, each tag once", async () => {
	const { cache, calls } = cacheOf();
	await Promise.all([purgeTogether(cache, ["A"]), purgeTogether(cache, ["B", "A"]), purgeTogether(cache, ["C"])]);
	expect(calls).toEqual([["A", "B", "C"]]);
	await purgeTogether(cache, ["D"]);
	expect(calls.slice(1)).toEqual([["D"]]);
});

it("names a hundred tags in a call at most", async () => {
	const { cache, calls } = cacheOf();
	await purgeTogether(
		cache,
		Array.from({ length: 250 }, (_, index) => String(index)),
	);
	expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
});

it("says that the platform has refused, and fails nobody", async () => {
	const { cache } = cacheOf({ isFull: true });
	const broken: CacheContext = { ...cache, purge: () => Promise.reject(new Error("away")) };
	const lines = await logged(async () => {
		for (const each of [cache, broken]) await purgeTogether(each, ["A"]);
	});
	const refused = { level: "warn", event: "purge_refused", tags: 1 };
	expect(lines).toMatchObject([
		{ ...refused, causes: ["rate limited"] },
		{ ...refused, causes: ["Error: away"] },
	]);
});
