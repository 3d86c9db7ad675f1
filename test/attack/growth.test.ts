/** What one account and one network may write in a day. */
import { describe, expect, it } from "vitest";
import type { Bindings } from "../../src/env.ts";
import { perDay, SHARE_OF_ACCOUNT, SHARE_OF_OLDER_ACCOUNT } from "../../src/settings/limits.ts";
import { call, json, post, problem } from "../support/client.ts";
import { logged } from "../support/logged.ts";
import { inOneMinute } from "../support/minute.ts";
import {
	AT_LAGOS,
	freshPhone,
	LAGOS,
	mint,
	newKey,
	newOwner,
	PASSWORD,
	type SignedInUser,
	signUp,
	signUpAgent,
} from "../support/people.ts";
import { leave } from "../support/quotas.ts";
import { row, sql, value } from "../support/sql.ts";

type Ask = (settings: Partial<Bindings>, from?: string) => Promise<Response>;

/** Everything that makes the database grow for an account, each as a call that may be repeated. */
async function writesOfOneAccount(): Promise<Record<string, Ask>> {
	const { access } = await signUp();
	const agent = await signUpAgent();
	const { canonical } = await mint(access, LAGOS);
	const { canonical: visited } = await mint(access, LAGOS);
	let calls = 0;
	const send =
		(path: string, body: () => object, token = access, method = "POST"): Ask =>
		(settings, from) => {
			calls += 1;
			return call(path, { method, token, body: body(), settings, from });
		};
	const people = await Promise.all([signUp(), signUp(), signUp(), signUp()]);
	const attested = () => people[calls % people.length]!.user;
	return {
		"new-addresses": send("/v1/addresses", () => LAGOS, (await signUp()).access),
		changes: send(`/v1/addresses/${canonical}`, () => ({ label: `${calls}` }), access, "PATCH"),
		"changes of links": send(`/v1/addresses/${canonical}/share`, () => ({}), access, "DELETE"),
		"new-keys": send("/v1/keys", () => ({ name: "Shop", mode: "live" })),
		"attestations of addresses": send(
			`/v1/addresses/${visited}/attestations`,
			() => ({ level: 1, note: "", ...AT_LAGOS }),
			agent.access,
		),
		"attestations of phones": send(
			"/v1/auth/attest-phone",
			() => ({ phone: attested().phone, user_id: attested().id }),
			agent.access,
		),
	};
}

/** How many rows each table has that the calls above could add to. */
const rows = () =>
	row(
		`select ${["addresses", "address_changes", "api_keys", "attestations", "phone_proofs", "daily_counts", "users"]
			.map((table) => `(select count(*) from ${table}) as ${table}`)
			.join()}`,
	);

const writes = await writesOfOneAccount();

/** Has accounts and agents write so many of a kind today. */
const setCount = (name: string, count: number) =>
	sql("update daily_counts set count = ? where subject like ?", count, `usr_%:${name.split(" ")[0]}`);

