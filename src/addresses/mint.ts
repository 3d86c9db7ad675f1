import { recordingDatabase } from "../accounts/address-database-actions.ts";
import { codeOfSerial, partsOf, SERIALS_PER_ZONE } from "../codes/code.ts";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { sha256Hex } from "../crypto/hash.ts";
import type { Caller } from "../db/caller.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { type Database, isFull } from "../db/open.ts";
import { inOneTrip, type Statements, spending } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { spendingMint } from "../limits/daily-limits.ts";
import { noteShortage } from "../limits/suspicious.ts";
import { log } from "../logs/log.ts";
import type { Point } from "../points/point.ts";
import type { Registry } from "../registry.ts";
import { localityOf, namePoint } from "../zones/find.ts";
import type { Zone } from "../zones/locate.ts";
import { zoneDigits } from "../zones/naming.ts";
import { freeNumbersNear } from "../zones/numbers.ts";
import type { NewAddress } from "./code-store.ts";
import { type Content, contentHash, contentOf, textsOf, type Wishes } from "./content.ts";
import { inOtherDatabases, inOwnersDatabases } from "./databases-of-owner.ts";
import { assertEntrance } from "./entrance.ts";
import { addressRetired } from "./retired-or-withheld.ts";
import type { Address, StoredAddress } from "./store.ts";
import * as addressStore from "./store.ts";

/**
 * How many random codes each draw under one number offers to the database, draw by draw. In a zone that is 80 % full, the first draw finds
 * all of its codes taken once in 35 times. In one that is 97 % full, the second does so once in 50 times.
 */
const CODES_OFFERED = [16, 128];

/** How many hexadecimal digits of the hash of an Idempotency-Key, and of its request, are stored: 128 bits. */
const HASH_CHARACTERS = 32;

/** The most overflow numbers that one request tries. Needing more means that thousands of requests race for one area. */
const OVERFLOWS_TRIED_MAX = 8;

/** The share of a country's overflow numbers from which on every number that is opened is logged as a warning. */
const COUNTRY_FILL_WARNED = 0.8;

/** A request to mint an address: its content, and a key or an external id that makes it safe to repeat. */
export interface MintRequest extends Content, Wishes {
	/** The value of the Idempotency-Key header. */
	idempotencyKey: string | undefined;
	/** The owner's own name for the address, which works like a key. */
	externalId?: string | undefined;
}

/**
 * A zone number under which an area's addresses are minted. `ordinal` is 0 for the published number, 1 for the first overflow,
 * and so on.
 */
interface AreaNumber {
	zone: number;
	ordinal: number;
}

/** The outcome of a draw. */
interface Draw {
	/** What was minted, or what the Idempotency-Key or the external id has already; undefined if no code is free. */
	address?: StoredAddress | undefined;
	/** The area's newest overflow, if no code is free and it has one. */
	newest?: AreaNumber | undefined;
}

/** The country and number of a zone, such as `NG0311`: the prefix of its codes. */
export const prefixOf = ({ country, zone }: Pick<Zone, "country" | "zone">) => country + zoneDigits(zone);

/** How many values of 16 bits are drawn from: a multiple of the serial numbers of a zone, so that all remainders are equally likely. */
const EVEN_VALUES = 65_536 - (65_536 % SERIALS_PER_ZONE);

/** Distinct codes of a zone such as `NG0311`, drawn uniformly. */
export function randomCodes(prefix: string, count: number): string[] {
	const { country, zone } = partsOf(prefix);
	const codes = new Set<string>();
	while (codes.size < count) {
		// A sixth of what is drawn yields no code: a value past the bound of an even draw, or a serial number whose check character is X.
		for (const value of crypto.getRandomValues(new Uint16Array(Math.ceil(count * 1.5)))) {
			const code = value < EVEN_VALUES ? codeOfSerial(country, zone, value % SERIALS_PER_ZONE) : undefined;
			if (code && codes.size < count) codes.add(code);
		}
	}
	return [...codes];
}

function allCodes(prefix: string): string[] {
	const { country, zone } = partsOf(prefix);
	return Array.from({ length: SERIALS_PER_ZONE }, (_, serial) => codeOfSerial(country, zone, serial)).filter(
		(code) => code !== undefined,
	);
}

/** The database in which a country opens overflow numbers: that of its zone 0000. */
export function homeOf(registry: Registry, country: string): Database {
	return registry.databaseOf({ country, zone: "0000" });
}

