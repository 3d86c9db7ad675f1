/** Rows for tests of backups: as many as wanted in every table of a registry, with what is hard to keep exactly. */
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { type Table, tablesOf } from "../../src/cli/tables.ts";

/** Texts that a careless copy damages. */
const TEXTS = [
	"",
	"plain",
	"Ọ̀ṣun \u200f شارع \u{1f3e0}",
	`"quotes" 'and' \\backslash`,
	"line\nline\r\n\t",
	"null",
	"007",
	"\u0001",
];

/** An SQL expression for the value of a column in row `n`. */
function expressionFor(table: Table, column: string, type: string): string {
	const isKey = table.primaryKey.includes(column) || /hash|phone|key|external/.test(column);
	if (column === "canonical") return `'NG' || substr('000000000' || n, -9)`;
	const nothing = table.nullable.includes(column) ? `when n % 7 = 0 then null` : "";
	if (type === "REAL") return `(n * 0.1234567890123456789 - 90.0) / (1 + n % 97)`;
	if (type === "INTEGER") return isKey ? "n" : `case ${nothing} when n % 3 = 0 then 1790000000123 + n else n % 5 end`;
	const texts = TEXTS.map(
		(text, place) => `when ${place} then ${text === "\u0001" ? "char(1)" : `'${text.replaceAll("'", "''")}'`}`,
	).join(" ");
	return `case ${nothing} ${nothing ? "else" : "when 1 then"} (case n % ${TEXTS.length} ${texts} end)${isKey ? ` || n` : ""} end`;
}

/** Fills the tables: `rows` addresses, and up to 1,000 rows of the others. */
export async function fillTables({ database }: Pick<RegistryStorage, "database">, rows: number): Promise<void> {
	for (const table of await tablesOf(database)) {
		// An address and a burnt code never share a code, and last codes are taken by neither.
		const [first, count] =
			table.name === "addresses"
				? [1, rows]
				: table.name === "burnt_codes"
					? [500_000_000, 1_000]
					: table.name === "last_codes"
						? [600_000_000, 1_000]
						: [1, Math.min(rows, 1_000)];
		const { results: columns } = await database
			.prepare("select name, type from pragma_table_info(?)")
			.bind(table.name)
			.all<{ name: string; type: string }>();
		const names = columns.map(({ name }) => `"${name}"`).join(", ");
		const values = columns.map(({ name, type }) => expressionFor(table, name, type)).join(", ");
		for (let from = first; from < first + count; from += 50_000) {
			const last = Math.min(from + 50_000, first + count) - 1;
			await database
				.prepare(
					`insert into "${table.name}" (${names}) with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n < ${last}) select ${values} from numbers`,
				)
				.run();
		}
	}
	// What an import would take for what has ended while the backup was made.
	await database.batch(
		[
			"delete from erased_accounts where user_id in (select id from users)",
			"update sessions set user_id = (select min(id) from users)",
			"update api_keys set user_id = (select min(id) from users)",
		].map((statement) => database.prepare(statement)),
	);
}
