/**
 * The previous release and this one serve the same databases and the same bucket, as while a version rolls out and after one was rolled
 * back. Clients send everything that changes something to either of them, and read it from the other.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RegistryStorage } from "../../src/cli/databases.ts";
import { verifyRegistry } from "../../src/cli/verify.ts";
import { readSigningSecrets } from "../../src/settings/signing-secrets.ts";
import { type Dump, dumps, fillRegistry, migrateRegistry, readDump, secretsOf } from "../support/dump.ts";
import { seededRandom } from "../support/random.ts";
import { type Account, makeKey, PASSWORD, send, signUp } from "../support/remote.ts";
import { type Served, serveRegistry } from "../support/serve.ts";
import { until } from "../support/until.ts";

/** The checkout of the previous release, with its Worker bundled. */
const RELEASE = process.env.PREVIOUS_RELEASE ?? "";
if (!RELEASE) throw new Error("PREVIOUS_RELEASE names no checkout of the previous release: run .ci/previous-release");

const PERSONS = 5;
/** What each person does in one phase, one after another. */
const ACTS = 7;

const random = seededRandom(14);
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;

/** Which versions answer in a phase: the Worker of the previous release, of this one, or either. */
type Versions = readonly ("old" | "new")[];

let served: Served;
let registry: RegistryStorage;
let dump: Dump;
const urlOf = (version: "old" | "new") => (version === "new" ? served.url : served.beside[0]!);

beforeAll(async () => {
	dump = readDump(dumps.at(-1)!);
	const apart = Object.keys(dump.rowsApart ?? {});
	// The name under which both answer is the same, and with it what they cache.
	const bindings = { ...secretsOf(dump), WEB_URL: "http://registry.localhost" };
	served = await serveRegistry(0, {
		bindings,
		apart,
		isEmpty: true,
		beside: [{ folder: path.join(RELEASE, "dist/worker"), port: 0, apart }],
	});
	registry = served as unknown as RegistryStorage;
	await fillRegistry(registry, dump);
});
afterAll(() => served.stop());

/** Sends a request to a version, again while it is busy, and answers with what it must answer. */
async function ask(version: "old" | "new", status: number, method: string, path: string, token?: string, more = {}) {
	let answer = await send(urlOf(version), { method, path, token, ...more });
	for (let tries = 0; answer.status === 503 && tries < 30; tries += 1) {
		await new Promise((resolve) => setTimeout(resolve, 500));
		answer = await send(urlOf(version), { method, path, token, ...more });
	}
	expect([version, method, path, answer.status, answer.status === status ? "" : answer.text]).toEqual([
		version,
		method,
		path,
		status,
		"",
	]);
	return answer.body;
}

interface Known {
	label: string;
	state: "public" | "private" | "retired";
	link?: string;
}

/** A client that remembers what it was answered. */
class Person {
	readonly codes = new Map<string, Known>();
	private readonly account: Account;
	private readonly number: number;
	private token: string;
	private refresh: string;
	private place = 0;

	constructor(account: Account, number: number) {
		[this.account, this.number, this.token, this.refresh] = [account, number, account.token, account.refresh];
	}

	get live(): string[] {
		return [...this.codes].flatMap(([code, { state }]) => (state === "retired" ? [] : [code]));
	}

	/** A place of its own, in either database. */
	private next() {
		this.place += 1;
		const [lat, lng] = this.place % 3 === 0 ? [-1.2921, 36.8219] : [6.5244, 3.3792];
		return { lat: lat + this.number * 0.001, lng: lng + this.place * 0.0001, label: `${this.number}-${this.place}` };
	}

	/** Does one thing in a version, and reads it from another. */
	async act(one: "old" | "new", other: "old" | "new"): Promise<void> {
		const code = pick(this.live);
		await pick([
			() => this.mint(one, other),
			() => this.mint(one, other),
			() => this.mintMany(one, other),
			() => this.change(one, other, code),
			() => this.hide(one, other, code),
			() => this.retire(one, other, code),
			() => this.addUnit(one, other, code),
			() => this.useKey(one, other),
			() => this.signIn(one, other),
		])();
	}

	async mint(one: "old" | "new", other: "old" | "new"): Promise<void> {
		const body = this.next();
		const headers = { "Idempotency-Key": `key-${body.label}` };
		const { canonical } = await ask(one, 201, "POST", "/v1/addresses", this.token, { body, headers });
		const again = await ask(other, 201, "POST", "/v1/addresses", this.token, { body, headers });
		expect(again.canonical).toBe(canonical);
		this.codes.set(String(canonical), { label: body.label, state: "public" });
	}

