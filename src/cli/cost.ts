/** What a registry of some size would cost a month: `npm run cost -- 65000000`. */
import { runCommand, UsageError } from "./command.ts";

/**
 * List prices of Cloudflare in US dollars, without tax, and what the Workers Paid plan includes in a month. Read on 2026-11-22 at
 * developers.cloudflare.com: workers/platform/pricing, d1/platform/pricing, r2/pricing.
 */
export const PRICES_OF = "2026-11-22";
const PLAN = 5;
const PRICES = {
	requests: { price: 0.3, per: 1e6, included: 10e6 },
	cpuMilliseconds: { price: 0.02, per: 1e6, included: 30e6 },
	rowsRead: { price: 0.001, per: 1e6, included: 25e9 },
	rowsWritten: { price: 1, per: 1e6, included: 50e6 },
	databaseBytes: { price: 0.75, per: 1e9, included: 5e9 },
	bucketWrites: { price: 4.5, per: 1e6, included: 1e6 },
	bucketReads: { price: 0.36, per: 1e6, included: 10e6 },
	bucketBytes: { price: 0.015, per: 1e9, included: 10e9 },
	logLines: { price: 0.6, per: 1e6, included: 20e6 },
} as const;

type Part = keyof typeof PRICES;

/**
 * Measured by `npx node test/bench/row-bytes.ts`, in bytes: an address, half of them under a key, and an account that is signed in once.
 */
const ADDRESS_BYTES = 290;
const ACCOUNT_BYTES = 1_110;

/** An entry of the journal in bytes, with its metadata. */
const ENTRY_BYTES = 600;

/** D1 keeps 10 GB in a database. The clean-up warns at 8, which leaves room for what is written meanwhile. */
const DATABASE_BYTES_MAX = 8e9;

/** CPU time in milliseconds: of a request that the Worker answers (`npm run bench`), and of a sign-in, which hashes a password. */
const REQUEST_CPU = 1.5;
const SIGN_IN_CPU = 150;

/**
 * Rows that D1 counts: of a look-up; of a new address with its indexes, its count and its place in the queue of the journal; of a
 * change.
 */
const LOOK_UP_READS = 2;
const MINT_READS = 60;
const MINT_WRITES = 12;
const CHANGE_WRITES = 10;
const SIGN_IN_WRITES = 12;

/** What is done with each address in a month, on average. */
export interface Use {
	lookUps: number;
	/** Share of look-ups that a cache answers, which then cost a request and nothing else. */
	cached: number;
	/** New addresses and changes, as shares of all addresses. */
	minted: number;
	changed: number;
	/** Accounts for each address, and sign-ins for each account. */
	accounts: number;
	signIns: number;
	/** Share of requests that are logged (LOG_REQUESTS). */
	logged: number;
}

export const USUAL: Use = {
	lookUps: 1,
	cached: 0.3,
	minted: 0.01,
	changed: 0.01,
	accounts: 0.5,
	signIns: 0.2,
	logged: 0,
};

export interface Estimate {
	rows: number;
	bytes: number;
	databases: number;
	requests: number;
	/** Dollars a month. */
	parts: Record<"plan" | Part, number>;
	total: number;
}

/** Estimates a month of a registry with so many addresses. */
export function estimate(addresses: number, use: Use): Estimate {
	const accounts = addresses * use.accounts;
	const lookUps = addresses * use.lookUps;
	const reached = lookUps * (1 - use.cached);
	const mints = addresses * use.minted;
	const changes = addresses * use.changed;
	const signIns = accounts * use.signIns;
	const requests = lookUps + mints + changes + signIns;
	const bytes = addresses * ADDRESS_BYTES + accounts * ACCOUNT_BYTES;
	const used: Record<Part, number> = {
		requests,
		cpuMilliseconds: (reached + mints + changes) * REQUEST_CPU + signIns * SIGN_IN_CPU,
		rowsRead: reached * LOOK_UP_READS + (mints + changes + signIns) * MINT_READS,
		rowsWritten: mints * MINT_WRITES + changes * CHANGE_WRITES + signIns * SIGN_IN_WRITES,
		databaseBytes: bytes,
		bucketWrites: mints + changes,
		bucketReads: mints + changes,
		// The journal keeps about 35 days; a backup lies elsewhere.
		bucketBytes: (mints + changes) * 1.2 * ENTRY_BYTES,
		logLines: requests * use.logged + signIns + mints * 0.1,
	};
	const bill = Object.entries(PRICES).map(([part, { price, per, included }]) => [
		part,
		(Math.max(0, used[part as Part] - included) / per) * price,
	]);
	const parts = { plan: PLAN, ...Object.fromEntries(bill) } as Estimate["parts"];
	const total = Object.values(parts).reduce((sum, dollars) => sum + dollars, 0);
	return {
		rows: addresses + accounts,
		bytes,
		databases: Math.ceil(bytes / DATABASE_BYTES_MAX),
		requests,
		parts,
		total,
	};
}

