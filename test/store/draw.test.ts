import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { signedInCaller } from "../../src/accounts/caller.ts";
import { accountStoreOf } from "../../src/accounts/store.ts";
import { mintAddress } from "../../src/addresses/mint.ts";
import { addressStoreOf } from "../../src/addresses/store.ts";
import { openAccountsDatabase, openAddressesDatabase } from "../../src/db/open.ts";
import { readConfig } from "../../src/env.ts";
import { dailyQuota } from "../../src/limits/daily-quota.ts";
import { limitStoreOf } from "../../src/limits/store.ts";
import { openZoneLocator } from "../../src/zones/open.ts";
import { signUp } from "../support/client.ts";
import { fillZone, freeCodes } from "../support/fill-zone.ts";

const DRAWS = 600;
const BUCKETS = 10;

/** With nine degrees of freedom a fair draw exceeds this once in a million runs. */
const CHI_SQUARED_MAX = 45.1;

const { access } = await signUp();

async function mint(lat: number, lng: number): Promise<{ canonical: string }> {
	const accounts = accountStoreOf(openAccountsDatabase(env));
	const { address } = await mintAddress(
		{
			caller: await signedInCaller(accounts, readConfig(env).signingSecrets, access, Date.now()),
			storeOf: (country) => addressStoreOf(openAddressesDatabase(env, country)),
			stores: [],
			locator: openZoneLocator(env),
			limitsIn: (country) => {
				const db = openAddressesDatabase(env, country);
				const quota = dailyQuota(db, { name: "draw", subject: "draw", quota: 100_000, detail: "" }, Date.now());
				const network = { name: "", networks: "[]", day: 0, account: "", share: 0 };
				return { ...quota, spend: [quota.spend, limitStoreOf(db).spendOfNetworks(network)] };
			},
			now: Date.now(),
		},
		{ lat, lng, label: "", idempotencyKey: undefined },
	);
	return address;
}

/** Draws codes, each given back before the next draw, and sorts them into ten buckets that a fair draw fills alike. */
async function chiSquared(
	lat: number,
	lng: number,
	bucketOf: (canonical: string) => number,
	isListed: boolean,
): Promise<number> {
	const counts = new Array<number>(BUCKETS).fill(0);
	for (let draw = 0; draw < DRAWS; draw += 1) {
		const { canonical } = await mint(lat, lng);
		await env.DB.prepare("delete from addresses where canonical = ?").bind(canonical).run();
		if (isListed)
			await env.DB.prepare("insert into last_codes select ? where exists (select 1 from last_codes)")
				.bind(canonical)
				.run();
		const bucket = bucketOf(canonical);
		counts[bucket] = (counts[bucket] ?? 0) + 1;
	}
	const expected = DRAWS / BUCKETS;
	return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe("the draw of a code", () => {
	it("is uniform over the codes of a zone without addresses", async () => {
		expect(await chiSquared(6.5244, 3.3792, (canonical) => Number(canonical[6]), false)).toBeLessThan(CHI_SQUARED_MAX);
	});

	it("is uniform over the last ten free codes of a zone", async () => {
		const { canonical } = await mint(9.0765, 7.3986);
		const [country, zone] = [canonical.slice(0, 2), canonical.slice(2, 6)];
		await fillZone(country, zone, BUCKETS);
		const free = [...(await freeCodes(country, zone))];
		expect(await chiSquared(9.0765, 7.3986, (code) => free.indexOf(code), true)).toBeLessThan(CHI_SQUARED_MAX);
	});
});
