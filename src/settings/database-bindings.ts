import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { ConfigError } from "../errors.ts";

/**
 * The name of the binding of a database that holds the addresses of a country, or of some of its zones, by the first digits of their
 * numbers.
 */
const ADDRESSES_DATABASE = /^DB_([A-Z]{2})(?:_(\d{1,10}))?$/;

/**
 * The binding whose database holds the addresses of a country, such as `NG`, or of its zones whose numbers begin with a digit, such as
 * `NG0`. All other addresses are in `DB`.
 * @param bindings The names of all bindings; those that do not begin with `DB_` are ignored.
 * @throws ConfigError for a `DB_` name that is not that of a database, or two that claim the same prefix.
 */
export function readDatabases(bindings: readonly string[]): ReadonlyMap<string, string> {
	const names = new Map<string, string>();
	for (const name of bindings.filter((key) => key.startsWith("DB_"))) {
		const [, country, digits] = ADDRESSES_DATABASE.exec(name) ?? [];
		if (!country)
			throw new ConfigError(
				`The binding ${name} is not named as a database: DB_NG or, for numbers by their first digits, DB_NG_01234`,
			);
		if (country === SANDBOX_COUNTRY)
			throw new ConfigError(`The binding ${name} names the sandbox, whose addresses stay in DB: take it away`);
		for (const prefix of digits ? Array.from(digits, (digit) => country + digit) : [country]) {
			const other = names.get(prefix);
			if (other) throw new ConfigError(`The bindings ${other} and ${name} both claim ${prefix}: name each prefix once`);
			names.set(prefix, name);
		}
	}
	return names;
}

/**
 * The bindings that claim the codes with a prefix: that of the prefix itself or, for a country, those of each first digit of its zones.
 * Undefined stands for codes that no binding claims.
 * @param claims As `readDatabases` reads them.
 */
export function claimantsOf(claims: ReadonlyMap<string, string>, prefix: string): (string | undefined)[] {
	if (claims.has(prefix) || prefix.length > 2) return [claims.get(prefix)];
	return Array.from("0123456789", (digit) => claims.get(prefix + digit));
}
