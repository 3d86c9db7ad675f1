/** Estimates what a registry of a given size would cost a month: `npm run cost -- 65000000`. */
import { runCommand, UsageError } from "./command.ts";

/**
 * List prices of Cloudflare in US dollars, without tax, and what the Workers Paid plan includes in a month. Read on 2026-11-22 at
 * developers.cloudflare.com: workers/platform/pricing, d1/platform/pricing, r2/pricing.
 */
const PRICES_OF = "2026-11-22";
const PLAN = 5;
const PRICES = {
	requests: { price: 0.3, per: 1e6, included: 10e6, what: "requests, also those that a cache answers" },
	cpuMilliseconds: { price: 0.02, per: 1e6, included: 30e6, what: "CPU time" },
	rowsRead: { price: 0.001, per: 1e6, included: 25e9, what: "D1: rows read" },
	rowsWritten: { price: 1, per: 1e6, included: 50e6, what: "D1: rows written" },
	databaseBytes: { price: 0.75, per: 1e9, included: 5e9, what: "D1: storage" },
	bucketWrites: { price: 4.5, per: 1e6, included: 1e6, what: "R2: entries of the journal written" },
	bucketReads: { price: 0.36, per: 1e6, included: 10e6, what: "R2: entries of the journal looked up" },
	bucketBytes: { price: 0.015, per: 1e9, included: 10e9, what: "R2: storage of the journal" },
	logLines: { price: 0.6, per: 1e6, included: 20e6, what: "log lines" },
} as const;

type Part = keyof typeof PRICES;

/**
 * Sizes in bytes, which test/unit/cost.test.ts measures: of an address, half of which are created with a key, and of an account that is
 * signed in once.
 */
export const ADDRESS_BYTES = 290;
export const ACCOUNT_BYTES = 880;

/** Size of a journal entry with its metadata, in bytes. */
const ENTRY_BYTES = 600;

/** Bytes of a database past which another is needed. D1 stores 10 GB in each; the clean-up warns at 8 GB, which leaves room for growth. */
const PLANNED_BYTES_MAX = 8e9;

/** CPU time in milliseconds: of a request that the Worker answers (`npm run bench`), and of a sign-in, which hashes a password. */
const REQUEST_CPU = 1.5;
const SIGN_IN_CPU = 150;

/** Rows that D1 bills: for a look-up; for a new address with its indexes, its count and its place in the journal's queue; for a change. */
const LOOK_UP_READS = 2;
const MINT_READS = 60;
const MINT_WRITES = 12;
const CHANGE_WRITES = 10;
const SIGN_IN_WRITES = 12;

/**
 * How each address is used in a month, on average; `USAGE` explains each figure. A cached look-up costs a request alone. Scripts and
 * styles cost nothing: they are served before the Worker (`run_worker_first` in wrangler.toml).
 */
export const USUAL = { lookUps: 1, cached: 0.3, minted: 0.01, changed: 0.01, accounts: 0.5, signIns: 0.2 };

type Use = typeof USUAL;

/** The name of a part of the bill, in words. */
export function nameOfPart(part: string): string {
	return part === "plan" ? "Workers Paid plan" : PRICES[part as Part].what;
}

export type Estimate = ReturnType<typeof estimate>;

/** Estimates the monthly cost in dollars of a registry with that many addresses. */
export function estimate(addresses: number, use: Use) {
	const accounts = addresses * use.accounts;
	const lookUps = addresses * use.lookUps;
	const reached = lookUps * (1 - use.cached);
	const mints = addresses * use.minted;
	const changes = addresses * use.changed;
	const signIns = accounts * use.signIns;
	const requests = lookUps + mints + changes + signIns;
	const bytesOf = { addresses: addresses * ADDRESS_BYTES, accounts: accounts * ACCOUNT_BYTES };
	const bytes = bytesOf.addresses + bytesOf.accounts;
	const used: Record<Part, number> = {
		requests,
		cpuMilliseconds: (reached + mints + changes) * REQUEST_CPU + signIns * SIGN_IN_CPU,
		rowsRead: reached * LOOK_UP_READS + (mints + changes + signIns) * MINT_READS,
		rowsWritten: mints * MINT_WRITES + changes * CHANGE_WRITES + signIns * SIGN_IN_WRITES,
		databaseBytes: bytes,
		bucketWrites: mints + changes,
		bucketReads: mints + changes,
		// The journal goes back about 35 days; backups are stored elsewhere.
		bucketBytes: (mints + changes) * 1.2 * ENTRY_BYTES,
		logLines: signIns + mints * 0.1,
	};
	const bill = Object.entries(PRICES).map(([part, { price, per, included }]) => [
		part,
		(Math.max(0, used[part as Part] - included) / per) * price,
	]);
	const parts = { plan: PLAN, ...Object.fromEntries(bill) } as Record<"plan" | Part, number>;
	const total = Object.values(parts).reduce((sum, dollars) => sum + dollars, 0);
	return {
		accounts,
		bytesOf,
		/** One, as long as it has room for both; past that, one for accounts, and as many for addresses as they need. */
		databases: bytes <= PLANNED_BYTES_MAX ? 1 : 1 + Math.ceil(bytesOf.addresses / PLANNED_BYTES_MAX),
		requests,
		parts,
		total,
	};
}

