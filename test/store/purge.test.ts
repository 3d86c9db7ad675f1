import { beforeEach, expect, it, vi } from "vitest";
import { purgeTogether } from "../../src/purge.ts";

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

const warn = vi.spyOn(console, "warn");
beforeEach(() => warn.mockReset());

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
	await purgeTogether(cache, ["A"]);
	const broken: CacheContext = { ...cache, purge: () => Promise.reject(new Error("away")) };
	await purgeTogether(broken, ["B"]);
	const lines = warn.mock.calls.map(([line]) => JSON.parse(String(line)) as object);
	expect(lines).toEqual([
		expect.objectContaining({ event: "purge_refused", tags: 1, causes: ["rate limited"] }),
		expect.objectContaining({ event: "purge_refused", tags: 1, causes: ["Error: away"] }),
	]);
});