	private async mintMany(one: "old" | "new", other: "old" | "new"): Promise<void> {
		const items = [this.next(), this.next()].map((place) => ({ ...place, external_id: `meter-${place.label}` }));
		type Items = { data: { status: string; address: { canonical: string } }[] };
		const mint = (version: "old" | "new") =>
			ask(version, 200, "POST", "/v1/addresses/batch", this.token, { body: { items } }) as Promise<Items & object>;
		const [first, again] = [await mint(one), await mint(other)];
		expect(first.data.map(({ status }) => status)).toEqual(["created", "created"]);
		expect(again.data.map(({ status, address }) => [status, address.canonical])).toEqual(
			first.data.map(({ address }) => ["existing", address.canonical]),
		);
		for (const [index, { address }] of first.data.entries())
			this.codes.set(address.canonical, { label: items[index]!.label, state: "public" });
	}

	private async change(one: "old" | "new", other: "old" | "new", code: string): Promise<void> {
		const known = this.codes.get(code)!;
		known.label = `${known.label}+`;
		await ask(one, 200, "PATCH", `/v1/addresses/${code}`, this.token, { body: { label: known.label } });
		const read = await ask(other, 200, "GET", `/v1/addresses/${code}`, this.token);
		expect(read.label).toBe(known.label);
	}

	private async hide(one: "old" | "new", other: "old" | "new", code: string): Promise<void> {
		const known = this.codes.get(code)!;
		await ask(one, 200, "PATCH", `/v1/addresses/${code}`, this.token, { body: { visibility: "private" } });
		const { url } = await ask(other, 201, "POST", `/v1/addresses/${code}/share`, this.token, { body: { days: 30 } });
		Object.assign(known, { state: "private", link: new URL(String(url)).search });
		await ask(one, 200, "GET", `/v1/public/addresses/${code}${known.link}`);
	}

	private async retire(one: "old" | "new", other: "old" | "new", code: string): Promise<void> {
		await ask(one, 204, "DELETE", `/v1/addresses/${code}`, this.token);
		await ask(other, 410, "GET", `/v1/addresses/${code}`, this.token);
		this.codes.get(code)!.state = "retired";
		await this.mint(other, one);
	}

	private async addUnit(one: "old" | "new", other: "old" | "new", code: string): Promise<void> {
		const unit = `/v1/addresses/${code}/units/3B`;
		await ask(one, 200, "PUT", unit, this.token, { body: { label: "third floor" } });
		await ask(other, 204, "DELETE", unit, this.token);
	}

	private async useKey(one: "old" | "new", other: "old" | "new"): Promise<void> {
		const key = await makeKey(urlOf(one), this.token);
		await ask(other, 200, "GET", "/v1/addresses?limit=1", key.token);
		await ask(one, 204, "DELETE", `/v1/keys/${key.id}`, this.token);
		await ask(other, 401, "GET", "/v1/addresses?limit=1", key.token);
	}

	/** Signs in, and goes on with the session in the other version. */
	async signIn(one: "old" | "new", other: "old" | "new"): Promise<void> {
		const body = { phone: this.account.phone, password: PASSWORD };
		const { refresh } = await ask(one, 200, "POST", "/v1/auth/login", undefined, { body });
		this.refresh = String(refresh);
		await this.renew(other);
	}

	/** Goes on with the session that it has. */
	async renew(version: "old" | "new"): Promise<void> {
		const body = { refresh: this.refresh };
		const next = await ask(version, 200, "POST", "/v1/auth/token/refresh", undefined, { body });
		[this.refresh, this.token] = [String(next.refresh), `Bearer ${next.access}`];
	}

	/** Closes the account, which ends the links to its private addresses for good. */
	async close(version: "old" | "new"): Promise<void> {
		await ask(version, 202, "DELETE", "/v1/auth/me", this.token, { body: { password: PASSWORD } });
		for (const known of this.codes.values()) delete known.link;
	}

	/** The list of its addresses is what it was answered: nothing is lost, and nothing is there twice. */
	async compare(version: "old" | "new"): Promise<void> {
		const listed: string[] = [];
		for (let cursor: unknown; cursor !== null; ) {
			const from = cursor ? `&cursor=${cursor}` : "";
			const page = await ask(version, 200, "GET", `/v1/addresses?limit=50${from}`, this.token);
			listed.push(...(page.data as { canonical: string }[]).map(({ canonical }) => canonical));
			cursor = page.next_cursor;
		}
		expect(listed.toSorted()).toEqual(this.live.toSorted());
		for (const [code, known] of this.codes) await this.resolve(version, code, known);
	}

	/** What a batch of codes leads to: the status of each, and its label. */
	async lookUp(version: "old" | "new", codes: string[]): Promise<unknown[]> {
		type Item = { address?: { label: string }; problem?: { status: number } };
		const { data } = await ask(version, 200, "POST", "/v1/public/addresses/batch", this.token, { body: { codes } });
		return (data as Item[]).map(({ address, problem }) => [problem?.status ?? 200, address?.label]);
	}

