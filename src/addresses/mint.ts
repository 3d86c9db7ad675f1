import type { Caller } from "../db/caller.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import type { RateLimitState } from "../limits/rate-limit-headers.ts";
import type { WriteLimits } from "../limits/write-limits.ts";
import { log } from "../log.ts";
import { findZone } from "../zones/find.ts";
import type { Zone, ZoneLocator } from "../zones/locate.ts";
import { zoneDigits } from "../zones/naming.ts";
import { freeNumbers } from "../zones/numbers.ts";
import { codeOfUnit, UNITS_PER_ZONE } from "./code.ts";
import type { NewAddress } from "./code-store.ts";
import { type ContentField, contentOf } from "./content.ts";
import { addressRetired, type StoreOf } from "./resolve.ts";
import type { Address, AddressStore, StoredAddress } from "./store.ts";

/**
 * How many random codes the draws under one number offer to the database, one draw after the other. In a zone that is 80 % full, all of the
 * first draw are taken once in 35 times. In one that is 97 % full, all of the second are taken once in 50 times.
 */
const CANDIDATES = [16, 128];

/** Overflow numbers tried in one request before giving up: more means that thousands race for one area. */
const OVERFLOWS_TRIED_MAX = 8;

/** Share of a country's numbers for full zones from which on each that is opened is logged as a warning. */
const FILL_WARNED = 0.8;

export interface MintContext {
	caller: Caller;
	storeOf: StoreOf;
	/** The stores of every database, because what was minted under an Idempotency-Key may be in any of them. */
	stores: AddressStore[];
	locator: ZoneLocator;
	/** On what the caller mints today, counted in the database that holds a country's addresses. */
	limitsIn: (country: string) => WriteLimits;
	/** Milliseconds since the epoch. */
	now: number;
}

/** An address that is to be minted: its content, and the key that makes the request safe to repeat. */
export interface MintRequest extends Pick<Address, ContentField> {
	/** The value of the Idempotency-Key header. */
	idempotencyKey: string | undefined;
}

/** The address that a request has minted, or that its Idempotency-Key had minted before; the quota as it stands after minting. */
export interface Minted {
	address: Address;
	quota?: RateLimitState | undefined;
}

/** A zone number under which an area's addresses are minted. `ordinal` is 0 for the published number, 1 for the first overflow, and so on. */
interface AreaNumber {
	zone: number;
	ordinal: number;
}

/** What came of a draw. `key used` holds the address that the Idempotency-Key has minted before, `no free code` the area's newest overflow. */
type Draw =
	| { outcome: "minted"; address: Address; quota: RateLimitState | undefined }
	| { outcome: "key used"; address: StoredAddress }
	| { outcome: "no free code"; newest: AreaNumber | undefined };

/** Uniformly random integers from 0 to `bound` - 1, at most 65,536, without the bias of a bare modulo; made `atOnce` at a time. */
function* randomIntegers(bound: number, atOnce: number): Generator<number> {
	const limit = 65_536 - (65_536 % bound);
	for (;;) {
		for (const value of crypto.getRandomValues(new Uint16Array(atOnce))) if (value < limit) yield value % bound;
	}
}

/** Distinct codes of a zone, drawn uniformly. */
function randomCodes(country: string, zone: string, count: number): string[] {
	const codes = new Set<string>();
	// A sixth of what is drawn is no code: past the bound of an even draw, or a unit whose check character is X.
	for (const unit of randomIntegers(UNITS_PER_ZONE, Math.ceil(count * 1.5))) {
		const code = codeOfUnit(country, zone, unit);
		if (code) codes.add(code);
		if (codes.size === count) break;
	}
	return [...codes];
}

function allCodes(country: string, zone: string): string[] {
	return Array.from({ length: UNITS_PER_ZONE }, (_, unit) => codeOfUnit(country, zone, unit)).filter(
		(code) => code !== undefined,
	);
}

/**
 * Mints under one number of an area, until a draw finds a free code, the number has none left, or the area has gone on to another. Each draw is
 * one batch with the quota it spends and with what tells why it found nothing, so that a mint that comes to nothing spends nothing.
 */
async function mintUnder(
	{ caller, storeOf, limitsIn }: MintContext,
	{ country, zone: area }: Zone,
	number: AreaNumber,
	address: Omit<NewAddress, "ownerId">,
): Promise<Draw> {
	const store = storeOf(country);
	const limits = limitsIn(country);
	const zone = zoneDigits(number.zone);
	const { idempotencyKey } = address;

	const draw = async (count: number): Promise<Draw> => {
		const codes = randomCodes(country, zone, count);
		const drawing = () =>
			caller.runAs((ownerId) => [
				store.insertUnderFreeCode({ ...address, ownerId }, { prefix: country + zone, codes }),
				...limits.spend,
				store.newestOverflow({ country, area }),
				store.byIdempotencyKey({ ownerId, idempotencyKey }),
			]);
		try {
			// Without a key, a second try after a lost answer could mint a second address. Under a key it finds what the first has minted.
			const [[minted], spent, , [newest], [earlier]] = await (idempotencyKey ? retryIdempotent(drawing) : drawing());
			if (minted) return { outcome: "minted", address: minted, quota: limits.stateAfter(spent) };
			return earlier ? { outcome: "key used", address: earlier } : { outcome: "no free code", newest };
		} catch (error) {
			throw limits.explain(error);
		}
	};

	const hasEnded = (drawn: Draw) =>
		drawn.outcome !== "no free code" || (drawn.newest !== undefined && drawn.newest.zone !== number.zone);
	for (const count of CANDIDATES) {
		const drawn = await draw(count);
		if (hasEnded(drawn)) return drawn;
	}
	await inOneTrip(store.keepLastCodes(allCodes(country, zone)));
	return draw(1);
}

