/** All SQL that brings a new edition of the zone index to addresses. */
import { and, gt, isNull, lt, ne, sql } from "drizzle-orm";
import { addresses } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { changedAt } from "./address-columns-store.ts";
import type { StoredAddress } from "./store.ts";

/** The names that an address has for its place. */
type Said = Pick<StoredAddress, "zoneName" | "zoneRegion" | "region" | "locality">;

/** An address that an older edition of the zone index named. */
export type OfOlderEdition = Pick<StoredAddress, "canonical" | "lat" | "lng" | "isLocalityChosen"> & Said;

/** What a newer edition says about an address. The point is included to check that the pin has not moved meanwhile. */
export type Renewed = Pick<StoredAddress, "canonical" | "lat" | "lng"> & Said & { edition: string };

const { canonical, lat, lng, retiredItselfAt, isLocalityChosen, zoneName, zoneRegion, region, locality } = addresses;

/**
 * Addresses of older editions after a given code that are not retired themselves, in the order of codes: those of a closed account too, for
 * when it is opened again. It leaves out the sandbox, and addresses without a recorded edition.
 */
export const ofOlderEditions = statement(
	({ edition, after, limit }: Parameters<{ edition: string; after: string; limit: number }>) =>
		query
			.select({ canonical, lat, lng, isLocalityChosen, zoneName, zoneRegion, region, locality })
			.from(addresses)
			.where(and(gt(canonical, after), lt(canonical, "ZZ"), ne(addresses.edition, edition), isNull(retiredItselfAt)))
			.orderBy(canonical)
			.limit(limit),
);

/** Updates addresses to what a newer edition says, unless their pin has moved. */
export const renew = statement(({ renewed, now }: Parameters<{ renewed: Renewed[]; now: number }>) => {
	const of = (field: keyof Renewed) => sql`renewed.value ->> ${sql.raw(`'${field}'`)}`;
	return query
		.update(addresses)
		.set({
			zoneName: of("zoneName"),
			zoneRegion: of("zoneRegion"),
			region: of("region"),
			locality: sql`iif(${isLocalityChosen}, ${locality}, ${of("locality")})`,
			edition: of("edition"),
			...changedAt(now),
		})
		.from(sql`json_each(${renewed}) as renewed`)
		.where(
			sql`${canonical} = ${of("canonical")} and ${retiredItselfAt} is null and ${lat} = ${of("lat")} and ${lng} = ${of("lng")}`,
		);
});

/** Notes the edition that addresses have been compared with and that changes nothing about them, so it is no change of theirs. */
export const noteCompared = statement(({ compared, edition }: Parameters<{ compared: string[]; edition: string }>) =>
	query
		.update(addresses)
		.set({ edition: sql`${edition}` })
		.where(sql`${canonical} in (select value from json_each(${compared}))`),
);
