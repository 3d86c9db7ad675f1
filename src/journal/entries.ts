/**
 * Entries of the journal: one object for each code or account, with its newest version, encrypted. Copies of the entries of a zone lie
 * together in a pack, because a million objects cannot be read one by one in the time that a restore has. A line of a pack is valid only
 * while its entry exists in the same version.
 */
import { base64url } from "jose";
import { log } from "../logs/log.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import { inAttempts } from "../time/attempts.ts";
import { decrypt, encrypt } from "./cipher.ts";

/** Of addresses, whose keys end in the code. */
export const ADDRESS_ENTRIES = "issued-codes/";
/** Of accounts, whose keys end in the id. */
export const ACCOUNT_ENTRIES = "account-entries/";
/** Of the addresses of a zone, whose keys end in such as `NG0421`. */
const PACKS = "entry-packs/";
/** The key after which packing continues; empty at the start. */
const PACKED_UP_TO = "journal/packed-up-to";

/** The connections that a Worker can have open at once. */
export const ENTRIES_AT_ONCE = 6;

/** How often a write is retried because another request has written the entry meanwhile. */
const RACES_MAX = 5;

/** A zone with fewer entries than this is not packed. */
const UNPACKED_MAX = 8;

/** Calls of one run of the packing: a Worker may make 10,000 in one. */
const PACKING_CALLS_MAX = 3_000;

/** What is written for a code or an account. */
interface EntryText {
	id: string;
	/** Greater for a later state. */
	version: number;
	text: string;
	/** Whether a newer entry was found before. Then nothing is replaced. */
	isHeld?: boolean;
}

/** What the journal stores for a code or an account. */
export interface Entry {
	id: string;
	/** 0 if only the code is recorded. */
	version: number;
	/** The id of the secret that it is encrypted under; empty if it is not encrypted. */
	keyId: string;
	/** Undefined if it cannot be decrypted. */
	text: string | undefined;
}

/** An entry as a list of the bucket names it. */
interface Listed {
	key: string;
	id: string;
	version: number;
	uploaded: number;
}

/** A copy of an entry in a pack: its bytes in base64url. */
interface Packed {
	id: string;
	version: number;
	keyId: string;
	bytes: string;
}

/**
 * Writes an entry, unless there is one of the same or a newer version, also where several write at once.
 * @param isOfOne Whether two texts of one version are the same state. Two histories can have the same number, as after a rollback.
 * @returns The version of an entry that this state does not follow; undefined if the bucket has it now.
 */
export async function writeEntry(
	bucket: R2Bucket,
	secrets: SigningSecrets,
	prefix: string,
	{ id, version, text, isHeld = false }: EntryText,
	isOfOne: (own: string, written: string) => boolean = () => true,
): Promise<number | undefined> {
	const { bytes, keyId } = await encrypt(secrets, id, text);
	const customMetadata = { version: String(version), key: keyId };
	const key = prefix + id;
	for (let attempt = 1; attempt <= RACES_MAX; attempt += 1) {
		// The first version of an address has no entry yet: one call where there would be two.
		const isFirst = version === 1 && attempt === 1;
		const known = isFirst ? null : await inAttempts(() => bucket.head(key));
		const knownVersion = Number(known?.customMetadata?.version ?? 0);
		if (known && knownVersion >= version) {
			if (knownVersion > version) return knownVersion;
			const written = await openEntry(secrets, await readObject(bucket, { key, id }));
			if (written.version !== version) continue;
			if (written.text !== undefined) return isOfOne(text, written.text) ? undefined : version;
			// Nobody can read it, so the same version in its place loses nothing.
		} else if (known && isHeld) return knownVersion;
		const onlyIf = known ? { etagMatches: known.etag } : { etagDoesNotMatch: "*" };
		if (await inAttempts(() => bucket.put(key, bytes, { customMetadata, onlyIf }))) return undefined;
	}
	throw new Error(`Others wrote the same entry of the journal ${RACES_MAX} times`);
}

/**
 * Maps values with limited concurrency, and returns the results in order. After the first failure no more are begun, and those under way
 * are finished.
 */
