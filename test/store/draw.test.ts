import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { mintAddress } from "../../src/addresses/actions.ts";
import { perText } from "../../src/addresses/texts.ts";
import { fillZone, freeCodes } from "../support/fill-zone.ts";
import { signUp } from "../support/people.ts";
import { callerOf, testRegistry } from "../support/registry.ts";

const DRAWS = 600;
const BUCKETS = 10;

/** With nine degrees of freedom a fair draw exceeds this once in a million runs. */
const CHI_SQUARED_MAX = 45.1;

/** Leaves undone what goes on after an answer, which costs more than the draw and has no part in it. */
const registry = testRegistry({ afterAnswer: () => {} }, { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: "100000" });
const caller = await callerOf(registry, await signUp());

function mint(lat: number, lng: number): Promise<{ canonical: string }> {
	return mintAddress(registry, caller, {
		lat,
		lng,
		...perText(() => ""),
		entrance: null,
		visibility: "public",
		idempotencyKey: undefined,
	});
}

/** Draws codes, so many at once and given back before the next, and sorts them into ten buckets that a fair draw fills alike. */
async function chiSquared(lat: number, lng: number, atOnce: number, bucketOf: (canonical: string) => number) {
	const counts = new Array<number>(BUCKETS).fill(0);
	for (let draw = 0; draw < DRAWS; draw += atOnce) {
		const drawn = await Promise.all(Array.from({ length: atOnce }, () => mint(lat, lng)));
		for (const { canonical } of drawn) counts[bucketOf(canonical)]! += 1;
		const codes = JSON.stringify(drawn.map(({ canonical }) => canonical));
		await env.DB.batch(
			[
				"delete from addresses where canonical in (select value from json_each(?))",
				"insert into last_codes select value from json_each(?) where exists (select 1 from last_codes)",
			].map((statement) => env.DB.prepare(statement).bind(codes)),
		);
	}
	const expected = DRAWS / BUCKETS;
	return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe("the draw of a code", () => {
	it("is uniform over the codes of a zone without addresses", async () => {
		expect(await chiSquared(6.5244, 3.3792, 20, (code) => Number(code[6]))).toBeLessThan(CHI_SQUARED_MAX);
	});

	it("is uniform over the last ten free codes of a zone", async () => {
		const { canonical } = await mint(9.0765, 7.3986);
		const [country, zone] = [canonical.slice(0, 2), canonical.slice(2, 6)];
		await fillZone(country, zone, BUCKETS);
		const free = [...(await freeCodes(country, zone))];
		expect(await chiSquared(9.0765, 7.3986, 1, (code) => free.indexOf(code))).toBeLessThan(CHI_SQUARED_MAX);
	});
});
