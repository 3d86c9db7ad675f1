import { retryIdempotent } from "../db/retry.ts";
import { AppError } from "../errors.ts";
import type { DailyQuota } from "../limits/daily-quota.ts";
import { sha256Hex } from "../secret.ts";
import { findZone } from "../zones/find.ts";
import type { Zone, ZoneLocator } from "../zones/locate.ts";
import { zoneDigits } from "../zones/naming.ts";
import { codeOfUnit, UNITS_PER_ZONE } from "./code.ts";
import type { StoreOf } from "./resolve.ts";
import type { Address, AddressStore, Draw, NewAddress } from "./store.ts";

/** How many random codes one draw offers the database. A zone must be about 97 % full before all of them are likely to be taken. */
const CANDIDATES = 128;

/** Overflow numbers tried in one request before giving up: more means that thousands race for one area. */
const OVERFLOWS_TRIED_MAX = 8;

export interface MintContext {
	storeOf: StoreOf;
	/** Of every database: what was minted under an Idempotency-Key may lie in any. */
	stores: AddressStore[];
	locator: ZoneLocator;
	/** What the owner may still mint today. */
	quota: Pick<DailyQuota, "spend" | "refund">;
	/** Milliseconds since the epoch. */
	now: number;
}

/** What is asked for. Degrees, WGS 84; the label in NFC. */
export interface MintRequest {
	lat: number;
	lng: number;
	label: string;
	ownerId: string;
	/** Of the Idempotency-Key header. */
	idempotencyKey: string | undefined;
}

/** What came of minting where a code was free. */
type Issued = Exclude<Draw, { outcome: "no free code" }>;

/** Uniformly random integers from 0 to `bound` - 1, at most 65,536, without the bias of a bare modulo. */
function* randomIntegers(bound: number): Generator<number> {
	const limit = 65_536 - (65_536 % bound);
	for (;;) {
		for (const value of crypto.getRandomValues(new Uint16Array(CANDIDATES))) if (value < limit) yield value % bound;
	}
}

/** Distinct codes of a zone, drawn uniformly. */
function randomCodes(country: string, zone: string, count: number): string[] {
	const codes = new Set<string>();
	for (const unit of randomIntegers(UNITS_PER_ZONE)) {
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

/** Draws a code of one zone number; again from its last codes when no candidate was free. */
async function mintInZone(store: AddressStore, address: NewAddress, country: string, zone: string): Promise<Draw> {
	const insert = () => store.insertUnderFreeCode(address, country + zone, randomCodes(country, zone, CANDIDATES));
	const draw = async (): Promise<Draw> => {
		// Without a key, a second try after a lost answer could mint a second address.
		if (address.idempotencyKey === null) return insert();
		let attempts = 0;
		const drawn = await retryIdempotent(() => {
			attempts += 1;
			return insert();
		});
		// What an attempt had written whose answer was lost is this request's own.
		return drawn.outcome === "key used" && attempts > 1 ? { ...drawn, outcome: "minted" } : drawn;
	};
	const first = await draw();
	if (first.outcome !== "no free code") return first;
	return (await store.keepLastCodes(allCodes(country, zone))) ? draw() : first;
}

/** Mints within the owner's quota, which a mint that comes to nothing leaves as it was. */
async function mintWithinQuota(context: MintContext, zone: Zone, address: NewAddress): Promise<Issued> {
	await context.quota.spend();
	let minted: Issued | undefined;
	try {
		minted = await mintInArea(context, zone, address);
		return minted;
	} finally {
		// Settled, so that a refund that fails does not hide why nothing was minted.
		if (minted?.outcome !== "minted") await Promise.allSettled([context.quota.refund()]);
	}
}

/** Mints in the zone that holds the point, going on to its overflow numbers when it is full. */
async function mintInArea(context: MintContext, zone: Zone, address: NewAddress): Promise<Issued> {
	const store = context.storeOf(zone.country);
	for (let attempt = 0; attempt < OVERFLOWS_TRIED_MAX; attempt += 1) {
		const overflow = await store.newestOverflow(zone.country, zone.zone);
		const number = overflow?.zone ?? zone.zone;
		const draw = await mintInZone(store, address, zone.country, zoneDigits(number));
		if (draw.outcome !== "no free code") return draw;
		const ordinal = (overflow?.ordinal ?? 0) + 1;
		const published = (await context.locator.publishedZones(zone.country)) ?? 0;
		await store.openOverflow(zone.country, zone.zone, ordinal, published, context.now);
		if ((await store.newestOverflow(zone.country, zone.zone))?.zone === overflow?.zone) break;
	}
	throw new AppError("ZONE_FULL", "Every code of this zone is taken, and its country has no zone number left for it.");
}

/**
 * Mints an address for a coordinate: finds its zone and lets the database draw a free code there.
 *
 * A retry under the same Idempotency-Key gets the first answer again. The key stands in the address's own row under a unique
 * index, so of any number of racing retries one mints and the others read what it minted.
 * @throws AppError OUTSIDE_ZONES, ZONE_FULL, IDEMPOTENCY_CONFLICT, QUOTA_EXCEEDED; ZoneIndexError when the index cannot be read.
 */
export async function mintAddress(context: MintContext, request: MintRequest): Promise<Address> {
	const { lat, lng, label, ownerId, idempotencyKey } = request;
	const requestHash = idempotencyKey ? sha256Hex(JSON.stringify([lat, lng, label])) : null;

	/** The first answer under the key, as it was: what has changed since is not part of it. */
	const replayOf = (first: Address): Address => {
		if (first.requestHash === requestHash) return { ...first, label, verificationLevel: 0 };
		throw new AppError(
			"IDEMPOTENCY_CONFLICT",
			"This Idempotency-Key was used with another body. Use a new key for a new address.",
		);
	};
	const earlier = async (): Promise<Address | undefined> => {
		if (!idempotencyKey) return undefined;
		const found = await Promise.all(context.stores.map((store) => store.byIdempotencyKey(ownerId, idempotencyKey)));
		return found.find((address) => address !== undefined);
	};

	// Asked before the zone, so that a repeated request is answered whatever has become of the zones meanwhile.
	const first = await earlier();
	if (first) return replayOf(first);
	const zone = await findZone(context.locator, lat, lng);
	const issued = await mintWithinQuota(context, zone, {
		zoneName: zone.name,
		lat,
		lng,
		label,
		ownerId,
		createdAt: context.now,
		idempotencyKey: idempotencyKey ?? null,
		requestHash,
	}).catch(async (error) => {
		// The quota may have gone to a request under the same key, which this one is then answered by.
		const meanwhile = await earlier();
		if (!meanwhile) throw error;
		return { outcome: "key used", address: meanwhile } as const;
	});
	return issued.outcome === "minted" ? issued.address : replayOf(issued.address);
}
