import { env } from "cloudflare:workers";
import { getTableColumns, isTable, sql } from "drizzle-orm";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/db/open.ts";
import { insertRow } from "../../src/db/rows.ts";
import * as schema from "../../src/db/schema.ts";
import { sql as query } from "../support/sql.ts";

/** The table below, as a migration may have left it: its columns stand in another order than in the schema. */
beforeAll(() =>
	query(
		"create table places (name text not null, lng real not null, lat real not null, open integer, id text primary key)",
	),
);

const places = sqliteTable("places", {
	id: text("id").primaryKey(),
	lat: real("lat").notNull(),
	lng: real("lng").notNull(),
	name: text("name").notNull(),
	open: integer("open", { mode: "boolean" }),
});

describe("insertRow", () => {
	const db = openDatabase(env);
	const lagos = { name: "Lagos", open: true, lng: 3.3792, id: "lagos", lat: 6.5244 };

	it("stores each value under its column's name, whatever the order of columns and of values", async () => {
		expect(await insertRow(db, places, lagos).returning()).toEqual([lagos]);
		expect(await query("select * from places")).toEqual([{ ...lagos, open: 1 }]);
	});

	it("takes values from other rows, and stores nothing where its condition does not hold", async () => {
		const moved = { ...lagos, id: sql`'ikeja'`, lat: sql`${places.lat} + 1`, open: null };
		const from = (id: string) => sql`from ${places} where ${places.id} = ${id}`;
		expect(await insertRow(db, places, moved, from("nowhere")).returning()).toEqual([]);
		expect(await insertRow(db, places, moved, from("lagos")).returning()).toEqual([
			{ ...lagos, id: "ikeja", lat: 7.5244, open: null },
		]);
	});

	it("does not compile where a column is left out, even one that may be null, or has a value of the wrong type", () => {
		const { open: _open, ...incomplete } = lagos;
		// @ts-expect-error the column `open` is missing
		insertRow(db, places, incomplete);
		// @ts-expect-error `lat` is a number
		insertRow(db, places, { ...lagos, lat: "6.5244" });
		// @ts-expect-error `height` is not a column
		insertRow(db, places, { ...lagos, height: 3 });
	});

	it("names every column of every table of the schema, in the order in which its values follow", () => {
		for (const table of Object.values(schema).filter((value) => isTable(value))) {
			const columns = Object.entries(getTableColumns(table));
			const row = Object.fromEntries(columns.map(([name], index) => [name, sql.raw(`value_${index}`)]));
			const names = columns.map(([, column]) => `"${column.name}"`).join(", ");
			const values = columns.map((_, index) => `value_${index}`).join(", ");
			expect(insertRow(db, table, row as never).toSQL().sql).toContain(`(${names}) select ${values} where true`);
		}
	});
});