/** Tells the operator when a country has opened most of the numbers that are left for zones that fill up. */
function warnOfFill(country: string, opened: number, free: number): void {
	if (opened >= FILL_WARNED * free) log("warn", "country_filling", { country, opened, left: free - opened });
}

/** Mints in the zone that holds the point, going on to its overflow numbers when it is full. */
async function mintInArea(
	context: MintContext,
	zone: Zone,
	address: Omit<NewAddress, "ownerId">,
): Promise<Exclude<Draw, { outcome: "no free code" }>> {
	const { storeOf, locator, now } = context;
	const { country, zone: area } = zone;
	const store = storeOf(country);
	let number: AreaNumber = { zone: area, ordinal: 0 };
	for (let attempt = 0; attempt < OVERFLOWS_TRIED_MAX; attempt += 1) {
		const draw = await mintUnder(context, zone, number, address);
		if (draw.outcome !== "no free code") return draw;
		let { newest } = draw;
		if ((newest?.ordinal ?? 0) <= number.ordinal) {
			const numbers = (await locator.numbersOf(country)) ?? { published: [], retired: [] };
			const free = freeNumbers(numbers);
			const overflow = { country, area, ordinal: number.ordinal + 1, free, zones: numbers.published.length, now };
			const [, [opened], [current]] = await inOneTrip(
				store.openOverflow(overflow),
				store.openedIn({ country }),
				store.newestOverflow({ country, area }),
			);
			newest = current;
			if (newest?.ordinal === overflow.ordinal) warnOfFill(country, opened?.count ?? 0, free.length);
		}
		if (!newest || newest.ordinal <= number.ordinal) break;
		number = newest;
	}
	log("warn", "zone_full", { country: zone.country, zone: zone.zone });
	throw new AppError("ZONE_FULL", "Every code of this zone is taken, and its country has no zone number left to add.");
}

/** What the caller has minted under an Idempotency-Key, as far as these stores know. */
async function findEarlier(
	caller: Caller,
	stores: AddressStore[],
	idempotencyKey: string,
): Promise<StoredAddress | undefined> {
	const found = await Promise.all(
		stores.map((store) => caller.runAs((ownerId) => [store.byIdempotencyKey({ ownerId, idempotencyKey })])),
	);
	return found.flat(2)[0];
}

/**
 * Mints an address for a coordinate: finds its zone and lets the database draw a free code there.
 *
 * A retry under the same Idempotency-Key gets the first answer again, whatever has become of the zones and of the quota meanwhile. The key stands
 * in the address's own row under a unique index, so of any number of racing retries one mints and the others read what it minted.
 * @throws AppError OUTSIDE_ZONES, ZONE_FULL, IDEMPOTENCY_CONFLICT, ADDRESS_RETIRED, QUOTA_EXCEEDED; ZoneIndexError when the index cannot be read.
 */
export async function mintAddress(context: MintContext, request: MintRequest): Promise<Minted> {
	const { caller, storeOf, stores, locator, now } = context;
	const { lat, lng, idempotencyKey } = request;
	const content = contentOf(request);
	const requestHash = idempotencyKey ? sha256Hex(JSON.stringify(Object.values(content))) : null;

	/** The first answer under the key, as it was: what has changed since is not part of it, but for a retirement, after which the code leads nowhere. */
	const replay = (first: StoredAddress): Minted => {
		if (first.requestHash === requestHash) {
			if (first.retiredAt !== null) throw addressRetired(first.successor);
			return { address: { ...first, ...content, verificationLevel: 0 } };
		}
		throw new AppError(
			"IDEMPOTENCY_CONFLICT",
			"This Idempotency-Key was used with another body. Use a new key for a new address.",
		);
	};

	const [located] = await Promise.allSettled([findZone(locator, lat, lng)]);
	const zone = located.status === "fulfilled" ? located.value : undefined;
	if (idempotencyKey) {
		// The draw itself looks where it inserts, so only the other databases are asked beforehand.
		const others = stores.filter((store) => !zone || store !== storeOf(zone.country));
		const earlier = await findEarlier(caller, others, idempotencyKey);
		if (earlier) return replay(earlier);
	}
	if (located.status === "rejected") {
		await caller.run();
		throw located.reason;
	}
	const draw = await mintInArea(context, located.value, {
		zoneName: located.value.name,
		edition: located.value.edition,
		...content,
		createdAt: now,
		idempotencyKey: idempotencyKey ?? null,
		requestHash,
	});
	return draw.outcome === "minted" ? draw : replay(draw.address);
}
