import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as store from "../../src/addresses/store.ts";
import { codeOfSerial, SERIALS_PER_ZONE } from "../../src/codes/code.ts";
import { openDatabase } from "../../src/db/open.ts";
import { inOneTrip } from "../../src/db/statement.ts";
import { call, json, post, problem } from "../support/client.ts";
import { fillZone, freeCodes } from "../support/fill-zone.ts";
import { mint, newOwner, signUp } from "../support/people.ts";
import { sql, value } from "../support/sql.ts";

const db = openDatabase(env);

function burn(codes: string[]): Promise<unknown> {
	const burning =
		"insert into burnt_codes (canonical) select value from json_each(?) where true on conflict do nothing";
	return sql(burning, JSON.stringify(codes));
}

/** The last codes that are written down of a zone. */
async function lastCodes(prefix: string): Promise<string[]> {
	const rows = await sql("select canonical from last_codes where canonical like ?", `${prefix}%`);
	return rows.map(({ canonical }) => String(canonical));
}

describe("a burnt code", () => {
	it("answers 410 to everyone, in a batch too, although no address row holds it", async () => {
		const { access, canonical } = await newOwner();
		await sql("delete from addresses where canonical = ?", canonical);
		await burn([canonical]);
		await problem(call(`/v1/public/addresses/${canonical}`), 410, "ADDRESS_RETIRED");
		await problem(call(`/v1/addresses/${canonical}`, { token: access }), 410, "ADDRESS_RETIRED");
		const batch = post("/v1/public/addresses/batch", { codes: [canonical] }, { token: access });
		expect(await json(batch)).toMatchObject({ data: [{ problem: { code: "ADDRESS_RETIRED" } }] });
	});

	it("stays burnt where a restored backup brings its address back", async () => {
		const { canonical } = await newOwner();
		await burn([canonical]);
		await json(call(`/v1/public/addresses/${canonical}`), 410);
	});

	it("is never drawn, neither from random candidates nor from the last codes", async () => {
		const { access } = await signUp();
		const place = { lat: 12.6392, lng: -8.0029 };
		const { country, zone } = await mint(access, place);
		await fillZone(country, zone, 6);
		const [first = "", second = "", third = "", ...rest] = await freeCodes(country, zone);
		// The second before the zone's last codes are written down, the third after.
		await burn([first, second]);
		const minted = [(await mint(access, place)).canonical];
		// One mint in twenty finds one of the three without them.
		const ofZone = Array.from({ length: SERIALS_PER_ZONE }, (_, unit) => codeOfSerial(country, zone, unit));
		await inOneTrip(db, store.storeLastCodes({ codes: ofZone.filter((code) => code !== undefined) }));
		const left = (await lastCodes(country + zone)).toSorted();
		expect(left).toEqual([third, ...rest].filter((code) => !minted.includes(code)).toSorted());
		const burntLast = left[0] ?? "";
		await burn([burntLast]);
		expect(await lastCodes(country + zone)).not.toContain(burntLast);
		for (let draw = 0; draw < 2; draw += 1) minted.push((await mint(access, place)).canonical);
		expect(minted.toSorted()).toEqual([third, ...rest].filter((code) => code !== burntLast).toSorted());
		// The zone is full now: the next code has another number.
		expect(await mint(access, place)).not.toMatchObject({ zone });
	});

	it("can be burnt again, and 10,000 at once", async () => {
		const codes = Array.from({ length: 10_000 }, (_, index) => `ZZ0000${String(index).padStart(5, "0")}`);
		await burn(codes.slice(0, 10));
		await burn(codes);
		expect(await value("select count(*) from burnt_codes where canonical like 'ZZ0000%'")).toBe(10_000);
	});

	it("is guarded by the database itself: no address under it, no change and no deletion", async () => {
		const canonical = "ZZ777777777";
		await burn([canonical]);
		const insert =
			"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values (?, '', 0, 0, '', 'usr_x', 0)";
		await expect(sql(insert, canonical)).rejects.toThrow("never issued again");
		await expect(sql("update burnt_codes set retired_at = 1")).rejects.toThrow("only ever added");
		await expect(sql("delete from burnt_codes")).rejects.toThrow("only ever added");
	});
});