describe("an account", () => {
	it.each(Object.keys(writes))("has a limit in a day, and is told what is left of it: %s", async (name) => {
		const { quota } = perDay[name.split(" ")[0] as keyof typeof perDay];
		const write = writes[name]!;
		const { headers } = await write({});
		expect(headers.get("RateLimit-Policy")).toContain(`"${name.split(" ")[0]}";q=`);
		expect(headers.get("RateLimit")).toMatch(new RegExp(`"${name.split(" ")[0]}";r=\\d+;t=\\d+`));
		// Who has used up what they may change may still end as many links.
		const times = name === "changes of links" ? 2 : 1;
		await setCount(name, times * quota - 1);
		expect((await write({})).ok).toBe(true);
		const before = await rows();
		const refused = await write({});
		const retryAfter = Number(refused.headers.get("Retry-After"));
		expect(retryAfter).toBeGreaterThan(0);
		expect(retryAfter).toBeLessThanOrEqual(86_400);
		expect(await json(refused, 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		expect(await rows()).toEqual(before);
		await setCount(name, 0);
	});

	it("that makes the 501st address of a day in a zone is shown to the operator, once", async () => {
		const { access, country, zone } = await newOwner();
		const subject = `${country}${zone}:new-addresses-of-zone`;
		await sql("update daily_counts set count = 499 where subject = ?", subject);
		const lines = await logged(async () => {
			for (let made = 0; made < 3; made += 1) await mint(access, LAGOS);
		}, "many_new_addresses");
		expect(lines).toMatchObject([{ zone: `${country}${zone}` }]);
	});

	it("gains nothing by revoking the keys that it makes", async () => {
		const { access, user } = await signUp();
		for (let made = 0; made < 3; made += 1) {
			const { id } = await json(post("/v1/keys", { name: "Shop", mode: "live" }, { token: access }), 201);
			expect((await call(`/v1/keys/${id}`, { method: "DELETE", token: access })).status).toBe(204);
		}
		expect(await value("select count from daily_counts where subject = ?", `${user.id}:new-keys`)).toBe(3);
	});
});

describe("a network", () => {
	const counted = Object.keys(writes).filter((name) => name !== "changes of links");
	it.each(counted)("has a limit in a day over all accounts: %s", async (name) => {
		const number = Object.keys(writes).indexOf(name);
		const address = `198.51.${number}.1`;
		const settings = { WRITES_PER_NETWORK_AND_DAY: 2 };
		const write = writes[name]!;
		expect((await write(settings, address)).ok).toBe(true);
		expect((await write(settings, address)).ok).toBe(true);
		await setCount(name, SHARE_OF_ACCOUNT);
		const before = await rows();
		expect(await json(write(settings, address), 429)).toMatchObject({ code: "QUOTA_EXCEEDED" });
		expect(await rows()).toEqual(before);
		// Nobody elsewhere is concerned, next door either.
		expect((await write(settings, `198.51.${number}.2`)).ok).toBe(true);
		await setCount(name, 0);
	});

	it("that one account has used up leaves its neighbours a share each, and ends at half as much again", async () => {
		const [abuser, neighbour] = [await signUp(), await signUp()];
		const settings = { WRITES_PER_NETWORK_AND_DAY: 8 };
		const statusesOf = async (token: string, times: number) => {
			const statuses: number[] = [];
			for (let index = 0; index < times; index += 1) {
				// An IPv6 customer moves within a /56.
				const from = `2001:db8:b:5${index.toString(16).padStart(2, "0")}::1`;
				statuses.push((await post("/v1/addresses", LAGOS, { token, settings, from })).status);
			}
			return statuses;
		};
		expect(await statusesOf(abuser.access, 11)).toEqual([...Array(10).fill(201), 429]);
		expect(await statusesOf(neighbour.access, 3)).toEqual([201, 201, 429]);
	});

	it("counts long texts as several writes", async () => {
		const { access: token } = await signUp();
		const settings = { WRITES_PER_NETWORK_AND_DAY: 6 };
		// 2,000 bytes count as five.
		const long = { ...LAGOS, label: "😀".repeat(200), directions: "😀".repeat(300) };
		const send = async (body: object) =>
			(await post("/v1/addresses", body, { token, settings, from: "198.51.98.1" })).status;
		expect(await send(long)).toBe(201);
		await setCount("new-addresses", SHARE_OF_ACCOUNT);
		expect(await send(long)).toBe(429);
		expect(await send(LAGOS)).toBe(201);
	});

	it("does not count an account with an allowance, whose addresses are shown to the operator all the same", async () => {
		const [allowed, neighbour] = [await signUp(), await signUp()];
		await sql("insert into allowances (user_id, new_addresses_per_day) values (?, 50)", allowed.user.id);
		const settings = { WRITES_PER_NETWORK_AND_DAY: 1 };
		const mint = (token: string) => post("/v1/addresses", LAGOS, { token, settings, from: "198.51.99.1" });
		const ofZone = () => value("select sum(count) from daily_counts where subject like '%-of-zone'");
		const before = Number(await ofZone());
		for (let index = 0; index < 13; index += 1) expect((await mint(allowed.access)).status).toBe(201);
		expect((await mint(neighbour.access)).status).toBe(201);
		expect(await ofZone()).toBe(before + 14);
	});

	it("opens so many accounts in a day, verified or not, then three a minute, and closes it to nobody next door", async () => {
		const register = (from: string) => post("/v1/auth/register", { phone: freshPhone(), password: PASSWORD }, { from });
		let block = 0;
		const { opened, refused, next, added } = await inOneMinute(async () => {
			block += 1;
			const opened: number[] = [];
			opened.push((await register(`203.0.${block}.1`)).status);
			await leave("registrations-of-network", 1);
			for (let index = 2; index <= 5; index += 1) opened.push((await register(`203.0.${block}.1`)).status);
			await sql("update users set phone_verified = 1");
			const before = await rows();
			const refused = await register(`203.0.${block}.1`);
			const added = JSON.stringify(await rows()) !== JSON.stringify(before);
			return { opened, refused, added, next: (await register(`203.0.${block}.2`)).status };
		});
		expect(opened).toEqual([201, 201, 201, 201, 201]);
		expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
		expect(await json(refused, 429)).toMatchObject({ code: "RATE_LIMITED" });
		expect(added).toBe(false);
		expect(next).toBe(201);
	});

	it("that is not known, as locally, is not counted", async () => {
		const { access, user } = await signUp();
		const settings = { WRITES_PER_NETWORK_AND_DAY: 1 };
		for (let index = 0; index < 3; index += 1) {
			await json(post("/v1/addresses", LAGOS, { token: access, settings, from: "" }), 201);
		}
		expect(await value("select count from daily_counts where subject = ?", `${user.id}:new-addresses`)).toBe(3);
	});

	it("is stored as a keyed hash in every counter, and its IP address nowhere", async () => {
		const { access } = await signUp();
		await json(post("/v1/addresses", LAGOS, { token: access, from: "192.0.2.99" }), 201);
		const ofNetworks = await sql("select subject from daily_counts where subject like '%:writes-of-network'");
		expect(ofNetworks.length).toBeGreaterThan(1);
		for (const { subject } of ofNetworks) expect(subject).toMatch(/^[\da-f]{64}:writes-of-network$/);
	});
});

describe("accounts around a network", () => {
	const around = [
		["IPv4 /24", "198.51.77.1", "198.51.77.2", "198.51.78.1"],
		["IPv6 /48", "2001:db8:77:100::1", "2001:db8:77:200::1", "2001:db8:78:100::1"],
	] as const;

	/** Has so much been written there that the day's quota is used up. */
	const useUp = (name: "writes" | "registrations") => leave(`${name}-of-wide-network`, 0);

	it.each(around)("share what they may write in a day: %s", async (_, one, next, elsewhere) => {
		await sql("delete from daily_counts");
		const [young, old, allowed] = [await newOwner(), await newOwner(), await newOwner()];
		await sql("update users set created_at = created_at - 2678400000 where id = ?", old.user.id);
		await sql("insert into allowances (user_id, new_addresses_per_day) values (?, 50)", allowed.user.id);
		const key = await newKey(young);
		const create = ({ access: token }: SignedInUser, from: string) => post("/v1/addresses", LAGOS, { token, from });
		await json(create(young, one), 201);
		await useUp("writes");
		const statuses = await inOneMinute(async () => {
			await useUp("writes");
			const mine = await Promise.all(Array.from({ length: 5 }, () => create(young, next)));
			for (const refused of mine.filter(({ status }) => status === 429)) {
				expect(await json(refused, 429)).toMatchObject({ code: "RATE_LIMITED" });
				expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
			}
			return mine.map(({ status }) => status).sort();
		});
		expect(statuses).toEqual([201, 201, 201, 429, 429]);
		for (const other of [create(old, next), create(allowed, next), create(young, elsewhere)]) await json(other, 201);
		// Nobody is kept from taking away what others may read or do.
		const own = (method: string, path: string, body?: object) =>
			call(path, { method, body, token: young.access, from: next });
		const path = `/v1/addresses/${young.canonical}`;
		expect((await own("PATCH", path, { label: "Gate" })).status).toBe(429);
		const ended: [string, number][] = [];
		for (const [method, where, body] of [
			["PATCH", path, { visibility: "private" }],
			["DELETE", `${path}/share`],
			["DELETE", `/v1/keys/${key.id}`],
			["DELETE", path],
		] as const)
			ended.push([where, (await own(method, where, body)).status]);
		expect(ended.map(([, status]) => status)).toEqual([200, 204, 204, 204]);
	});

	it.each(around)(
		"go on with a share each where they are older, then with three a minute: %s",
		async (_, one, next, elsewhere) => {
			await sql("delete from daily_counts");
			const people = await Promise.all(Array.from({ length: 5 }, () => signUp()));
			const [young, done, fresh, honest, allowed] = people as [SignedInUser, ...SignedInUser[]] & typeof people;
			await sql("update users set created_at = created_at - 2678400000 where id <> ?", young.user.id);
			await sql("insert into allowances (user_id, new_addresses_per_day) values (?, 500)", allowed!.user.id);
			const create = ({ access: token }: SignedInUser, from: string = next) =>
				post("/v1/addresses", LAGOS, { token, from });
			const statusesOf = async (person: SignedInUser, times: number) => {
				const statuses: number[] = [];
				for (let time = 0; time < times; time += 1) statuses.push((await create(person)).status);
				return statuses;
			};
			const setOwn = ({ user }: SignedInUser, count: number) =>
				sql("update daily_counts set count = ? where subject = ?", count, `${user.id}:new-addresses`);
			const ofOlder = "%:writes-of-wide-network-by-older-accounts";
			for (const person of people) await json(create(person, one), 201);
			// While there is room, all count together.
			expect(await value("select count from daily_counts where subject like '%:writes-of-wide-network'")).toBe(4);
			expect(await value("select count(*) from daily_counts where subject like ?", ofOlder)).toBe(0);

			const { quota } = perDay["writes-of-wide-network"];
			const inFull = await inOneMinute(async () => {
				await sql("delete from daily_counts where subject like ?", ofOlder);
				await useUp("writes");
				await setOwn(done!, SHARE_OF_OLDER_ACCOUNT - 2);
				await setOwn(honest!, 150);
				return {
					young: await statusesOf(young, 4),
					// Past its share, an older account takes from the three a minute of all.
					done: await statusesOf(done!, 3),
					honest: await statusesOf(honest!, 5),
					counted: await value("select count from daily_counts where subject like ?", ofOlder),
				};
			});
			expect(inFull).toEqual({
				young: [201, 201, 201, 429],
				done: [201, 201, 429],
				honest: Array(5).fill(201),
				counted: 7,
			});

			// What comes to nothing is given back where it was spent.
			const counts = () =>
				sql("select subject, count from daily_counts where subject like '%:writes-of-wide%' order by 1");
			const before = await counts();
			const { canonical } = await json<{ canonical: string }>(create(honest!, elsewhere), 201);
			const nothing = { method: "POST", token: honest!.access, body: { text: "No such report" }, from: next };
			await problem(call(`/v1/addresses/${canonical}/reports/rpt_x/answer`, nothing), 404, "NOT_FOUND");
			expect(await counts()).toEqual(expect.arrayContaining(before));

			const inFullTwice = await inOneMinute(async () => {
				await useUp("writes");
				await sql("update daily_counts set count = ? where subject like ?", quota, ofOlder);
				const older = [...(await statusesOf(fresh!, 2)), ...(await statusesOf(honest!, 2))];
				const refused = await json<{ code: string }>(create(fresh!), 429);
				return { older, code: refused.code, young: await statusesOf(young, 4) };
			});
			expect(inFullTwice).toEqual({
				older: [201, 201, 201, 429],
				code: "RATE_LIMITED",
				young: [201, 201, 201, 429],
			});
			for (const person of [allowed!, fresh!]) await json(create(person, elsewhere), 201);
			expect(await statusesOf(allowed!, 5)).toEqual(Array(5).fill(201));
		},
	);

	it.each(around)("are opened so often in a day, then three a minute: %s", async (_, one, next, elsewhere) => {
		const register = async (from: string) =>
			(await post("/v1/auth/register", { phone: freshPhone(), password: PASSWORD }, { from })).status;
		expect(await register(one)).toBe(201);
		const statuses = await inOneMinute(async () => {
			await useUp("registrations");
			const there = [await register(next), await register(next), await register(next), await register(next)];
			return [...there, await register(elsewhere)];
		});
		expect(statuses).toEqual([201, 201, 201, 429, 201]);
	});
});
