/**
 * The figures that operators see of the registry as a whole, and the alerts that they get. The hourly job counts what would be too much
 * for one request: some codes at a time, until it has gone through them all and begins again.
 */
import * as figuresStore from "../addresses/figures-store.ts";
import { CODES_PER_ZONE } from "../codes/code.ts";
import { SANDBOX_COUNTRY } from "../codes/sandbox.ts";
import { type Database, databaseBytes, openAddressesDatabase, openAllDatabases, openDatabase } from "../db/open.ts";
import { inEach } from "../db/several.ts";
import { inOneTrip } from "../db/statement.ts";
import { type Bindings, readConfig } from "../env.ts";
import { verifiedBackup } from "../journal/retention.ts";
import * as failedLoginStore from "../limits/failed-login-store.ts";
import * as limitStore from "../limits/store.ts";
import { log } from "../logs/log.ts";
import * as reportStore from "../reports/store.ts";
import { DAY, HOUR, SECOND, timestamp } from "../time/time.ts";
import { DATABASE_BYTES_MAX, DATABASE_FILL_WARNED } from "./clean-up.ts";
import { type JournalIncident, journalState } from "./journal-state.ts";
import { beginRun, lastHourlyRun } from "./last-run.ts";

/** Codes that are counted at once: D1 does one thing at a time, and reads this many in about a tenth of a second. */
const COUNTED_AT_ONCE = 100_000;
/** How often a run counts that many: a second of D1's time in an hour. */
const COUNTS_OF_RUN = 10;
/** How many of the fullest zones are shown. */
const ZONES_SHOWN = 20;
/** The most rows that are counted where there are normally few. */
const ROWS_COUNTED_MAX = 10_000;

/** The thresholds past which an operator is alerted. */
const ALERTED = {
	zoneFill: 0.9,
	/** Addresses that the hourly job has left for the next hour. */
	unrecorded: 1_000,
	/** Age of the oldest change that waits for the journal, in milliseconds. */
	journalAge: 2 * HOUR,
	/** Age of the last run of the hourly job, in milliseconds. */
	jobAge: 3 * HOUR,
	/** Age of the oldest report that waits, in milliseconds. */
	reportAge: 3 * DAY,
	/** Age of the last verified backup, in milliseconds. Addresses stay in the journal at least that long. */
	backupAge: 35 * DAY,
} as const;

/** The incident of a run of the hourly job that did not do all it should. */
const JOB_FAILED = "hourly_job_failed";

/** How long the receiver of an alert may take, in milliseconds. */
const ALERT_PATIENCE = 5 * SECOND;
/** Where the guide says what to do about each incident. */
const ADVICE = "/docs/guides/operate#watch-the-registry";
/** Zones that one alert names. */
const ZONES_NAMED = 50;

/** The texts of incidents in which creating addresses has run out of zone numbers, by incident. */
const SHORTAGES = {
	country_filling: "Countries have opened 80 % or more of their additional zone numbers",
	zone_full: "Addresses were refused, because their zones and all numbers that their countries have left are full",
} as const;

/** A count under a name, such as the codes issued in a country. */
interface Counted {
	name: string;
	count: number;
}

/** What the hourly job stores in the bucket from run to run. Times are milliseconds since the epoch. */
interface Memory {
	/** The last count that went through all codes. */
	counted?: { at: number; countries: Counted[]; zones: Counted[] } | undefined;
	/** The incidents that last, by name: since when, and when they were last told; 0 if no receiver has accepted it yet. */
	incidents: Record<string, { since: number; toldAt: number }>;
	/** Zones whose filling has been told. */
	toldZones: string[];
}

const MEMORY = "watch/memory";
/** Where the count of each database is stored, by its name: apart, because each is counted in a run of its own. */
const COUNTS = "watch/counts/";

async function readMemory({ ZONES }: Bindings): Promise<Memory> {
	const stored = await (await ZONES.get(MEMORY))?.json<Memory>();
	return stored ?? { incidents: {}, toldZones: [] };
}

/** How far the count of the codes of a database has come, and the result of the last complete count. */
interface Count {
	/** Codes counted so far, by zone, and the last of them. */
	zones: Record<string, number>;
	after: string;
	counted?: { at: number; zones: Record<string, number> };
}

const countKey = ({ name }: Database) => `${COUNTS}${name}`;

async function readCount({ ZONES }: Bindings, database: Database): Promise<Count> {
	const stored = await (await ZONES.get(countKey(database)))?.json<Count>();
	return stored ?? { after: "", zones: {} };
}

