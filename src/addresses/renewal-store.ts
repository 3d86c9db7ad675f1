/** The SQL by which a new zone index reaches addresses. */
import { and, gt, isNull, lt, ne, sql } from "drizzle-orm";
import { addresses } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { changedAt } from "./live-store.ts";
import type { StoredAddress } from "./store.ts";

/** What an address says of where it is. */
type Said = Pick<StoredAddress, "zoneName" | "zoneRegion" | "region" | "locality">;

/** An address that an older edition of the zone index named. */
export type OfOlderEdition = Pick<StoredAddress, "canonical" | "lat" | "lng" | "isLocalityChosen"> & Said;

/** What a newer edition says of it. The point tells that it has not moved meanwhile. */
export type Renewed = Pick<StoredAddress, "canonical" | "lat" | "lng"> & Said & { edition: string; isChanged: boolean };

const { canonical, lat, lng, retiredAt, isLocalityChosen, zoneName, zoneRegion, region, locality } = addresses;

/**
 * Live addresses of older editions in the order of their codes, from just after one. The sandbox has none to renew, and neither is an
 * address renewed of which no edition was noted.
 */
export const ofOlderEditions = statement(
	({ edition, after, limit }: Parameters<{ edition: string; after: string; limit: number }>) =>
		query
			.select({ canonical, lat, lng, isLocalityChosen, zoneName, zoneRegion, region, locality })
			.from(addresses)
			.where(and(gt(canonical, after), lt(canonical, "ZZ"), ne(addresses.edition, edition), isNull(retiredAt)))
			.orderBy(canonical)
			.limit(limit),
);

/** Writes what a newer edition says of addresses that have not moved. `renewed` is a JSON list. */
export const renew = statement(({ renewed, now }: Parameters<{ renewed: string; now: number }>) => {
	const of = (field: keyof Renewed) => sql`renewed.value ->> ${sql.raw(`'${field}'`)}`;
	const { version, updatedAt } = changedAt(now);
	const isChanged = sql`${of("isChanged")} = 1`;
	return query
		.update(addresses)
		.set({
			zoneName: of("zoneName"),
			zoneRegion: of("zoneRegion"),
			region: of("region"),
			locality: sql`iif(${isLocalityChosen}, ${locality}, ${of("locality")})`,
			edition: of("edition"),
			version: sql`iif(${isChanged}, ${version}, ${addresses.version})`,
			updatedAt: sql`iif(${isChanged}, ${updatedAt}, ${addresses.updatedAt})`,
		})
		.from(sql`json_each(${renewed}) as renewed`)
		.where(
			sql`${canonical} = ${of("canonical")} and ${retiredAt} is null and ${lat} = ${of("lat")} and ${lng} = ${of("lng")}`,
		);
});
