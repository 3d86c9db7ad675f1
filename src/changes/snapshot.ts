/**
 * Snapshots: the public records of all live addresses, written to R2 every night as compressed lines of JSON. Whoever loads one and
 * follows the feed from its cursor has every address as it is now.
 *
 * A snapshot is made in parts, a few in each cron run, because the CPU time of a run is limited. If a run fails, the next makes up for it.
 * Addresses that have since become private, been retired or erased are removed: each run rewrites the parts that hold them. Until then,
 * nobody is served those parts.
 */
import {
	arePositionsKnown,
	type FeedPositions,
	goneSince,
	hasGoneSince,
	headOfFeed,
	publicAddressesAfter,
} from "../addresses/feed-actions.ts";
import { digestHex } from "../crypto/hash.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import type { Database } from "../db/open.ts";
import { pagesOfObjects } from "../journal/objects.ts";
import { log } from "../logs/log.ts";
import type { Registry } from "../registry.ts";
import { DAY, HOUR } from "../time/time.ts";

/** The cron trigger of wrangler.toml that makes snapshots. */
export const SNAPSHOT_CRON = "*/5 * * * *";

/** What a run needs of a registry. */
type Snapshooter = Pick<Registry, "bindings" | "databases" | "databaseOf" | "settings" | "now">;
type Bucket = Snapshooter["bindings"]["ZONES"];

/** Addresses of a part, and of a page that the database reads at once. */
const PART_ADDRESSES = 50_000;
const PAGE_ADDRESSES = 2_000;

/** Parts made in a run: 400,000 addresses. They take 5 s of the run's 30 s of CPU time, and 208 of its 1,000 queries. */
const PARTS_OF_RUN = 8;

/** How long making a snapshot may take, in milliseconds. An older one is begun again. */
const MADE_WITHIN = 7 * DAY;

/** The most parts that a run rewrites. */
const REWRITTEN_MAX = 10;

/** How long a part that no manifest names is retained, in milliseconds, because the run that wrote it may be about to name it. */
const UNNAMED_RETENTION = HOUR;

const LATEST = "snapshots/latest.json";
const PROGRESS = "snapshots/progress.json";

/** The manifests of the newest snapshot and of the one being made. Without them, a new snapshot is begun. */
export const SNAPSHOT_FILES = [LATEST, PROGRESS];

/** A file of a snapshot: gzip of lines of JSON, one for each address, in the order of codes. */
export interface SnapshotPart {
	/** The name of the file, such as `3-8d969eef6eca.ndjson.gz`. */
	name: string;
	count: number;
	/** The size of the compressed file. */
	bytes: number;
	sha256: string;
	/** The database whose codes it holds. */
	database: string;
	/** The range of codes that it holds: those after `from`, up to `upTo`. */
	from: string;
	upTo: string;
	/** The number of the change, in the feed of that database, up to which it holds nothing that is no longer public. */
	cleanUpTo: number;
}

/** The manifest of a snapshot. */
export interface Snapshot {
	/** The time at which it was begun, such as `20261122T000012Z`. */
	id: string;
	/** Milliseconds since the epoch. */
	startedAt: number;
	/** The end of each database's feed before the first address was read. */
	position: FeedPositions;
	parts: SnapshotPart[];
}

/** A snapshot that is being made, with the database and the code after which it continues. `after` is undefined once all parts are made. */
interface Progress extends Snapshot {
	database: string;
	after: string | undefined;
}

/** The index of a database among those of a registry. Snapshots of earlier versions name no database, and mean the first. */
function indexOf({ databases }: Pick<Registry, "databases">, database?: string): number {
	return Math.max(
		0,
		databases.findIndex(({ name }) => name === database),
	);
}

function idOf(time: number): string {
	return new Date(time).toISOString().replace(/[-:]|\.\d+/g, "");
}

function keyOf(id: string, part: string): string {
	return `snapshots/${id}/${part}`;
}

/** The upper bound of the last part. Sandbox codes come after it, and are in no snapshot. */
const LAST_CODE = "ZZ";

/** Writes a file of a snapshot, and returns its name, its size in bytes, and its SHA-256. */
async function putPart(bucket: Bucket, id: string, index: number, bytes: Uint8Array<ArrayBuffer>) {
	const sha256 = await digestHex(bytes);
	const name = `${index}-${sha256.slice(0, 12)}.ndjson.gz`;
	await bucket.put(keyOf(id, name), bytes);
	return { name, bytes: bytes.length, sha256 };
}

/**
 * Rewrites a part without some codes, and copies its other lines unchanged. Undefined if another run has rewritten the part already and
 * deleted its file.
 */
async function rewritePart(bucket: Bucket, id: string, index: number, part: SnapshotPart, gone: Set<string>) {
	const object = await bucket.get(keyOf(id, part.name));
	if (!object) return undefined;
	const text = await new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).text();
	const lines = text
		.split("\n")
		.filter((line) => line && !gone.has((JSON.parse(line) as { canonical: string }).canonical));
	const plain = new Response(lines.map((line) => `${line}\n`).join("")).body as ReadableStream;
	const compressed = await new Response(plain.pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
	return { ...part, ...(await putPart(bucket, id, index, new Uint8Array(compressed))), count: lines.length };
}