/**
 * Counts the next codes of a database: part of its hourly job. A zone that ends beyond them goes on in the next run.
 * @param countsMax How many times at most COUNTED_AT_ONCE codes are counted.
 */
export async function countOn(
	env: Bindings,
	now: number,
	database: Database,
	countsMax = COUNTS_OF_RUN,
): Promise<void> {
	const count = await readCount(env, database);
	let isWhole = false;
	for (let counts = 0; !isWhole && counts < countsMax; counts += 1) {
		const slices = await inOneTrip(database, figuresStore.countAfter({ after: count.after, count: COUNTED_AT_ONCE }));
		for (const { zone, issued, last } of slices) {
			// Every database has the example address, which is counted only where its code is at home.
			const isHome = openAddressesDatabase(env, { country: zone.slice(0, 2), zone: zone.slice(2) }) === database;
			if (isHome) count.zones[zone] = (count.zones[zone] ?? 0) + issued;
			count.after = last;
		}
		isWhole = slices.reduce((sum, { issued }) => sum + issued, 0) < COUNTED_AT_ONCE;
	}
	const next = isWhole ? { after: "", zones: {}, counted: { at: now, zones: count.zones } } : count;
	await env.ZONES.put(countKey(database), JSON.stringify(next));
}

/**
 * How many codes were ever issued, by zones such as `NG0421`, once the codes of every database have been counted; as old as the oldest
 * count.
 */
export async function countedZones(env: Bindings): Promise<{ at: number | null; zones: Record<string, number> }> {
	const counts = await Promise.all(openAllDatabases(env).map((database) => readCount(env, database)));
	const counted = counts.flatMap(({ counted }) => counted ?? []);
	if (counted.length < counts.length) return { at: null, zones: {} };
	return {
		at: Math.min(...counted.map(({ at }) => at)),
		zones: Object.assign({}, ...counted.map(({ zones }) => zones)),
	};
}

/** How many codes were ever issued, by country and for the zones that are shown. */
async function countedOf(env: Bindings): Promise<Memory["counted"]> {
	const { at, zones: all } = await countedZones(env);
	if (at === null) return undefined;
	const zones = Object.entries(all)
		.filter(([zone]) => !zone.startsWith(SANDBOX_COUNTRY))
		.map(([name, count]) => ({ name, count }));
	const countries = Map.groupBy(zones, ({ name }) => name.slice(0, 2));
	return {
		at,
		countries: [...countries].map(([name, some]) => ({ name, count: some.reduce((sum, { count }) => sum + count, 0) })),
		// Includes all zones that are filling, so that each is told.
		zones: zones
			.sort((a, b) => b.count - a.count)
			.filter(({ count }, index) => index < ZONES_SHOWN || count >= ALERTED.zoneFill * CODES_PER_ZONE),
	};
}

/** The earliest of some times; null if there is none. */
function earliest(times: (number | null | undefined)[]): number | null {
	const known = times.filter((time) => typeof time === "number");
	return known.length > 0 ? Math.min(...known) : null;
}

/** The figures of a registry. What the hourly job counts is as old as `counted.at`; all else is as of now. */
export async function figuresOf(env: Bindings, now: number, memory?: Memory) {
	const database = openDatabase(env);
	const databases = openAllDatabases(env);
	const today = Math.floor(now / DAY);
	const { countsBetween } = limitStore;
	const shortagesOn = (day: number) => countsBetween({ from: "incident:", to: "incident;", day, characters: 64 });
	const eventsOn = (day: number) => countsBetween({ from: "event:", to: "event;", day, characters: 64 });
	const [found, ofAddresses, sizes, states, backedUpAt, { counted }] = await Promise.all([
		inOneTrip(database, {
			eventsToday: eventsOn(today),
			eventsYesterday: eventsOn(today - 1),
			shortToday: shortagesOn(today),
			shortYesterday: shortagesOn(today - 1),
			failedSignIns: failedLoginStore.lately({ limit: ROWS_COUNTED_MAX }),
		}),
		inEach(databases, {
			// Zones alone begin with capital letters, and those of the sandbox come last.
			issuedToday: countsBetween({ from: "A", to: SANDBOX_COUNTRY, day: today, characters: 2 }),
			reports: reportStore.waiting({}),
			unrecorded: figuresStore.unrecorded({ max: ROWS_COUNTED_MAX }),
			oldestAddress: figuresStore.oldestAddress({}),
		}),
		Promise.all(databases.map(databaseBytes)),
		Promise.all(databases.map(journalState)),
		verifiedBackup(env.ZONES),
		memory ?? readMemory(env),
	]);
	const shortages = [...found.shortToday, ...found.shortYesterday].map(({ name }) => name.replace("incident:", ""));
	const issued = new Map<string, number>();
	for (const { name, count } of ofAddresses.flatMap(({ issuedToday }) => issuedToday))
		issued.set(name, (issued.get(name) ?? 0) + count);
	const named = (counts: Counted[]) => counts.map(({ name, count }) => ({ name: name.replace("event:", ""), count }));
	return {
		issuedToday: [...issued].map(([name, count]) => ({ name, count })),
		counted,
		/** Size of the fullest database, in bytes; all have the same limit. */
		databaseBytes: Math.max(...sizes),
		unrecorded: ofAddresses.reduce((sum, { unrecorded: [row] }) => sum + (row?.count ?? 0), 0),
		queuedSince: earliest(states.map(({ queuedSince }) => queuedSince)),
		/** What is wrong between databases and the bucket, by the names of databases. */
		apart: new Map(
			states.flatMap(({ incident }, index) => (incident ? [[databases[index]!.name, incident] as const] : [])),
		),
		firstAddressAt: earliest(ofAddresses.map(({ oldestAddress: [row] }) => row?.createdAt)),
		backedUpAt,
		/** Where numbers ran out today or yesterday, such as `zone_full NG0421`. */
		shortages: [...new Set(shortages)],
		reports: {
			count: ofAddresses.reduce((sum, { reports: [row] }) => sum + (row?.count ?? 0), 0),
			oldest: earliest(ofAddresses.map(({ reports: [row] }) => row?.oldest)),
		},
		failedSignIns: found.failedSignIns[0] ?? { count: 0, phones: 0 },
		eventsToday: named(found.eventsToday),
		eventsYesterday: named(found.eventsYesterday),
	};
}

