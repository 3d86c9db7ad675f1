/** The oldest version from which a registry can be upgraded. */
import type { Query } from "../../zones/registry.ts";

/** The first migration of version 0.9.0. */
const BASELINE = "0000_tables.sql";

/**
 * @param migrations Names of the migrations that a database or a backup has; empty if it has no tables yet.
 * @param what Such as `This database`.
 * @param remedy What to do instead of an upgrade.
 * @throws Error when they are those of a version before 0.9.0.
 */
export function requireBaseline(migrations: string[], what: string, remedy: string): void {
	if (migrations.length === 0 || migrations.includes(BASELINE)) return;
	throw new Error(`${what} was made by a version before 0.9.0, which no later version can upgrade: ${remedy}.`);
}

/** Like `requireBaseline`, for a database with or without tables that is queried through wrangler. */
export async function requireUpgradable(query: Query, what: string, remedy: string): Promise<void> {
	const applied = await query("select name from d1_migrations").catch((error: Error) => {
		if (error.message.includes("no such table")) return [];
		throw error;
	});
	const names = applied.map(({ name }) => String(name));
	requireBaseline(names, what, remedy);
}