/** A statement to run before minting in a database other than that of accounts: it refuses if the zone is not at home there. */
export function provingHome({ name }: Database, zone: string): Statements {
	return name === ACCOUNTS ? {} : { isHome: addressStore.assertHome({ zone }) };
}

/**
 * Mints under one number of an area, until a draw finds a free code, the number has none left, or the area has gone on to another number.
 * Each draw is one batch with the quota it spends and with the reads that tell why it found nothing, so that a failed mint spends nothing.
 */
async function mintUnder(
	registry: Registry,
	caller: Caller,
	{ country, zone: area }: Zone,
	number: AreaNumber,
	address: Omit<NewAddress, "ownerId">,
): Promise<Draw> {
	const prefix = prefixOf({ country, zone: number.zone });
	const database = registry.databaseOf(partsOf(prefix));
	// The remaining space is for changes of existing addresses.
	if (isFull(database)) {
		throw new AppError(
			"UNAVAILABLE",
			"The registry is full and takes no new addresses for now. Its operator has to make room.",
			{
				headers: { "Retry-After": "3600" },
			},
		);
	}
	const home = homeOf(registry, country);
	const isSandbox = country === SANDBOX_COUNTRY;
	const { idempotencyKey, externalId } = address;
	const newest = addressStore.newestOverflow({ country, area });

	const draw = async (count: number): Promise<Draw> => {
		const codes = randomCodes(prefix, count);
		const {
			minted: [minted],
			earlier: [earlier],
			newest: known,
		} = await caller.run(database, (ownerId) => ({
			...recordingDatabase(ownerId, database, caller.databaseNames),
			...provingHome(database, prefix),
			minted: spending(
				addressStore.insertUnderFreeCode({ ...address, ownerId }, prefix, codes),
				spendingMint(registry, prefix, ownerId, { texts: textsOf(address) }),
			),
			...(home === database ? { newest } : {}),
			earlier: addressStore.ofEarlierRequest({ ownerId, isSandbox, idempotencyKey, externalId }),
		}));
		const found = minted ?? earlier;
		if (found) return { address: found };
		const [current] = known ?? (await inOneTrip(home, newest));
		return { newest: current };
	};

	for (const count of CODES_OFFERED) {
		const drawn = await draw(count);
		if (drawn.address || (drawn.newest && drawn.newest.zone !== number.zone)) return drawn;
	}
	await inOneTrip(database, addressStore.storeLastCodes({ codes: allCodes(prefix) }));
	return draw(1);
}

/** Warns the operator when a country has opened most of the numbers that it has for full zones. */
function warnOfFill(registry: Registry, country: string, opened: number, free: number): void {
	if (opened < COUNTRY_FILL_WARNED * free) return;
	log("warn", "country_filling", { country, opened, left: free - opened });
	if (country !== SANDBOX_COUNTRY) noteShortage(registry, "country_filling", country);
}

/** Mints in the zone that holds the point, or under its overflow numbers once it is full. */
async function mintInArea(
	registry: Registry,
	caller: Caller,
	zone: Zone,
	address: Omit<NewAddress, "ownerId">,
): Promise<StoredAddress> {
	const { country, zone: area } = zone;
	const home = homeOf(registry, country);
	let number: AreaNumber = { zone: area, ordinal: 0 };
	for (let attempt = 0; attempt < OVERFLOWS_TRIED_MAX; attempt += 1) {
		const draw = await mintUnder(registry, caller, zone, number, address);
		if (draw.address) return draw.address;
		let { newest } = draw;
		if ((newest?.ordinal ?? 0) <= number.ordinal) {
			const numbers = (await registry.zones.numbersOf(country)) ?? { published: [], retired: [] };
			const free = freeNumbersNear(area, numbers);
			const ordinal = number.ordinal + 1;
			const overflow = { country, area, ordinal, free, zones: numbers.published.length, now: registry.now };
			const {
				count: [opened],
				current: [current],
			} = await inOneTrip(home, {
				...provingHome(home, `${country}0000`),
				opened: addressStore.openOverflow(overflow),
				count: addressStore.openedIn({ country }),
				current: addressStore.newestOverflow({ country, area }),
			});
			newest = current;
			if (newest?.ordinal === ordinal) warnOfFill(registry, country, opened?.count ?? 0, free.length);
		}
		if (!newest || newest.ordinal <= number.ordinal) break;
		number = newest;
	}
	log("warn", "zone_full", { country, zone: area });
	if (country !== SANDBOX_COUNTRY) noteShortage(registry, "zone_full", prefixOf(zone));
	throw new AppError("ZONE_FULL", "Every code of this zone is taken, and its country has no zone number left to add.");
}

