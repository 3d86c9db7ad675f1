import { afterEach, expect, it, vi } from "vitest";
import { assetSource } from "../../src/zones/asset-source.ts";
import { ZoneIndexError, type ZoneIndexFailure } from "../../src/zones/format.ts";
import { zoneLocator } from "../../src/zones/locate.ts";
import { openIndex, type ReadRange } from "../../src/zones/open-index.ts";
import { withCopy } from "../../src/zones/open-locator.ts";
import { memorySource, readIndexFile } from "./support.ts";

const LAGOS = [6.5244, 3.3792] as const;
const published = readIndexFile();

afterEach(() => vi.restoreAllMocks());

/** A deployment's assets that hold a file, and how often it was read. */
function assetsWith(file: Uint8Array<ArrayBuffer> | undefined) {
	let reads = 0;
	const fetch = async () => {
		reads += 1;
		return file ? new Response(file, { headers: { ETag: '"a"' } }) : new Response("", { status: 404 });
	};
	return { assets: { fetch } as unknown as Fetcher, reads: () => reads };
}

const failing =
	(reason: ZoneIndexFailure): ReadRange =>
	async () => {
		throw new ZoneIndexError(reason, "as the test wants it");
	};

it.each<ZoneIndexFailure>(["unreadable", "changing"])(
	"an index that is %s for a moment keeps its place, since the copy may be of another edition",
	async (reason) => {
		const { assets, reads } = assetsWith(published);
		const locator = zoneLocator(withCopy(openIndex(failing(reason)), openIndex(assetSource(assets))));
		await expect(locator.locate(...LAGOS)).rejects.toMatchObject({ reason });
		expect(reads()).toBe(0);
	},
);

it("a whole index in the bucket prevails", async () => {
	const { assets, reads } = assetsWith(published);
	const locator = zoneLocator(withCopy(openIndex(memorySource(published).read), openIndex(assetSource(assets))));
	expect((await locator.locate(...LAGOS))?.country).toBe("NG");
	expect(reads()).toBe(0);
});

it("a deployment without the copy says so", async () => {
	vi.spyOn(console, "error").mockImplementation(() => {});
	const { assets } = assetsWith(undefined);
	const locator = zoneLocator(withCopy(openIndex(failing("missing")), openIndex(assetSource(assets))));
	await expect(locator.locate(...LAGOS)).rejects.toThrow("the assets answer 404 to /world.zones");
});
