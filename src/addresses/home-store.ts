/** All SQL on where addresses are at home. */
import { eq, type SQL, sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { homes } from "../db/schema.ts";
import { MOVING, type Parameters, query, statement } from "../db/statement.ts";

/** What a database notes of the home of a code or a zone, that of the zone before that of the country; or else `otherwise`. */
const ofHome = (noted: SQL, code: unknown, otherwise: unknown) => sql`coalesce(
	(select ${noted} from ${homes} where ${homes.prefix} = substr(${code}, 1, 3)),
	(select ${noted} from ${homes} where ${homes.prefix} = substr(${code}, 1, 2)), ${otherwise})`;

/**
 * Refuses unless a zone, such as `NG0421`, is at home in the database: one that nobody has filled issues nothing, since what was issued
 * before would not be found in it.
 */
export const assertHome = assertion(
	({ zone }: Parameters<{ zone: string }>) => ofHome(sql`${homes.state} = 'here'`, zone, sql`0`),
	MOVING,
);

/**
 * The condition that a code which is not in the database has no address anywhere: that all codes which begin like it are there.
 * @param isOfAccounts Whether it is the database of accounts, where everything is at home that has not left for another one.
 */
export const hasAllLike = (code: unknown, isOfAccounts: unknown) =>
	ofHome(
		sql`${homes.state} in ('here', 'moving') or (${homes.state} = 'arriving' and ${homes.servedSince} is not null)`,
		code,
		isOfAccounts,
	);

/** Reads the prefixes of codes that have left the database for another one. */
export const homesLeft = statement(() =>
	query.select({ prefix: homes.prefix }).from(homes).where(eq(homes.state, "left")),
);
