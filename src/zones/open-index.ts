/**
 * Reads the parts of a zone index that are needed, and caches them.
 *
 * The index is reached through a read function, so that the same code runs in the Worker, in the builder and in tests.
 */
import { MINUTE } from "../time/time.ts";
import { decodeGazetteer, decodeNumbers, decodeShard } from "./decode.ts";
import {
	type Directory,
	FIRST_READ_BYTES,
	gazetteersIn,
	partOfCountry,
	readDirectory,
	ZoneIndexError,
} from "./format.ts";
import type { Gazetteer } from "./gazetteer.ts";
import type { CountryNumbers } from "./numbers.ts";
import type { Shard } from "./shard.ts";

/** One ranged read of the index object: `length` bytes from `offset`; `etag` names the object version the bytes came from. */
export type ReadRange = (offset: number, length: number) => Promise<{ bytes: Uint8Array; etag: string }>;

/**
 * Most bytes of decoded parts an isolate caches: all shards of the world, 11 MB, and the gazetteer of a continent. The least recently used
 * go first.
 */
const CACHED_BYTES = 16 * 1024 * 1024;
/** The object can be replaced while it is read: then what was read is dropped and the look-up starts again, once. */
const ATTEMPTS = 2;
/** How long an index is trusted before the store is asked whether it is still the same, in milliseconds. */
const TRUSTED_MILLISECONDS = MINUTE;
/** Parts read at once: a Worker may wait for six connections at a time. */
const READS_AT_ONCE = 6;

/** A part that countries are in. */
type Part = Shard | Gazetteer;
type Decode<Kind extends Part> = (directory: Directory, number: number, stored: Uint8Array) => Kind;

/** One version of the index object. It caches resolved values only: a promise must not outlive its request. */
export class ZoneIndex {
	readonly etag: string;
	readonly directory: Directory;
	/** When the etag was last seen in the store, in milliseconds since the epoch. */
	provedAt: number;
	readonly #read: ReadRange;
	readonly #bytesMax: number;
	/** Shards and parts of the gazetteer by the number of each part, in order of last use. */
	readonly #parts = new Map<number, Part>();
	/** Zone numbers by number of the country, once they have been asked for. */
	readonly #numbers = new Map<number, CountryNumbers>();
	/** Numbers of the shards that each country is in, by number of the country, once they have been asked for. */
	#shardsOf: Map<number, number[]> | undefined;
	/** The same for the parts of the gazetteer. */
	#gazetteersOf: Map<number, number[]> | undefined;

	constructor(etag: string, provedAt: number, directory: Directory, read: ReadRange, bytesMax: number) {
		this.etag = etag;
		this.provedAt = provedAt;
		this.directory = directory;
		this.#read = read;
		this.#bytesMax = bytesMax;
	}