export async function pooled<Value, Result>(
	values: Value[],
	atOnce: number,
	work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = new Array(values.length);
	// A loop that fails closes the generator, which ends the other loops too.
	const left = (function* () {
		yield* values.entries();
	})();
	const worker = async () => {
		for (const [index, value] of left) results[index] = await work(value);
	};
	const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, values.length) }, worker));
	for (const one of ended) if (one.status === "rejected") throw one.reason;
	return results;
}

/** A row that waits in a queue of the journal. */
interface Waiting {
	version: number;
	/** The version of a newer entry that was found before; null if none was. */
	newer_entry: number | null;
}

/**
 * Writes entries of rows.
 * @param entryOf The id and the text of the entry of a row.
 * @param isOfOne As `writeEntry` takes it.
 * @returns The rows that the bucket has now, and those of which it has an entry that they do not follow: the id, the version of the row
 * and that of the entry, if that was not known.
 */
export async function writeEntries<Row extends Waiting>(
	bucket: R2Bucket,
	secrets: SigningSecrets,
	prefix: string,
	rows: Row[],
	entryOf: (row: Row) => Pick<EntryText, "id" | "text">,
	isOfOne?: (own: string, written: string) => boolean,
): Promise<{ written: Row[]; newer: (readonly [id: string, version: number, newer: number])[] }> {
	const found = await pooled(rows, ENTRIES_AT_ONCE, async (row) => {
		const entry = { ...entryOf(row), version: row.version, isHeld: row.newer_entry !== null };
		return { row, id: entry.id, newer: await writeEntry(bucket, secrets, prefix, entry, isOfOne) };
	});
	const newer = found.flatMap(({ row, id, newer }) =>
		newer === undefined || newer === row.newer_entry ? [] : [[id, row.version, newer] as const],
	);
	if (newer.length > 0) log("error", "journal_newer", { entries: newer.length });
	return { written: found.flatMap(({ row, newer }) => (newer === undefined ? [row] : [])), newer };
}

const zoneOf = ({ id }: { id: string }) => id.slice(0, 6);

/** The objects under a prefix, a page at a time, from just after a key on. */
export async function* pagesOfEntries(
	bucket: R2Bucket,
	prefix: string,
	after?: string,
): AsyncGenerator<{ listed: Listed[]; isLast: boolean }> {
	let startAfter = after;
	for (;;) {
		const from = startAfter ? { startAfter } : {};
		const page = await inAttempts(() => bucket.list({ prefix, include: ["customMetadata"], ...from }));
		const listed = page.objects.map(({ key, customMetadata, uploaded }) => ({
			key,
			id: key.slice(key.lastIndexOf("/") + 1),
			version: Number(customMetadata?.version ?? 0),
			uploaded: uploaded.getTime(),
		}));
		yield { listed, isLast: !page.truncated };
		startAfter = page.objects.at(-1)?.key;
		if (!page.truncated) return;
	}
}

async function readPack(bucket: R2Bucket, zone: string): Promise<Map<string, Packed>> {
	const text = await inAttempts(async () => (await bucket.get(PACKS + zone))?.text());
	try {
		const lines = (text ?? "").split("\n").filter((line) => line !== "");
		return new Map(lines.map((line) => JSON.parse(line) as Packed).map((packed) => [packed.id, packed]));
	} catch {
		// The entries themselves are read instead.
		return new Map();
	}
}

async function readObject(bucket: R2Bucket, { key, id }: Pick<Listed, "key" | "id">): Promise<Packed> {
	const object = await inAttempts(() => bucket.get(key));
	const { version, key: keyId = "" } = object?.customMetadata ?? {};
	const bytes = version && object ? base64url.encode(new Uint8Array(await object.arrayBuffer())) : "";
	return { id, version: Number(version ?? 0), keyId, bytes };
}

async function openEntry(secrets: SigningSecret[], { id, version, keyId, bytes }: Packed): Promise<Entry> {
	if (version === 0) return { id, version, keyId: "", text: undefined };
	const text = await decrypt(secrets, id, { bytes: base64url.decode(bytes), keyId });
	return { id, version, keyId, text };
}