	/** What everybody sees. A change reaches the cache after its answer. */
	private async resolve(version: "old" | "new", code: string, { state, label, link }: Known): Promise<void> {
		const status = { public: 200, private: 403, retired: 410 }[state];
		const read = () => send(urlOf(version), { path: `/v1/public/addresses/${code}` });
		await until(async () => {
			const { status: answered, body } = await read();
			return answered === status && (status !== 200 || body.label === label);
		});
		if (state === "private" && link) await ask(version, 200, "GET", `/v1/public/addresses/${code}${link}`);
	}

	/** While the account is closed, none of its addresses leads anywhere. Batches read no cache, which would keep them for half a minute. */
	async expectClosed(version: "old" | "new", reader: Person): Promise<void> {
		const answers = await reader.lookUp(version, [...this.codes.keys()]);
		expect(answers).toEqual(Array(this.codes.size).fill([410, undefined]));
	}
}

const persons: Person[] = [];

/** Lets everybody act at once, through some versions. */
async function act(versions: Versions, acts = ACTS): Promise<void> {
	await Promise.all(
		persons.map(async (person) => {
			for (let count = 0; count < acts; count += 1) {
				const [one, other] = [pick(versions), pick(versions)];
				await person.act(one, other);
			}
		}),
	);
}

/** Lets all jobs of an hour run in some versions, then compares what is there with what was answered. */
async function compare(versions: Versions): Promise<void> {
	for (const version of versions) await served.runHourly(Date.now(), undefined, version === "new" ? 0 : 1);
	for (const version of versions) await Promise.all(persons.map((person) => person.compare(version)));
	const codes = Object.keys(dump.client.answers);
	for (const version of versions) {
		const answers: unknown[] = [];
		for (let from = 0; from < codes.length; from += 100)
			answers.push(...(await persons[0]!.lookUp(version, codes.slice(from, from + 100))));
		const wanted = Object.values(dump.client.answers).map(({ status, body }) => [status, body.label]);
		expect(answers).toEqual(wanted);
	}
}

it("goes on while the tables of this version are made under the previous one", async () => {
	for (let number = 0; number < PERSONS; number += 1) {
		const person = new Person(await signUp(urlOf("old")), number);
		await person.mint("old", "old");
		persons.push(person);
	}
	const [during] = await Promise.all([act(["old"]), migrateRegistry(registry, dump)]);
	expect(during).toBeUndefined();
	await compare(["old"]);
});

it("loses and doubles nothing while both serve", async () => {
	await act(["old", "new"]);
	await compare(["old", "new"]);
});

it("closes and reopens an account in either", async () => {
	const ways = [
		["new", "new"],
		["old", "new"],
		["new", "old"],
		["old", "old"],
	] as const;
	const reader = persons.at(-1)!;
	const all = (work: (person: Person, way: (typeof ways)[number]) => Promise<void>) =>
		Promise.all(ways.map((way, index) => work(persons[index]!, way)));
	await all((person, [closing]) => person.close(closing));
	await all((person) => person.expectClosed("new", reader));
	await all((person, [, reopening]) => person.signIn(reopening, reopening));
	await served.runHourly(Date.now(), "*/5 * * * *");
	for (const version of ["new", "old"] as const) await all((person) => person.compare(version));
});

it("goes on after it was rolled back, and after it was deployed again", async () => {
	// What the changelog says to run before, so that an account that was closed stays closed.
	const changelog = readFileSync(path.join(import.meta.dirname, "../../.github/CHANGELOG.md"), "utf8");
	const [statement = ""] = /UPDATE addresses SET retired_at [^`]+/.exec(changelog) ?? [];
	const [closed, ...others] = persons as [Person, ...Person[]];
	await closed.close("new");
	for (const database of [registry.database, ...Object.values(registry.apart ?? {})])
		await database.prepare(statement).run();
	await closed.expectClosed("old", others[0]!);
	await Promise.all(others.map((person) => person.renew("old")));
	await closed.signIn("old", "old");
	for (const versions of [["old"], ["new"]] as const) {
		// What the previous release opened in a database of accounts, this one opens in the others within five minutes.
		if (versions[0] === "new") await served.runHourly(Date.now(), "*/5 * * * *");
		await Promise.all(persons.map((person) => person.renew(versions[0])));
		await act(versions);
		await compare(versions);
	}
	const { faults } = await verifyRegistry(registry, readSigningSecrets(secretsOf(dump).JOURNAL_SECRETS));
	expect(faults).toEqual([]);
});