/**
 * The parts of a snapshot without addresses that have ceased to be public since each was written. At most REWRITTEN_MAX parts are
 * rewritten; the others are left to the next run.
 */
async function cleanParts(
	registry: Snapshooter,
	{ id, parts }: Pick<Snapshot, "id" | "parts">,
): Promise<SnapshotPart[]> {
	const since = new Map(
		await Promise.all(
			Array.from(
				Map.groupBy(parts, ({ database }) => indexOf(registry, database)),
				async ([index, some]) => {
					const db = registry.databases[index] as Database;
					return [index, await goneSince(db, Math.min(...some.map((part) => part.cleanUpTo)))] as const;
				},
			),
		),
	);
	const cleaned: SnapshotPart[] = [];
	let rewritten = 0;
	for (const [index, part] of parts.entries()) {
		const { gone = [], upTo: cleanUpTo = part.cleanUpTo } = since.get(indexOf(registry, part.database)) ?? {};
		const codes = gone.filter(({ seq, code }) => seq > part.cleanUpTo && code > part.from && code <= part.upTo);
		if (codes.length === 0) cleaned.push({ ...part, cleanUpTo: Math.max(cleanUpTo, part.cleanUpTo) });
		else if (rewritten === REWRITTEN_MAX) cleaned.push(part);
		else {
			rewritten += 1;
			const without = await rewritePart(
				registry.bindings.ZONES,
				id,
				index,
				part,
				new Set(codes.map(({ code }) => code)),
			);
			cleaned.push(without ? { ...without, cleanUpTo } : part);
		}
	}
	return cleaned;
}

/** Removes from the newest snapshot the addresses that are no longer public. */
async function cleanLatest(registry: Snapshooter): Promise<void> {
	const bucket = registry.bindings.ZONES;
	const stored = await bucket.get(LATEST);
	const latest = await stored?.json<Snapshot>();
	if (!stored || !latest || !(await arePositionsKnown(registry, latest.position))) return;
	const parts = await cleanParts(registry, latest);
	const isFirst = await bucket.put(LATEST, JSON.stringify({ ...latest, parts }), {
		onlyIf: { etagMatches: stored.etag },
	});
	const replaced = latest.parts.filter(({ name }) => !parts.some((part) => part.name === name));
	if (isFirst && replaced.length > 0) await bucket.delete(replaced.map(({ name }) => keyOf(latest.id, name)));
	await dropOthers(registry);
}

/** Compresses the next addresses. The returned `after` is the code after which the next part starts; undefined at the end. */
async function writePart(registry: Snapshooter, db: Database, start: string, addressesMax: number) {
	const { readable, writable } = new CompressionStream("gzip");
	const compressed = new Response(readable).arrayBuffer();
	const writer = writable.getWriter();
	const encoder = new TextEncoder();
	let [count, after]: [number, string | undefined] = [0, start];
	for (let read = 0; after !== undefined && read < addressesMax; ) {
		const limit = Math.min(PAGE_ADDRESSES, addressesMax - read);
		const page = await publicAddressesAfter(registry, db, after, limit);
		await writer.write(encoder.encode(page.records.map((record) => `${JSON.stringify(record)}\n`).join("")));
		count += page.records.length;
		read += limit;
		after = page.last;
	}
	await writer.close();
	return { bytes: new Uint8Array(await compressed), count, after };
}

/** Deletes every part that neither the newest snapshot nor the one being made names. */
async function dropOthers({ bindings }: Snapshooter): Promise<void> {
	const bucket = bindings.ZONES;
	const named = new Set<string>();
	for (const manifest of [PROGRESS, LATEST]) {
		const { id = "", parts = [] } = (await (await bucket.get(manifest))?.json<Snapshot>()) ?? {};
		for (const { name } of parts) named.add(keyOf(id, name));
	}
	// The keys of parts begin with the year, and those of manifests do not. A part that was just written may not be named yet.
	const isLeft = ({ key, uploaded }: R2Object) =>
		!named.has(key) && uploaded.getTime() < Date.now() - UNNAMED_RETENTION;
	for await (const objects of pagesOfObjects(bucket, "snapshots/2")) {
		const others = objects.filter(isLeft).map(({ key }) => key);
		if (others.length > 0) await bucket.delete(others);
	}
}

