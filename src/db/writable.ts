import { sql } from "drizzle-orm";
import { registryIdentity } from "./schema.ts";

/**
 * The SQL condition that the rows of a database may be written into the journal. While the database is behind the bucket, as after a
 * rollback, they would replace what a restore needs.
 */
export const isWritable = sql`not exists (select 1 from ${registryIdentity} where incident = 'database_behind')`;
