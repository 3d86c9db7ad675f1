import { codeOfSerial } from "../../src/codes/code.ts";
import { sql } from "../support/sql.ts";

function codesOfZone(country: string, zone: string): string[] {
	return Array.from({ length: 10_000 }, (_, unit) => codeOfSerial(country, zone, unit)).filter(
		(code) => code !== undefined,
	);
}

/** The codes of a zone that no address has. */
export async function freeCodes(country: string, zone: string): Promise<Set<string>> {
	const results = await sql<{ canonical: string }>(
		"select canonical from addresses where canonical like ?",
		`${country}${zone}%`,
	);
	const free = new Set(codesOfZone(country, zone));
	for (const { canonical } of results) free.delete(canonical);
	return free;
}

/** Issues codes of a zone to nobody until `left` are free. */
export async function fillZone(country: string, zone: string, left: number): Promise<void> {
	const free = [...(await freeCodes(country, zone))];
	const taken = free.filter((_, index) => index >= left);
	await sql(
		"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) select value, '', 0, 0, '', 'usr_filler', 0 from json_each(?)",
		JSON.stringify(taken),
	);
}
