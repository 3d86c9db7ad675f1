/**
 * What one mint costs, over HTTP, as its zone fills. The zones take turns, so that whatever else the machine does falls on all of them. Exits with
 * 1 when a full zone misses the goal. `npx node test/bench/minting.ts [rounds]`
 */
import { codeOfSerial } from "../../src/codes/code.ts";
import { median } from "../support/median.ts";
import { mint, signUp } from "../support/remote.ts";
import { serveRegistry } from "../support/serve.ts";

const ROUNDS = Number(process.argv[2] ?? 200);
const WARM_UP_ROUNDS = 20;
const PORT = 8799;
/** The most that a mint may take, as a multiple of one in an empty zone. */
const GOAL = 1.3;
/** Where a draw of 128 candidates misses once in fifty mints. */
const FIRST_MISS_FULL = 0.97;

/** Five places in different zones of one country, and how full each zone is to be. */
const subjects = [
	{ lat: 6.5244, lng: 3.3792, full: 0 },
	{ lat: 9.0765, lng: 7.3986, full: 0.5 },
	{ lat: 12.0022, lng: 8.592, full: 0.9 },
	{ lat: 7.3775, lng: 3.947, full: 0.99 },
	{ lat: 4.8156, lng: 7.0498, full: 0.999 },
];

const { url, database, stop } = await serveRegistry(PORT);

const { token } = await signUp(url);

/** Mints, takes the address out again so that the zone stays as full as it was, and tells how long the mint took, in milliseconds. */
async function timeMint({ lat, lng, full }: { lat: number; lng: number; full: number }): Promise<number> {
	const started = performance.now();
	const canonical = await mint(url, token, { lat, lng });
	const milliseconds = performance.now() - started;
	await database.prepare("delete from addresses where canonical = ?").bind(canonical).run();
	if (full > FIRST_MISS_FULL) await database.prepare("insert into last_codes values (?)").bind(canonical).run();
	return milliseconds;
}

const zones = [];
for (const { lat, lng, full } of subjects) {
	const canonical = await mint(url, token, { lat, lng });
	const [country, zone] = [canonical.slice(0, 2), canonical.slice(2, 6)];
	await database.prepare("delete from addresses where canonical = ?").bind(canonical).run();
	const codes = Array.from({ length: 10_000 }, (_, unit) => codeOfSerial(country, zone, unit)).filter(
		(code) => code !== undefined,
	);
	// A stride prime to the number of codes spreads the taken ones over the zone.
	const shuffled = codes.map((_, index) => codes[(index * 7_919) % codes.length]);
	const fillTo = async (from: number, to: number) =>
		await database
			.prepare(
				"insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) select value, '', 0, 0, '', 'usr_filler', 0 from json_each(?)",
			)
			.bind(JSON.stringify(shuffled.slice(from, to)))
			.run();
	// A zone that filled in the course of time wrote its last codes down when a draw first missed; so does this one.
	const taken = Math.round(codes.length * full);
	const firstMiss = Math.min(taken, Math.round(codes.length * FIRST_MISS_FULL));
	await fillTo(0, firstMiss);
	if (firstMiss < taken) {
		await database
			.prepare("insert into last_codes select value from json_each(?)")
			.bind(JSON.stringify(shuffled.slice(firstMiss)))
			.run();
		await fillTo(firstMiss, taken);
	}
	zones.push({ lat, lng, full, times: [] as number[] });
}

for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
	for (const subject of round % 2 ? zones : zones.toReversed()) {
		const milliseconds = await timeMint(subject);
		if (round >= WARM_UP_ROUNDS) subject.times.push(milliseconds);
	}
}

const empty = median(zones[0]?.times ?? []);
console.log("| zone full | median of a mint | times that at 0 % | goal |\n|---|---|---|---|");
for (const { full, times } of zones) {
	const ratio = median(times) / empty;
	if (ratio > GOAL) process.exitCode = 1;
	console.log(`| ${(full * 100).toFixed(1)} % | ${median(times).toFixed(2)} ms | ${ratio.toFixed(2)} | ${GOAL} |`);
}
await stop();
