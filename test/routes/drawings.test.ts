import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { streetsAround } from "../../src/basemap/around.ts";
import { pointAfter } from "../../src/points/plane.ts";
import { call, freshAddress, json } from "../support/client.ts";
import { inOneMinute } from "../support/minute.ts";
import { LAGOS, mint, newOwner, signUp } from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";
import { townAt } from "../support/town.ts";
import { underWaits } from "../support/waits.ts";

/** Where the town lies, so that no other test finds a base map. */
const TOWN = "drawings-test/town.pmtiles";
beforeAll(() => env.ZONES.put(TOWN, townAt(LAGOS)));
afterAll(() => env.ZONES.delete(TOWN));

type Get = (options?: R2GetOptions) => Promise<R2ObjectBody | null>;
const getTown: Get = (options) => env.ZONES.get(TOWN, options);

/** A bucket that an isolate has not looked into yet, with the town as its base map, or with what another way to read it gives. */
function bucketWith(getArchive = getTown): R2Bucket {
	const get = (key: string, options?: R2GetOptions) =>
		key === "basemap.pmtiles" ? getArchive(options) : env.ZONES.get(key, options);
	return { get, head: (key: string) => env.ZONES.head(key) } as unknown as R2Bucket;
}

/** The platform's smallest limit, of three a minute, in the place of sixty and of 300. */
const few = () => ({
	PER_MINUTE_60: env.THREE_A_MINUTE,
	PER_MINUTE_300: env.THREE_A_MINUTE,
	ZONES: bucketWith(),
});

let metres = 0;
/** A point that nothing was drawn of yet. */
function newPoint() {
	metres += 4;
	return pointAfter(LAGOS, { north: metres, east: 0 });
}

describe("drawings that no cache holds", () => {
	it("end for a network with its quota: pages go without streets, and keep none; its neighbours notice nothing", async () => {
		const { access } = await signUp();
		const mintNext = async () => String((await mint(access, { ...LAGOS, ...newPoint() })).canonical);
		const codes: string[] = [];
		for (let index = 0; index < 6; index += 1) codes.push(await mintNext());
		const seen = await inOneMinute(async () => {
			const own = freshAddress();
			const settings = few();
			const ask = (path: string, address: string) => call(path, { headers: { "CF-Connecting-IP": address }, settings });
			const shows = async (code: string, address = own) =>
				(await (await ask(`/a/${code}`, address)).text()).includes('class="streets"');
			const drawn: boolean[] = [];
			for (const code of codes) drawn.push(await shows(code));
			const refused = await ask(`/v1/addresses/${codes[0]}/label.png`, own);
			const elsewhere = await ask(`/v1/addresses/${codes[0]}/label.png`, freshAddress());
			await elsewhere.arrayBuffer();
			return {
				drawn,
				kept: await shows(codes[0]!),
				refused: [await json(refused, 429), refused.headers.get("Retry-After")] as const,
				vector: (await ask(`/v1/addresses/${codes[0]}/label.svg`, own)).status,
				neighbour: await shows(codes.at(-1)!, freshAddress()),
				elsewhere: elsewhere.status,
			};
		});
		// The count comes after the answer, so that one more is drawn than the platform allows.
		expect(seen.drawn).toEqual([true, true, true, true, false, false]);
		expect(seen.kept).toBe(true);
		expect(seen.refused[0]).toMatchObject({ code: "RATE_LIMITED" });
		expect(Number(seen.refused[1])).toBeGreaterThan(0);
		expect([seen.vector, seen.neighbour, seen.elsewhere]).toEqual([200, true, 200]);
	});

	it("count for the account of whoever is signed in, and not for the network", async () => {
		const drawn = await inOneMinute(async () => {
			const registry = testRegistry({ clientAddress: freshAddress() }, few());
			const found: boolean[] = [];
			const account = crypto.randomUUID();
			for (const who of [account, account, account, account, account, undefined]) {
				const { sketch, isPartial } = await streetsAround(registry, newPoint(), who);
				expect(isPartial).toBe(sketch === undefined);
				found.push(sketch !== undefined);
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
			return found;
		});
		expect(drawn).toEqual([true, true, true, true, false, true]);
	});
});

describe("an archive that is", () => {
	it.each<[string, Get]>([
		["slow", () => new Promise(() => {})],
		["failing", () => Promise.reject(new Error("R2 is down"))],
		["no archive", () => env.ZONES.get("world.zones", { range: { offset: 0, length: 1000 } })],
	])("%s leaves a page without streets, at once, and no cache keeps that", async (_, getArchive) => {
		const { canonical } = await newOwner();
		const started = Date.now();
		const settings = { ZONES: bucketWith(getArchive) };
		const page = await underWaits({ sketch: 150 }, () => call(`/a/${canonical}`, { settings }));
		const html = await page.text();
		// Far below the minute after which a bucket is given up here.
		expect(Date.now() - started).toBeLessThan(30_000);
		expect(page.status).toBe(200);
		expect(html).not.toContain('class="streets"');
		expect(html).toContain(`/a/${canonical}/print`);
		const whole = await call(`/a/${canonical}`, { settings: { ZONES: bucketWith() } });
		expect(await whole.text()).toContain('class="streets"');
	});
});