const keyConflict = () =>
	new AppError(
		"IDEMPOTENCY_CONFLICT",
		"This Idempotency-Key was used with another body. Use a new key for a new address.",
	);

/**
 * Where an address would be minted, and what it would store about the place of its point, so that resolving needs no zone index.
 * @throws AppError OUTSIDE_ZONES, INVALID_REQUEST for a locality that the point does not offer; ZoneIndexError.
 */
export async function locateMint(registry: Registry, caller: Caller, { lat, lng, locality }: Point & Wishes) {
	const { zone: ofPoint, region, localities } = await namePoint(registry.zones, lat, lng);
	// With a test key, the sandbox zone of the same number.
	const sandbox = { country: SANDBOX_COUNTRY, name: ["TEST", ofPoint.name].filter(Boolean).join(" ") };
	const zone: Zone = (await caller.isSandbox()) ? { ...ofPoint, ...sandbox } : ofPoint;
	return {
		zone,
		/** The country of the point, which the zone of a sandbox address does not tell. */
		country: ofPoint.country,
		placed: {
			zoneName: zone.name,
			zoneRegion: zone.region,
			edition: zone.edition,
			region,
			locality: localityOf(localities, locality),
			isLocalityChosen: locality !== undefined,
		},
	};
}

/** Where an address would be minted. */
export type MintSite = Awaited<ReturnType<typeof locateMint>>;

/**
 * Mints an address for a coordinate: finds its zone and lets the database draw a free code there.
 *
 * A retry under the same Idempotency-Key gets the first answer again, whatever has happened to zones and quota since. The key is in the
 * address's own row under a unique index: of any number of racing retries, one mints and the others read what it minted. If an address has
 * the external id already, that address is the answer, as it is.
 * @throws AppError OUTSIDE_ZONES, INVALID_REQUEST for a locality that the point does not offer, TOO_FAR for the entrance, ZONE_FULL,
 * IDEMPOTENCY_CONFLICT, ADDRESS_RETIRED, QUOTA_EXCEEDED; ZoneIndexError when the index cannot be read.
 */
export async function mintInZone(registry: Registry, caller: Caller, request: MintRequest): Promise<Address> {
	// The key is hashed because it may hold confidential data, and may be long.
	const idempotencyKey = request.idempotencyKey && sha256Hex(request.idempotencyKey).slice(0, HASH_CHARACTERS);
	const content = contentOf(request);
	const requestHash = idempotencyKey ? contentHash(request).slice(0, HASH_CHARACTERS) : null;

	/**
	 * The first answer under the key, as it was: later changes are not part of it. Only a retirement is, because the code then leads
	 * nowhere. Of an address that has just been minted, it is that address.
	 */
	const replay = (first: StoredAddress): Address => {
		// Earlier versions stored longer hashes.
		if (first.requestHash?.slice(0, HASH_CHARACTERS) !== requestHash) throw keyConflict();
		if (first.retiredAt !== null) throw addressRetired(first.successor);
		return { ...first, ...content, updatedAt: null, verificationLevel: 0, verifiedAt: null };
	};

	const earlierOf = (ownerId: string, isSandbox: boolean) =>
		addressStore.ofEarlierRequest({
			ownerId,
			isSandbox,
			idempotencyKey: idempotencyKey ?? null,
			externalId: request.externalId ?? null,
		});
	const [located] = await Promise.allSettled([locateMint(registry, caller, request)]);
	if (located.status === "rejected") {
		// A caller who is no longer signed in is told so first.
		if (!idempotencyKey) await caller.prove();
		else {
			const [earlier] = (await inOwnersDatabases(registry, caller, earlierOf)).flat();
			if (earlier) return replay(earlier);
		}
		throw located.reason;
	}
	await assertEntrance(registry, request, request.entrance);
	const { zone, placed } = located.value;
	const isRepeatable = idempotencyKey || request.externalId !== undefined;
	// The database of the zone looks for itself, in the batch that mints.
	const found = isRepeatable ? await inOtherDatabases(registry, caller, partsOf(prefixOf(zone)), earlierOf) : [];
	const [elsewhere] = found.flat();
	const address =
		elsewhere ??
		(await mintInArea(registry, caller, zone, {
			...placed,
			...content,
			createdAt: registry.now,
			externalId: request.externalId ?? null,
			idempotencyKey: idempotencyKey ?? null,
			requestHash,
		}));
	return idempotencyKey ? replay(address) : address;
}
