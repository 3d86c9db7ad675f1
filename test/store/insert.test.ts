import { getTableColumns, isTable, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { insertRow } from "../../src/db/rows.ts";
import * as schema from "../../src/db/schema.ts";

describe("insertRow", () => {
	it("does not compile where a column is left out, even one that may be null, or has a value of the wrong type", () => {
		const code = { canonical: "ZZ000000009", retiredAt: null };
		// @ts-expect-error the column `successor` is missing
		insertRow(schema.burntCodes, code);
		// @ts-expect-error `successor` is a text
		insertRow(schema.burntCodes, { ...code, successor: 1 });
		// @ts-expect-error `height` is not a column
		insertRow(schema.burntCodes, { ...code, successor: null, height: 3 });
	});

	it("names every column of every table of the schema, in the order in which its values follow", () => {
		for (const table of Object.values(schema).filter((value) => isTable(value))) {
			const columns = Object.entries(getTableColumns(table));
			const row = Object.fromEntries(columns.map(([name], index) => [name, sql.raw(`value_${index}`)]));
			const names = columns.map(([, column]) => `"${column.name}"`).join(", ");
			const values = columns.map((_, index) => `value_${index}`).join(", ");
			expect(insertRow(table, row as never).toSQL().sql).toContain(`(${names}) select ${values} where true`);
		}
	});
});
