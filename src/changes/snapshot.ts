/**
 * Snapshots: all that everyone may see of all live addresses, written every night into R2 as compressed lines of JSON. Whoever loads
 * one and follows the feed from its cursor has every address as it is now. A snapshot is made in parts, one in a run of the cron, because
 * the CPU time of a run is limited; a run that fails is made up for by the next.
 */
import { type FeedPosition, headOfFeed, isKnown, publicAddressesAfter } from "../addresses/feed-actions.ts";
import { digestHex } from "../hash.ts";
import { log } from "../log.ts";
import type { Registry } from "../registry.ts";
import { DAY } from "../time.ts";

/** The trigger of wrangler.toml that makes snapshots. */
export const SNAPSHOT_CRON = "*/5 * * * *";

/** What a run needs of a registry. */
type Snapshooter = Pick<Registry, "bindings" | "database" | "settings" | "now">;

/** Addresses of a part, and of a page that the database reads at once. */
const PART_ADDRESSES = 50_000;
const PAGE_ADDRESSES = 2_000;

/** How long a snapshot is kept, so that whoever has begun to load it can end. */
const KEPT = 7 * DAY;

const LATEST = "snapshots/latest.json";
const PROGRESS = "snapshots/progress.json";

/** A file of a snapshot: gzip of one JSON text a line, in the order of codes. */
export interface SnapshotPart {
	/** Such as `3-8d969eef6eca.ndjson.gz`. */
	name: string;
	count: number;
	/** Of the compressed file. */
	bytes: number;
	sha256: string;
}

/** What a snapshot holds. */
export interface Snapshot {
	/** When it was begun, such as `20261122T000012Z`. */
	id: string;
	/** Milliseconds since the epoch. */
	startedAt: number;
	/** Where the feed stood before the first address was read. */
	position: FeedPosition;
	parts: SnapshotPart[];
}

/** A snapshot that is being made: after which code it goes on, unless all parts are there. */
interface Progress extends Snapshot {
	after: string | undefined;
}

function idOf(time: number): string {
	return new Date(time).toISOString().replace(/[-:]|\.\d+/g, "");
}

function keyOf(id: string, part: string): string {
	return `snapshots/${id}/${part}`;
}

/** Compresses the next addresses. `after` is where the next part goes on; undefined at the end. */
async function writePart(registry: Snapshooter, start: string, addressesMax: number) {
	const { readable, writable } = new CompressionStream("gzip");
	const compressed = new Response(readable).arrayBuffer();
	const writer = writable.getWriter();
	const encoder = new TextEncoder();
	let [count, after]: [number, string | undefined] = [0, start];
	for (let read = 0; after !== undefined && read < addressesMax; ) {
		const limit = Math.min(PAGE_ADDRESSES, addressesMax - read);
		const page = await publicAddressesAfter(registry, after, limit);
		await writer.write(encoder.encode(page.records.map((record) => `${JSON.stringify(record)}\n`).join("")));
		count += page.records.length;
		read += limit;
		after = page.last;
	}
	await writer.close();
	return { bytes: new Uint8Array(await compressed), count, after };
}

async function dropOld({ bindings, now }: Snapshooter): Promise<void> {
	// Names begin with the year, and those of manifests do not.
	const { objects } = await bindings.ZONES.list({ prefix: "snapshots/2" });
	const old = objects.map(({ key }) => key).filter((key) => key < keyOf(idOf(now - KEPT), ""));
	if (old.length > 0) await bindings.ZONES.delete(old);
}

/**
 * Makes the next part of the snapshot of today (UTC), if that is not finished. Two runs at once do no harm: one of them wins.
 * @returns Whether the newest snapshot is of today.
 */
export async function continueSnapshot(registry: Snapshooter, addressesMax = PART_ADDRESSES): Promise<boolean> {
	const { bindings, now } = registry;
	const bucket = bindings.ZONES;
	const stored = await bucket.get(PROGRESS);
	let progress = await stored?.json<Progress>();
	// One that is too old would be dropped when it ends. A restore begins a new feed, in which no cursor from before is known.
	if (!progress || progress.startedAt < now - KEPT || !(await isKnown(registry, progress.position))) {
		const latest = await (await bucket.get(LATEST))?.json<Snapshot>();
		const isOfToday = latest && Math.floor(latest.startedAt / DAY) >= Math.floor(now / DAY);
		if (isOfToday && (await isKnown(registry, latest.position))) return true;
		progress = { id: idOf(now), startedAt: now, position: await headOfFeed(registry), parts: [], after: "" };
	}
	if (progress.after !== undefined) {
		const { bytes, count, after } = await writePart(registry, progress.after, addressesMax);
		const sha256 = await digestHex(bytes);
		const name = `${progress.parts.length}-${sha256.slice(0, 12)}.ndjson.gz`;
		await bucket.put(keyOf(progress.id, name), bytes);
		progress = { ...progress, after, parts: [...progress.parts, { name, count, bytes: bytes.length, sha256 }] };
		const onlyIf = stored ? { etagMatches: stored.etag } : { etagDoesNotMatch: "*" };
		const isFirst = await bucket.put(PROGRESS, JSON.stringify(progress), { onlyIf });
		if (!isFirst || after !== undefined) return false;
	}
	const { id, startedAt, position, parts } = progress;
	await bucket.put(LATEST, JSON.stringify({ id, startedAt, position, parts } satisfies Snapshot));
	await bucket.delete(PROGRESS);
	log("info", "snapshot_made", { addresses: parts.reduce((sum, part) => sum + part.count, 0), parts: parts.length });
	await dropOld(registry);
	return true;
}

/** The newest snapshot from which the feed can be followed; undefined until there is one. */
export async function latestSnapshot(registry: Registry): Promise<Snapshot | undefined> {
	const latest = await (await registry.bindings.ZONES.get(LATEST))?.json<Snapshot>();
	return latest && (await isKnown(registry, latest.position)) ? latest : undefined;
}

/** How often SNAPSHOT_CRON makes a part, in seconds. */
const PART_SECONDS = 300;

/**
 * In how many seconds the snapshot that is being made is likely to be finished: after as many parts as the one before had, which a restore
 * leaves in its place, or after one part where there has been none.
 */
export async function secondsToSnapshot({ bindings }: Registry): Promise<number> {
	const [latest, progress] = await Promise.all(
		[LATEST, PROGRESS].map(async (key) => (await bindings.ZONES.get(key))?.json<Snapshot>()),
	);
	return PART_SECONDS * Math.max(1, (latest?.parts.length ?? 1) - (progress?.parts.length ?? 0));
}

/** A file of a snapshot; null where it is not kept. */
export async function readPart(registry: Registry, id: string, part: string): Promise<R2ObjectBody | null> {
	const isName = /^\d{8}T\d{6}Z\/\d+-[0-9a-f]{12}\.ndjson\.gz$/.test(`${id}/${part}`);
	return isName ? registry.bindings.ZONES.get(keyOf(id, part)) : null;
}
