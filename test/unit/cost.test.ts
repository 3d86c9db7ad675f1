import { expect, it } from "vitest";
import { ACCOUNT_BYTES, ADDRESS_BYTES, estimate, linesOfEstimate, USUAL } from "../../src/cli/cost.ts";
import { codeOfSerial, SERIALS_PER_ZONE } from "../../src/codes/code.ts";
import { memoryDatabase } from "../support/migrate.ts";
import { seededRandom } from "../support/random.ts";

it("a small registry costs the plan and nothing else", () => {
	expect(estimate(1_000, USUAL)).toMatchObject({ databases: 1, total: 5 });
});

it("each part costs its price past what the plan includes, and the total is their sum", () => {
	const { parts, total, requests, bytesOf, databases } = estimate(100_000_000, { ...USUAL, lookUps: 2, signIns: 0 });
	expect(requests).toBe(202_000_000);
	expect(parts.requests).toBeCloseTo(((202_000_000 - 10_000_000) / 1e6) * 0.3);
	expect(parts.databaseBytes).toBeCloseTo(((bytesOf.addresses + bytesOf.accounts) / 1e9 - 5) * 0.75);
	expect(parts.bucketWrites).toBeCloseTo((2 - 1) * 4.5);
	expect(databases).toBe(1 + Math.ceil(bytesOf.addresses / 8e9));
	expect(total).toBeCloseTo(Object.values(parts).reduce((sum, dollars) => sum + dollars, 0));
});

it("a cache saves CPU time and rows, and no request", () => {
	const [without, within] = [0, 1].map((cached) => estimate(1e9, { ...USUAL, cached }));
	expect(within!.parts.requests).toBe(without!.parts.requests);
	expect(within!.parts.cpuMilliseconds).toBeLessThan(without!.parts.cpuMilliseconds);
});

it("is told in lines that end with the sum", () => {
	const lines = linesOfEstimate(65_000_000, USUAL);
	expect(lines.slice(0, 3)).toEqual([
		"65,000,000 addresses: 18.9 GB",
		"32,500,000 accounts: 28.6 GB, more than the 9.1 million that one database holds: see the guide",
		"4 databases of at most 8 GB: one of accounts, 3 of addresses",
	]);
	expect(linesOfEstimate(1_000, USUAL)[2]).toBe("1 database, which holds both");
	expect(lines.at(-1)).toContain(estimate(65_000_000, USUAL).total.toFixed(2));
});

it("addresses and accounts take as many bytes of a database as it reckons with", () => {
	const database = memoryDatabase();
	const triggers = database.prepare("select name from sqlite_master where type = 'trigger'").all();
	for (const { name } of triggers) database.exec(`drop trigger "${name}"`);
	const random = seededRandom(1);
	const text = (length: number) => Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join("");
	const count = 5_000;
	/** What each row of `count` adds to the database. */
	const bytesOf = (write: (row: number) => void) => {
		const bytes = () => Number(database.prepare("pragma page_count").get()?.page_count) * 4096;
		const before = bytes();
		database.exec("begin");
		for (let row = 0; row < count; row += 1) write(row);
		database.exec("commit");
		return (bytes() - before) / count;
	};
	const insert = (into: string, columns: number) =>
		database.prepare(`insert into ${into} values (${Array(columns).fill("?").join()})`);
	// In a random order of codes, two to an account, half of them under an Idempotency-Key, with labels as people write them.
	const labels = [
		"",
		"Blue gate, behind the mosque",
		"Mama Titi's shop, second floor",
		"14 Adeola Close, by the tank",
		"Home",
	];
	const codes = Array.from({ length: 2 * count }, (_, row) =>
		codeOfSerial("NG", String(row % 5).padStart(4, "0"), Math.floor(row / 5) % SERIALS_PER_ZONE),
	).filter((code) => code !== undefined);
	const address = insert(
		"addresses (canonical, zone_name, edition, lat, lng, label, owner_id, created_at, idempotency_key, request_hash, region)",
		11,
	);
	let owner = "";
	const ofAddress = bytesOf((row) => {
		if (row % 2 === 0) owner = `usr_${text(22)}`;
		const [code] = codes.splice(Math.floor(random() * codes.length), 1);
		const [key, hash] = random() < 0.5 ? [text(32), text(32)] : [null, null];
		const [lat, lng, label] = [4 + random() * 9, 3 + random() * 11, labels[row % labels.length]!];
		address.run(
			code!,
			"Surulere north",
			"2-387a6ea5",
			lat,
			lng,
			label,
			owner,
			1_790_000_000_000 + row,
			key,
			hash,
			"Lagos",
		);
	});
	const user = insert("users (id, phone, password_hash, created_at)", 4);
	const session = insert("sessions (id, user_id, created_at, expires_at, device)", 5);
	const token = insert("refresh_tokens (hash, session_id, expires_at)", 3);
	const network = insert("known_networks (key, signed_in_at)", 2);
	const ofAccount = bytesOf((row) => {
		const [id, sid, now] = [`usr_${text(22)}`, `ses_${text(22)}`, 1_790_000_000_000 + row];
		user.run(id, `+234${8_000_000_000 + row}`, `$scrypt$ln=14,r=8,p=5$${text(22)}$${text(43)}`, now);
		session.run(sid, id, now, now, "Chrome on Android");
		for (let time = 0; time < 2; time += 1) token.run(text(32), sid, now);
		network.run(text(32), now);
	});
	for (const share of [ofAddress / ADDRESS_BYTES, ofAccount / ACCOUNT_BYTES])
		expect(Math.abs(share - 1)).toBeLessThan(0.1);
});
