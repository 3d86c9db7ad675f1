import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { continueSnapshot } from "../../src/changes/snapshot.ts";
import type { Bindings } from "../../src/env.ts";
import { databasesDue } from "../../src/jobs/scheduled.ts";
import { HOUR, MINUTE } from "../../src/time/time.ts";
import { bucketOfLongLists } from "../support/bucket.ts";
import { databaseThrough } from "../support/database.ts";
import { testRegistry } from "../support/registry.ts";

it("each of 40 databases has a turn every hour, and the first one in turn", () => {
	const names = Array.from(
		{ length: 40 },
		(_, index) => `DB_Q${String.fromCharCode(65 + (index % 26))}_${index < 26 ? 0 : 1}`,
	);
	const apart = Object.fromEntries(names.map((name) => [name, databaseThrough((work) => work())]));
	const plain = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("DB_")));
	const bindings = { ...plain, ...apart } as unknown as Bindings;
	const first = new Set<string>();
	for (let hour = 0; hour < 4; hour += 1) {
		const due = Array.from({ length: 60 }, (_, minute) => databasesDue(bindings, hour * HOUR + minute * MINUTE));
		expect(
			due
				.flat()
				.map(({ name }) => name)
				.sort(),
		).toEqual([...names].sort());
		for (const [one] of due) if (one) first.add(one.name);
	}
	expect([...first].sort()).toEqual([...names].sort());
});

it("parts of a snapshot that no manifest names are deleted, however many there are", async () => {
	const left = Array.from({ length: 5 }, (_, index) => `snapshots/20200101T000000Z/${index}`);
	for (const key of left) await env.ZONES.put(key, "");
	const registry = testRegistry({}, { ZONES: bucketOfLongLists(() => 0) });
	while (!(await continueSnapshot(registry)));
	expect(await Promise.all(left.map((key) => env.ZONES.head(key)))).toEqual(left.map(() => null));
});