/** What is on the bill, in words. */
export const COST_PARTS: Record<keyof Estimate["parts"], string> = {
	plan: "Workers Paid plan",
	requests: "requests, also those that a cache answers",
	cpuMilliseconds: "CPU time",
	rowsRead: "D1: rows read",
	rowsWritten: "D1: rows written",
	databaseBytes: "D1: storage",
	bucketWrites: "R2: entries of the journal written",
	bucketReads: "R2: entries of the journal looked up",
	bucketBytes: "R2: storage of the journal",
	logLines: "log lines",
};

function number(value: number, digits = 0): string {
	return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** An estimate in lines for an operator. */
export function linesOf(addresses: number, use: Use): string[] {
	const { rows, bytes, databases, requests, parts, total } = estimate(addresses, use);
	return [
		`${number(addresses)} addresses, ${number(addresses * use.accounts)} accounts`,
		`${number(rows)} rows of both, ${number(bytes / 1e9, 1)} GB, ${number(databases)} ${databases === 1 ? "database" : "databases"} of at most 8 GB${databases > 1 ? ". This version writes to one: see the guide" : ""}`,
		`${number(requests / 1e6, 1)} million requests a month: for each address ${use.lookUps} look-ups, of which caches answer ${number(use.cached * 100)} %; ${number(use.minted * 100, 1)} % new and ${number(use.changed * 100, 1)} % changed addresses; ${use.signIns} sign-ins for each account`,
		"",
		...Object.entries(parts).map(
			([part, dollars]) => `${number(dollars, 2).padStart(12)} $  ${COST_PARTS[part as keyof Estimate["parts"]]}`,
		),
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
  --sign-ins ${USUAL.signIns}      sign-ins of each account
  --logged ${USUAL.logged}          share of requests that are logged (LOG_REQUESTS)`;

function read(name: string, text: string | undefined, usual: number): number {
	if (text === undefined) return usual;
	const value = Number(text);
	if (text.trim() === "" || !(value >= 0)) throw new UsageError(`${name} '${text}' is not a number of 0 or more.`);
	return value;
}

if (process.argv[1] === import.meta.filename) {
	const option = { type: "string" } as const;
	const options = {
		"look-ups": option,
		cached: option,
		minted: option,
		changed: option,
		accounts: option,
		"sign-ins": option,
		logged: option,
	};
	await runCommand({ usage: USAGE, options, positionalsMax: 1 }, ({ values, positionals }) => {
		const [size] = positionals;
		if (!size) throw new UsageError("Say how many addresses.");
		const use: Use = {
			lookUps: read("--look-ups", values["look-ups"], USUAL.lookUps),
			cached: read("--cached", values.cached, USUAL.cached),
			minted: read("--minted", values.minted, USUAL.minted),
			changed: read("--changed", values.changed, USUAL.changed),
			accounts: read("--accounts", values.accounts, USUAL.accounts),
			signIns: read("--sign-ins", values["sign-ins"], USUAL.signIns),
			logged: read("--logged", values.logged, USUAL.logged),
		};
		for (const line of linesOf(read("The number of addresses", size.replaceAll(/[_,]/g, ""), 0), use))
			console.log(line);
	});
}