export type Figures = Awaited<ReturnType<typeof figuresOf>>;

/** The texts of incidents in which a database and the bucket do not belong together, before the names of the databases. */
const APART: Readonly<Record<JournalIncident, string>> = {
	database_behind: "Rolled back, so that new addresses are refused until a restore",
	bucket_behind: "The bucket is new, or older than what belongs to it, and needs a verified backup",
	journal_newer: "The journal has newer entries than the rows that wait for it",
};

/** The incidents between databases and the bucket, each a sentence, by name. */
function incidentsBetween(apart: ReadonlyMap<string, JournalIncident>): Map<string, string> {
	const names = Map.groupBy(apart.keys(), (name) => apart.get(name)!);
	return new Map(Array.from(names, ([incident, some]) => [incident, `${APART[incident]}: ${some.join(", ")}.`]));
}

/** The incidents that the figures show, each a sentence, by name. */
function incidentsOf(figures: Figures, now: number): Map<string, string> {
	const { databaseBytes, unrecorded, queuedSince, firstAddressAt, reports, backedUpAt } = figures;
	const days = (since: number) => Math.floor((now - since) / DAY);
	const found = incidentsBetween(figures.apart);
	if (databaseBytes > DATABASE_FILL_WARNED * DATABASE_BYTES_MAX) {
		found.set("database_filling", `The database holds ${databaseBytes} of ${DATABASE_BYTES_MAX} bytes.`);
	}
	if (unrecorded > ALERTED.unrecorded) {
		found.set("journal_behind", `${unrecorded} or more addresses are not in the journal yet.`);
	}
	if (queuedSince !== null && now - queuedSince > ALERTED.journalAge) {
		found.set("journal_old", `Changes have been waiting for the journal since ${timestamp(queuedSince)}.`);
	}
	if (reports.oldest !== null && now - reports.oldest > ALERTED.reportAge) {
		found.set("reports_waiting", `Reports waiting: ${reports.count}, the oldest for ${days(reports.oldest)} days.`);
	}
	if (backedUpAt !== undefined && now - backedUpAt > ALERTED.backupAge) {
		found.set("backup_old", `The last verified backup is ${days(backedUpAt)} days old.`);
	}
	if (backedUpAt === undefined && firstAddressAt !== null && now - firstAddressAt > ALERTED.backupAge) {
		found.set("backup_missing", `The first address is ${days(firstAddressAt)} days old, and no backup has been made.`);
	}
	for (const [incident, text] of Object.entries(SHORTAGES)) {
		const places = figures.shortages.filter((shortage) => shortage.startsWith(incident)).map((it) => it.split(" ")[1]);
		if (places.length > 0) found.set(incident, `${text}: ${places.slice(0, ZONES_NAMED).join(", ")}.`);
	}
	return found;
}