/** Makes the next part, and returns the snapshot with it. */
async function withNextPart(
	registry: Snapshooter,
	progress: Progress & { after: string },
	addressesMax: number,
): Promise<Progress> {
	const { databases, bindings } = registry;
	const index = indexOf(registry, progress.database);
	const db = databases[index] as Database;
	const { after: from, id, parts } = progress;
	const { [db.name]: head } = await headOfFeed({ databases: [db] });
	const { bytes, count, after: next } = await writePart(registry, db, from, addressesMax);
	// Where one database ends, the next begins.
	const following = next === undefined ? databases[index + 1] : db;
	const file = await putPart(bindings.ZONES, id, parts.length, bytes);
	const range = { from, upTo: next ?? LAST_CODE, cleanUpTo: head?.seq ?? 0 };
	return {
		...progress,
		database: following?.name ?? "",
		after: next === undefined && following ? "" : next,
		parts: [...parts, { ...file, count, database: db.name, ...range }],
	};
}

/**
 * Makes the next parts of today's snapshot (UTC), if it is not finished. Two concurrent runs do no harm: one of them wins.
 * @param addressesMax The most addresses in a part.
 * @param partsMax The most parts to make.
 * @returns Whether the newest snapshot is today's.
 */
export async function continueSnapshot(
	registry: Snapshooter,
	addressesMax = PART_ADDRESSES,
	partsMax = PARTS_OF_RUN,
): Promise<boolean> {
	const { bindings, now } = registry;
	const bucket = bindings.ZONES;
	await cleanLatest(registry);
	const stored = await bucket.get(PROGRESS);
	let progress = await stored?.json<Progress>();
	// A restore begins a new feed, which does not know any cursor from before.
	if (!progress || progress.startedAt < now - MADE_WITHIN || !(await arePositionsKnown(registry, progress.position))) {
		const latest = await (await bucket.get(LATEST))?.json<Snapshot>();
		const isOfToday = latest && Math.floor(latest.startedAt / DAY) >= Math.floor(now / DAY);
		if (isOfToday && (await arePositionsKnown(registry, latest.position))) return true;
		progress = {
			id: idOf(now),
			startedAt: now,
			position: await headOfFeed(registry),
			parts: [],
			database: ACCOUNTS,
			after: "",
		};
	}
	if (progress.after !== undefined) {
		for (let made = 0; progress.after !== undefined && made < partsMax; made += 1)
			progress = await withNextPart(registry, { ...progress, after: progress.after }, addressesMax);
		progress = { ...progress, parts: await cleanParts(registry, progress) };
		const onlyIf = stored ? { etagMatches: stored.etag } : { etagDoesNotMatch: "*" };
		const isFirst = await bucket.put(PROGRESS, JSON.stringify(progress), { onlyIf });
		if (!isFirst || progress.after !== undefined) return false;
	}
	const { id, startedAt, position, parts } = progress;
	await bucket.put(LATEST, JSON.stringify({ id, startedAt, position, parts } satisfies Snapshot));
	// Moving a country to another database withdraws both manifests, because the feed of its old database no longer tells what happens to
	// the addresses read from there.
	if (!(await bucket.head(PROGRESS))) {
		await bucket.delete(LATEST);
		return false;
	}
	await bucket.delete(PROGRESS);
	log("info", "snapshot_made", { addresses: parts.reduce((sum, part) => sum + part.count, 0), parts: parts.length });
	await dropOthers(registry);
	return true;
}

/** The newest snapshot from which the feed can be followed; undefined if there is none. */
export async function latestSnapshot(registry: Registry): Promise<Snapshot | undefined> {
	const latest = await (await registry.bindings.ZONES.get(LATEST))?.json<Snapshot>();
	return latest && (await arePositionsKnown(registry, latest.position)) ? latest : undefined;
}

/** How often SNAPSHOT_CRON runs, in seconds. */
export const RUN_SECONDS = 300;

/**
 * An estimate of the seconds until the snapshot being made is finished. It is taken to need as many parts as the one before, which stays
 * in place after a restore; if there is none, one run.
 */
export async function secondsToSnapshot({ bindings }: Registry): Promise<number> {
	const [latest, progress] = await Promise.all(
		[LATEST, PROGRESS].map(async (key) => (await bindings.ZONES.get(key))?.json<Snapshot>()),
	);
	const left = (latest?.parts.length ?? 1) - (progress?.parts.length ?? 0);
	return RUN_SECONDS * Math.max(1, Math.ceil(left / PARTS_OF_RUN));
}

/**
 * A file of the newest snapshot; `stale` while it holds an address that is no longer public, until the next run rewrites it; `gone` for a
 * name that the newest snapshot does not have; undefined for a name that no file can have.
 */
export async function readPart(
	registry: Registry,
	id: string,
	name: string,
): Promise<R2ObjectBody | "stale" | "gone" | undefined> {
	if (!/^\d{8}T\d{6}Z\/\d+-[0-9a-f]{12}\.ndjson\.gz$/.test(`${id}/${name}`)) return undefined;
	const latest = await latestSnapshot(registry);
	const part = latest?.id === id ? latest.parts.find((part) => part.name === name) : undefined;
	if (!part) return "gone";
	if (
		await hasGoneSince(registry.databases[indexOf(registry, part.database)] as Database, {
			...part,
			after: part.cleanUpTo,
		})
	)
		return "stale";
	return (await registry.bindings.ZONES.get(keyOf(id, name))) ?? "gone";
}
