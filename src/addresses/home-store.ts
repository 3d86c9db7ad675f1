/** All SQL on where addresses are at home. */
import { sql } from "drizzle-orm";
import { assertion } from "../db/refusal.ts";
import { homes } from "../db/schema.ts";
import { MOVING, type Parameters } from "../db/statement.ts";

/**
 * Refuses unless a zone, such as `NG0421`, is at home in the database: one that nobody has filled issues nothing, since what was issued
 * before would not be found in it.
 */
export const assertHome = assertion(
	({ zone }: Parameters<{ zone: string }>) => sql`(select ${homes.state} from ${homes}
		where ${homes.prefix} in (substr(${zone}, 1, 2), substr(${zone}, 1, 3)) order by length(${homes.prefix}) desc limit 1) = 'here'`,
	MOVING,
);
