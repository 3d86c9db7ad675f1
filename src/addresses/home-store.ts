/** All SQL on the homes of addresses: the databases that they belong in. */
import { type SQL, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { addresses, homes } from "../db/schema.ts";
import { MOVING, type Parameters, query, statement } from "../db/statement.ts";

/** A value that a database notes about the home of a code or a zone: that of the zone's prefix, else of the country, else `otherwise`. */
const ofHome = (noted: SQL, code: unknown, otherwise: unknown) => sql`coalesce(
	(select ${noted} from ${homes} where ${homes.prefix} = substr(${code}, 1, 3)),
	(select ${noted} from ${homes} where ${homes.prefix} = substr(${code}, 1, 2)), ${otherwise})`;

/**
 * Refuses unless a zone, such as `NG0421`, is at home in the database. A database that has not been filled issues nothing, because it
 * lacks what was issued before.
 */
export const assertHome = assertion(
	({ zone }: Parameters<{ zone: string }>) => ofHome(sql`${homes.state} = 'here'`, zone, sql`0`),
	MOVING,
);

/**
 * Whether a code that is missing from the database has no address anywhere, because all codes with its prefix are here.
 * @param isOfAccounts Whether this is the database of accounts, where everything is at home that has not left for another one.
 */
export const hasAllLike = (code: unknown, isOfAccounts: unknown) =>
	ofHome(
		sql`${homes.state} in ('here', 'moving') or (${homes.state} = 'arriving' and ${homes.servedSince} is not null)`,
		code,
		isOfAccounts,
	);

/**
 * The prefixes of codes that have left the database for another one. Those of a move whose addresses are not deleted here yet do not count:
 * until the next deployment they are read here.
 */
export const homesLeft = statement(() =>
	query
		.select({ prefix: homes.prefix })
		.from(homes)
		.where(
			sql`${homes.state} = 'left' and not exists (select 1 from ${addresses}
				where canonical >= ${homes.prefix} and canonical < ${homes.prefix} || ':' and owner_id <> 'usr_nobody')`,
		),
);