	/** The stored bytes of a part. @throws ZoneIndexError changing, if they are of another version of the object. */
	async #stored(number: number): Promise<Uint8Array> {
		const { partOffsets } = this.directory;
		const { bytes, etag } = await this.#read(partOffsets[number]!, partOffsets[number + 1]! - partOffsets[number]!);
		if (etag === this.etag) return bytes;
		throw new ZoneIndexError("changing", "the object was replaced twice during one look-up");
	}

	/** A part, from the cache or else from the store. */
	async #part<Kind extends Part>(number: number, decode: Decode<Kind>): Promise<Kind> {
		const cached = this.#parts.get(number);
		if (cached !== undefined) {
			this.#parts.delete(number);
			this.#parts.set(number, cached);
			// The number of a part decides how it is decoded, so the cached one has the right type.
			return cached as Kind;
		}
		const part = decode(this.directory, number, await this.#stored(number));
		// Another request may have loaded the same part meanwhile.
		if (!this.#parts.has(number)) this.#parts.set(number, part);
		let cachedBytes = 0;
		for (const { memoryBytes } of this.#parts.values()) cachedBytes += memoryBytes;
		for (const [oldest, { memoryBytes }] of this.#parts) {
			if (cachedBytes <= this.#bytesMax || oldest === number) break;
			this.#parts.delete(oldest);
			cachedBytes -= memoryBytes;
		}
		return part;
	}

	/** Which of the given parts each country is in. Parts that are not cached already are read but not cached. */
	async #partsByCountry<Kind extends Part>(
		numbers: readonly number[],
		decode: Decode<Kind>,
		countriesOf: (part: Kind) => Iterable<number>,
	): Promise<Map<number, number[]>> {
		const partsOf = new Map<number, number[]>();
		for (let first = 0; first < numbers.length; first += READS_AT_ONCE) {
			const some = numbers.slice(first, first + READS_AT_ONCE).map(async (number) => {
				const cached = this.#parts.get(number) as Kind | undefined;
				const part = cached ?? decode(this.directory, number, await this.#stored(number));
				for (const country of new Set(countriesOf(part))) {
					partsOf.set(country, [...(partsOf.get(country) ?? []), number]);
				}
			});
			await Promise.all(some);
		}
		return partsOf;
	}

	shard(number: number): Promise<Shard> {
		return this.#part(number, decodeShard);
	}

	/** @param number The number of the part, as `gazetteerOfKey` finds it. */
	gazetteer(number: number): Promise<Gazetteer> {
		return this.#part(number, decodeGazetteer);
	}

	/** The zone numbers of a country. `country` is its number in the directory, here and below. */
	async numbersOf(country: number): Promise<CountryNumbers> {
		const known = this.#numbers.get(country);
		if (known) return known;
		const numbers = decodeNumbers(this.directory, country, await this.#stored(partOfCountry(this.directory, country)));
		this.#numbers.set(country, numbers);
		return numbers;
	}

	/** Numbers of the shards that a country is in. The first call reads all shards, several at a time. */
	async shardsOf(country: number): Promise<readonly number[]> {
		const shards = [...this.directory.shardStarts.keys()];
		this.#shardsOf ??= await this.#partsByCountry(shards, decodeShard, ({ areaCountries }) =>
			areaCountries.subarray(1),
		);
		return this.#shardsOf.get(country) ?? [];
	}

	/** Numbers of the parts of the gazetteer that a country is in. The first call reads all of the gazetteer, several parts at a time. */
	async gazetteersOf(country: number): Promise<readonly number[]> {
		const parts = gazetteersIn(this.directory);
		this.#gazetteersOf ??= await this.#partsByCountry(parts, decodeGazetteer, ({ regionCountries }) => regionCountries);
		return this.#gazetteersOf.get(country) ?? [];
	}
}

/**
 * Whether an error means that the store answered with wrong bytes, so that reading once more may help. An object shorter than its
 * directory says has been replaced since the directory was read.
 */
function isDamage(error: unknown): boolean {
	return error instanceof ZoneIndexError && error.reason !== "missing" && error.reason !== "unreadable";
}

/** Answers a question from the index. If the object was replaced meanwhile or came damaged, it is opened anew and asked once more. */
export type AskIndex = <Answer>(question: (index: ZoneIndex) => Promise<Answer>) => Promise<Answer>;

/**
 * Opens the index that `read` reads when it is first asked, and confirms once a minute that the object is still the same.
 * @param now Milliseconds since the epoch.
 * @param bytesMax Most bytes of decoded parts to cache.
 */
export function openIndex(read: ReadRange, now: () => number = Date.now, bytesMax: number = CACHED_BYTES): AskIndex {
	let opened: ZoneIndex | undefined;

	/** The open index. If it was last confirmed a minute ago or more, the first bytes in the store confirm it or replace it. */
	async function trusted(): Promise<ZoneIndex> {
		const known = opened;
		if (known && now() - known.provedAt < TRUSTED_MILLISECONDS) return known;
		const provedAt = now();
		const { bytes, etag } = await read(0, FIRST_READ_BYTES);
		if (known?.etag === etag) {
			known.provedAt = provedAt;
			return known;
		}
		opened = new ZoneIndex(etag, provedAt, readDirectory(bytes), read, bytesMax);
		return opened;
	}

	return async (question) => {
		for (let attempt = 1; ; attempt += 1) {
			let index: ZoneIndex | undefined;
			try {
				index = await trusted();
				return await question(index);
			} catch (error) {
				if (!isDamage(error)) throw error;
				if (opened === index) opened = undefined;
				if (attempt === ATTEMPTS) throw error;
			}
		}
	};
}