/**
 * The entries under a prefix that were written since a time, in milliseconds since the epoch.
 * @param atOnce How many objects are read at once.
 */
export async function* readEntries(
	bucket: R2Bucket,
	secrets: SigningSecret[],
	prefix: string,
	since: number,
	atOnce = ENTRIES_AT_ONCE,
): AsyncGenerator<Entry> {
	const packs = new Set<string>();
	if (prefix === ADDRESS_ENTRIES)
		for await (const { listed } of pagesOfEntries(bucket, PACKS)) for (const { id } of listed) packs.add(id);
	for await (const { listed } of pagesOfEntries(bucket, prefix)) {
		const wanted = listed.filter(({ uploaded }) => uploaded >= since);
		const zones = [...Map.groupBy(wanted, zoneOf)];
		const isPacked = ([zone, entries]: [string, Listed[]]) => packs.has(zone) && entries.length > UNPACKED_MAX;
		const copies = await pooled(zones.filter(isPacked), atOnce, ([zone]) => readPack(bucket, zone));
		const copied = new Map(copies.flatMap((lines) => [...lines]));
		yield* await pooled(wanted, atOnce, async (entry) => {
			const copy = copied.get(entry.id);
			return openEntry(secrets, copy?.version === entry.version ? copy : await readObject(bucket, entry));
		});
	}
}

/** The packs in which codes are copied. */
export function packsOf(codes: string[]): string[] {
	return [...new Set(codes.map((id) => PACKS + zoneOf({ id })))];
}

/** Updates the pack of a zone, and returns how many calls that took. */
async function packZone(bucket: R2Bucket, zone: string, entries: Listed[], callsMax: number): Promise<number> {
	const wanted = entries.filter(({ version }) => version > 0);
	if (wanted.length <= UNPACKED_MAX) return 0;
	const contents = wanted.map(({ id, version }) => `${id} ${version}`).join();
	const digest = base64url.encode(
		new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(contents))),
	);
	const there = await inAttempts(() => bucket.head(PACKS + zone));
	if (there?.customMetadata?.digest === digest) return 1;
	const known = there ? await readPack(bucket, zone) : new Map<string, Packed>();
	const isKnown = ({ id, version }: Listed) => known.get(id)?.version === version;
	// What this run has no calls for, the next one packs.
	const fresh = wanted.filter((entry) => !isKnown(entry)).slice(0, callsMax);
	const read = await pooled(fresh, ENTRIES_AT_ONCE, (entry) => readObject(bucket, entry));
	const lines = [...wanted.filter(isKnown).map(({ id }) => known.get(id)!), ...read];
	const text = lines.map((line) => JSON.stringify(line)).join("\n");
	const isWhole = lines.length === wanted.length;
	await inAttempts(() => bucket.put(PACKS + zone, text, { customMetadata: { digest: isWhole ? digest : "" } }));
	return fresh.length + 3;
}

/**
 * Updates packs, zone by zone, until the calls of a run are used up. The next run continues there, and starts over at the end.
 * Returns how many calls it made.
 */
export async function packEntries(bucket: R2Bucket, callsMax = PACKING_CALLS_MAX): Promise<number> {
	const after = await (await bucket.get(PACKED_UP_TO))?.text();
	let calls = 0;
	let reached = after;
	let rest: Listed[] = [];
	for await (const { listed, isLast } of pagesOfEntries(bucket, ADDRESS_ENTRIES, after)) {
		calls += 1;
		const zones = [...Map.groupBy([...rest, ...listed], zoneOf)];
		// The last zone may go on in the next page.
		rest = isLast ? [] : (zones.pop()?.[1] ?? []);
		for (const [zone, entries] of zones) {
			if (calls >= callsMax) break;
			calls += await packZone(bucket, zone, entries, callsMax - calls);
			reached = entries.at(-1)?.key;
		}
		if (calls >= callsMax) break;
		if (isLast) reached = "";
	}
	if (reached !== (after ?? "")) await inAttempts(() => bucket.put(PACKED_UP_TO, reached ?? ""));
	return calls;
}
