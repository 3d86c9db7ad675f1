import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { renewAddresses } from "../../src/addresses/renewal.ts";
import { openAllDatabases } from "../../src/db/open.ts";
import { call, json } from "../support/client.ts";
import { databaseOf, rowsIn } from "../support/databases.ts";
import { LAGOS, type Minted, mint, signUp } from "../support/people.ts";
import { countOf, row, sql } from "../support/sql.ts";

const OLD = "3-00000000";
const stored = (canonical: string) =>
	row(
		"select zone_name, zone_region, region, locality, edition, version, updated_at is not null as changed from addresses where canonical = ?",
		canonical,
	);

/** Makes an address one that an older index has named. */
const age = (canonical: string) =>
	sql(
		"update addresses set zone_name = 'Old', zone_region = 'Old', region = 'Old', locality = 'Old', edition = ? where canonical = ?",
		OLD,
		canonical,
	);

/** Does the hourly part in each database. */
async function renew(pagesMax?: number): Promise<void> {
	for (const database of openAllDatabases(env)) await renewAddresses(env, database, Date.now(), pagesMax);
}

beforeEach(async () => {
	const { objects } = await env.ZONES.list({ prefix: "renewal" });
	await env.ZONES.delete(objects.map(({ key }) => key));
});

it("a new index renews what older ones said, keeps what the owner chose, and tells the feed", async () => {
	const { access } = await signUp();
	const [fresh, chosen, gone, moved] = [
		await mint(access, LAGOS),
		await mint(access, LAGOS),
		await mint(access, LAGOS),
		await mint(access, { lat: -1.293, lng: 36.72 }),
	];
	const before = await stored(fresh.canonical);
	for (const { canonical } of [fresh, chosen, gone, moved]) await age(canonical);
	await sql("update addresses set is_locality_chosen = 1 where canonical = ?", chosen.canonical);
	await sql("update addresses set retired_at = 1 where canonical = ?", gone.canonical);
	// Its point lies in another country by now.
	await sql("update addresses set lat = 6.5, lng = 3.3 where canonical = ?", moved.canonical);
	const feed = async () => Number(await countOf("changes", "canonical", fresh.canonical));
	const count = await feed();

	await renew();
	expect(await stored(fresh.canonical)).toEqual({ ...before, version: 2, changed: 1 });
	expect(await stored(chosen.canonical)).toMatchObject({ region: before?.region, locality: "Old", version: 2 });
	expect(await stored(gone.canonical)).toMatchObject({ zone_name: "Old", edition: OLD });
	// It has been compared, and no change was recorded.
	expect(await stored(moved.canonical)).toMatchObject({ zone_name: "Old", edition: before?.edition, version: 1 });
	expect(await feed()).toBe(count + 1);
	const shown = await json<Minted & { locality: string }>(call(`/v1/addresses/${fresh.canonical}`, { token: access }));
	expect(shown).toMatchObject({ locality: before?.locality, region: before?.region });

	// Nothing is left, and a second run changes nothing.
	await renew();
	expect(await stored(fresh.canonical)).toMatchObject({ version: 2 });
});

it("an address of Viet Nam gets the region that its code of the list means today, and a locality that its owner chose stays", async () => {
	const { access } = await signUp();
	const saigon = { lat: 10.7769, lng: 106.7009 };
	const [offered, chosen] = [await mint(access, saigon), await mint(access, saigon)];
	// What edition 6 said there.
	const said = "region = 'Lạng Sơn Province', zone_region = 'Lạng Sơn Province', edition = '6-3e01e124'";
	await sql(`update addresses set ${said} where canonical = ?`, offered.canonical);
	await sql(
		`update addresses set ${said}, locality = 'Chợ Lớn', is_locality_chosen = 1 where canonical = ?`,
		chosen.canonical,
	);
	const rows = () => Promise.all([offered, chosen].map(({ canonical }) => countOf("changes", "canonical", canonical)));
	const before = await rows();
	await renew();
	const region = { region: "Ho Chi Minh City", zone_region: "Ho Chi Minh City", version: 2 };
	expect(await stored(offered.canonical)).toMatchObject({ ...region, locality: "Ho Chi Minh City" });
	expect(await stored(chosen.canonical)).toMatchObject({ ...region, locality: "Chợ Lớn" });
	expect(await rows()).toEqual(before.map((count) => Number(count) + 1));
});

it("goes on in the next run where one had no time for all", async () => {
	const { access } = await signUp();
	const { canonical } = await mint(access, LAGOS);
	await age(canonical);
	await renew(0);
	expect(await stored(canonical)).toMatchObject({ zone_name: "Old" });
	await renew();
	expect((await stored(canonical))?.zone_name).not.toBe("Old");
});

it("changes no more addresses than the journal has room for, and goes on where it stopped", async () => {
	const { access } = await signUp();
	const codes = [(await mint(access, LAGOS)).canonical, (await mint(access, LAGOS)).canonical].sort();
	for (const code of codes) await age(code);
	const names = () => Promise.all(codes.map(async (code) => (await stored(code))?.zone_name === "Old"));
	const database = databaseOf("NG", codes[0]?.slice(2, 6) ?? "");
	const before = Number((await rowsIn(database, "select count(*) as n from journal_queue"))[0]?.n);
	await rowsIn(
		database,
		`with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
		insert into journal_queue (canonical, version, queued_at) select 'QQ' || i, 1, 1 from n`,
		1_999 - before,
	);
	await renew();
	expect(await names()).toEqual([false, true]);
	await renew();
	expect(await names()).toEqual([false, true]);
	await rowsIn(database, "delete from journal_queue");
	await renew();
	expect(await names()).toEqual([false, false]);
});