/** Tells of an incident: logs it, and posts it to ALERT_URL if that is set. Returns whether it was told. */
async function tell(
	env: Bindings,
	alert: { incident: string; state: string; text: string; since: number; at: number },
) {
	const { alertUrl, identity, webUrl } = readConfig(env);
	const { incident, state } = alert;
	log(state === "ended" ? "info" : "warn", "incident", { incident, state, message: alert.text });
	if (!alertUrl) return true;
	const body = {
		...alert,
		text: `${identity.registryName ?? webUrl ?? "Address registry"}: ${alert.text}${state === "ended" ? "" : ` What to do: ${webUrl ?? ""}${ADVICE}`}`,
		since: timestamp(alert.since),
		at: timestamp(alert.at),
	};
	try {
		const { ok, status } = await fetch(alertUrl, {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify(body),
			redirect: "manual",
			signal: AbortSignal.timeout(ALERT_PATIENCE),
		});
		if (!ok) throw new Error(`The receiver answers ${status}`);
		return true;
	} catch (error) {
		// Without the URL, which may hold a secret.
		log("error", "alert_not_sent", { incident, message: error instanceof Error ? error.message : "" });
		return false;
	}
}

/** Tells of incidents that were not told in the last day, and notes that. Returns whether there were any. */
async function tellOf(env: Bindings, memory: Memory, lasting: ReadonlyMap<string, string>, now: number) {
	let isTelling = false;
	for (const [incident, text] of lasting) {
		const known = memory.incidents[incident];
		if (known && now - known.toldAt < DAY) continue;
		const since = known?.since ?? now;
		const isTold = await tell(env, { incident, state: known?.toldAt ? "lasting" : "begun", text, since, at: now });
		memory.incidents[incident] = { since, toldAt: isTold ? now : (known?.toldAt ?? 0) };
		isTelling = true;
	}
	return isTelling;
}

/**
 * Counts codes, and tells of each incident when it begins, once a day while it lasts, and when it ends. What could not be told is told
 * again in the next hour. While the database does not answer, only the failure of the job is told; no other incident begins or ends.
 * @param failed Parts of the hourly job that failed before.
 */
export async function watch(env: Bindings, now: number, failed: string[] = []): Promise<void> {
	if (!(await beginRun(env, now))) return;
	const memory = await readMemory(env);
	const [judged] = await Promise.allSettled([
		countOn(env, now, openDatabase(env))
			.then(async () => {
				memory.counted = await countedOf(env);
			})
			.then(() => figuresOf(env, now, memory))
			.then((figures) => incidentsOf(figures, now)),
	]);
	const isJudged = judged.status === "fulfilled";
	const lasting = isJudged ? judged.value : new Map<string, string>();
	const parts = isJudged ? failed : [...failed, "figures"];
	if (parts.length > 0) lasting.set(JOB_FAILED, `The hourly job failed: ${parts.join(", ")}.`);
	await tellOf(env, memory, lasting, now);
	for (const [incident, { since }] of Object.entries(memory.incidents)) {
		if (lasting.has(incident) || !(isJudged || incident === JOB_FAILED)) continue;
		if (await tell(env, { incident, state: "ended", text: `${incident} is over.`, since, at: now })) {
			delete memory.incidents[incident];
		}
	}
	const filling = (memory.counted?.zones ?? [])
		.filter(({ name, count }) => count >= ALERTED.zoneFill * CODES_PER_ZONE && !memory.toldZones.includes(name))
		.map(({ name }) => name);
	if (filling.length > 0) {
		const text = `Zones have become 90 % full: ${filling.slice(0, ZONES_NAMED).join(", ")}.`;
		if (await tell(env, { incident: "zones_filling", state: "begun", text, since: now, at: now })) {
			memory.toldZones.push(...filling);
		}
	}
	await env.ZONES.put(MEMORY, JSON.stringify(memory));
	if (!isJudged) throw judged.reason;
}

/** The incident of an hourly job that does not run at all. Its next run ends the incident. */
const JOB_DEAD = "hourly_job_dead";

/**
 * Tells once a day what cannot wait for the hourly job, or is about it: that a database and the bucket do not belong together, and that the
 * job no longer runs. The job of every five minutes calls this.
 */
export async function watchMeanwhile(
	env: Bindings,
	now: number,
	apart: ReadonlyMap<string, JournalIncident>,
): Promise<void> {
	const lasting = incidentsBetween(apart);
	const last = await lastHourlyRun(env);
	if (last !== null && now - last > ALERTED.jobAge)
		lasting.set(JOB_DEAD, `The hourly job has not run since ${timestamp(last)}.`);
	if (lasting.size === 0) return;
	const memory = await readMemory(env);
	if (await tellOf(env, memory, lasting, now)) await env.ZONES.put(MEMORY, JSON.stringify(memory));
}