/** A number as the guides and this command write it. */
export function number(value: number, digits = 0): string {
	return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** An estimate in lines for an operator. */
export function linesOfEstimate(addresses: number, use: Use): string[] {
	const { accounts, bytesOf, databases, requests, parts, total } = estimate(addresses, use);
	const gigabytes = (bytes: number) => `${number(bytes / 1e9, 1)} GB`;
	const isTooMany = bytesOf.accounts > PLANNED_BYTES_MAX;
	return [
		`${number(addresses)} addresses: ${gigabytes(bytesOf.addresses)}`,
		`${number(accounts)} accounts: ${gigabytes(bytesOf.accounts)}${isTooMany ? `, more than the ${number(PLANNED_BYTES_MAX / ACCOUNT_BYTES / 1e6, 1)} million that one database holds: see the guide` : ""}`,
		databases === 1
			? "1 database, which holds both"
			: `${number(databases)} databases of at most 8 GB: one of accounts, ${number(databases - 1)} of addresses`,
		`${number(requests / 1e6, 1)} million requests a month: for each address ${use.lookUps} look-ups, of which caches answer ${number(use.cached * 100)} %; ${number(use.minted * 100, 1)} % new and ${number(use.changed * 100, 1)} % changed addresses; ${use.signIns} sign-ins for each account`,
		"",
		...Object.entries(parts).map(([part, dollars]) => `${number(dollars, 2).padStart(12)} $  ${nameOfPart(part)}`),
		`${number(total, 2).padStart(12)} $  a month, at the list prices of ${PRICES_OF}, without tax, SMS and domains`,
	];
}

const USAGE = `Estimate what a registry costs in a month:

  npm run cost -- 65000000          for that many addresses

  For each address and month, unless you say otherwise:
  --look-ups ${USUAL.lookUps}        how often its code is resolved
  --cached ${USUAL.cached}        share of them that a cache answers
  --minted ${USUAL.minted}       new addresses, as a share of all
  --changed ${USUAL.changed}      changes, as a share of all addresses
  --accounts ${USUAL.accounts}      accounts for each address
  --sign-ins ${USUAL.signIns}      sign-ins of each account`;

/** Options that are shares of a whole, which cannot exceed 1. */
const SHARES = ["cached"];

function read(name: string, text: string, isShare = false): number {
	const value = Number(text);
	if (text.trim() === "" || !(value >= 0)) throw new UsageError(`${name} '${text}' must be a number of 0 or more.`);
	if (isShare && value > 1) throw new UsageError(`${name} '${text}' must be a share from 0 to 1.`);
	return value;
}

if (process.argv[1] === import.meta.filename) {
	const optionOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
	const options = Object.fromEntries(
		Object.entries(USUAL).map(([name, usual]) => [optionOf(name), { type: "string", default: `${usual}` } as const]),
	);
	await runCommand({ usage: USAGE, options, positionalsMax: 1 }, ({ values, positionals: [size] }) => {
		if (!size) throw new UsageError("Name a number of addresses, such as 65000000.");
		const addresses = read("The number of addresses", size.replaceAll(/[_,]/g, ""));
		const given = Object.keys(USUAL).map((name) => {
			const option = optionOf(name);
			return [name, read(`--${option}`, values[option]!, SHARES.includes(name))];
		});
		for (const line of linesOfEstimate(addresses, Object.fromEntries(given) as Use)) console.log(line);
	});
}
