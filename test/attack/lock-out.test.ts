/** Guessing passwords, and locking people out by it. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { keyedHash } from "../../src/crypto/hash.ts";
import { readConfig } from "../../src/env.ts";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { perMinute } from "../../src/settings/limits.ts";
import { DAY } from "../../src/time/time.ts";
import { call, json, post } from "../support/client.ts";
import { hashesDuring } from "../support/count-hashes.ts";
import { ageFailures } from "../support/failed-sign-ins.ts";
import { inOneMinute, spend } from "../support/minute.ts";
import { freshPhone, newRecoveryCode, PASSWORD, type SignedInUser, signUp } from "../support/people.ts";
import { codeFor, postWithCodes, requestCode } from "../support/request-codes.ts";
import { countOf, sql, value } from "../support/sql.ts";

const WRONG = "not my password";
const NEW = "nine green hens";

const login = (phone: string, password: string, from?: string) => post("/v1/auth/login", { phone, password }, { from });

/** Notes so many failures with a phone, a minute ago, from each of so many networks, beside one that is made over HTTP. */
async function failures(phone: string, networks: number, each: number): Promise<void> {
	await json(login(phone, WRONG), 401);
	const [newest] = await sql("select phone_key from failed_sign_ins order by failed_at desc, rowid desc limit 1");
	await sql(
		`insert into failed_sign_ins (pair_key, phone_key, count, since, phone_count, phone_since, failed_at)
		select ?1 || value, ?1, ?2, ?3, ?2, ?3, ?3 from json_each(?4)`,
		newest?.phone_key,
		each,
		Date.now() - 60_000,
		JSON.stringify(Array.from({ length: networks }, (_, index) => index)),
	);
}

/** Somebody with a phone of their own, who has signed in from their home. */
async function atHome(home: string): Promise<SignedInUser["user"]> {
	const { user } = await signUp();
	await json(login(user.phone, PASSWORD, home));
	return user;
}

/** Ten wrong guesses at a phone from each of 1,000 networks. */
async function guessesFromEverywhere(phone: string): Promise<void> {
	await failures(phone, 1_000, 10);
	expect(await value("select sum(phone_count) from failed_sign_ins")).toBeGreaterThan(10_000);
}

async function throttled(answer: Promise<Response>, policy: string, leastSeconds: number, mostSeconds: number) {
	const refused = await answer;
	expect(refused.headers.get("RateLimit")).toContain(`"${policy}";r=0;`);
	const wait = Number(refused.headers.get("Retry-After"));
	expect(wait).toBeGreaterThanOrEqual(leastSeconds);
	expect(wait).toBeLessThanOrEqual(mostSeconds);
	expect(await json(refused, 429)).toMatchObject({ code: "RATE_LIMITED" });
}

describe("10,000 wrong guesses from 1,000 networks", () => {
	it("do not stop the owner where they have signed in before, whatever their address is there", async () => {
		const user = await atHome("2001:db8:aa:1100::1");
		const inTown = await atHome("198.51.100.7");
		for (const { phone } of [user, inTown]) await guessesFromEverywhere(phone);
		// An IPv6 customer moves within a /56.
		await json(login(user.phone, PASSWORD, "2001:db8:aa:11ff::9"));
		await json(login(inTown.phone, PASSWORD, "198.51.100.7"));
		// Another customer is no neighbour.
		await throttled(login(user.phone, PASSWORD, "2001:db8:aa:1200::1"), "failed-logins-of-phone", 1, 60);
	});

	it("do not stop the owner behind a live session, with a recovery code or with a one-time code", async () => {
		const { access, user } = await signUp();
		const recovery_code = await newRecoveryCode({ access });
		await guessesFromEverywhere(user.phone);
		const { phone } = user;
		const change = { current_password: PASSWORD, new_password: NEW };
		await json(post("/v1/auth/password/change", change, { token: access }));
		await json(post("/v1/auth/password/reset", { phone, recovery_code, new_password: PASSWORD }));
		const here = { from: "192.0.2.9" };
		const body = { phone, otp: await codeFor(phone, here), new_password: NEW };
		await json(postWithCodes("/v1/auth/password/reset", body, here));
		// And from there they sign in from now on.
		await json(login(phone, NEW, "192.0.2.9"));
	});

	it("leave the owner a try elsewhere after a minute at most, and no hash to be made before", async () => {
		const { user } = await signUp();
		await guessesFromEverywhere(user.phone);
		const hashes = await hashesDuring(() =>
			throttled(login(user.phone, PASSWORD, "192.0.2.77"), "failed-logins-of-phone", 1, 60),
		);
		expect(hashes).toEqual([]);
		await ageFailures(60_000);
		await json(login(user.phone, PASSWORD, "192.0.2.77"));
	});
});

describe("guesses at a phone from where nobody has signed in with it", () => {
	/** 97 failures. */
	const nearlyLocked = (phone: string) => failures(phone, 96, 1);

	it.each(["with an account", "without one"])("wait twice as long after each failure (%s)", async (kind) => {
		const phone = kind === "with an account" ? (await signUp()).user.phone : freshPhone();
		await nearlyLocked(phone);
		for (let failure = 0; failure < 7; failure += 1) {
			await json(login(phone, WRONG), 401);
			await ageFailures(60_000);
		}
		await json(login(phone, WRONG), 401);
		// 1, 2, 4, 8 and 16 seconds are over; a busy machine may spend some of the next ones on the call itself.
		for (const seconds of [32, 60, 60]) {
			const refused = login(phone, PASSWORD);
			await throttled(refused, "failed-logins-of-phone", seconds / 2, seconds);
			await ageFailures(seconds * 1000);
			await json(login(phone, WRONG), 401);
		}
	});

	it("get one try at a time when twenty race, the right password among them", async () => {
		const { user } = await signUp();
		await nearlyLocked(user.phone);
		for (let failure = 0; failure < 3; failure += 1) await json(login(user.phone, WRONG), 401);
		await ageFailures(60_000);
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_, index) => login(user.phone, index === 19 ? PASSWORD : WRONG)),
		);
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(1);
		expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(18);
	});

	it("go on as before, once a day is over", async () => {
		const { user } = await signUp();
		await nearlyLocked(user.phone);
		for (let failure = 0; failure < 3; failure += 1) await json(login(user.phone, WRONG), 401);
		await ageFailures(DAY);
		await json(login(user.phone, PASSWORD));
	});
});

describe("guesses behind a session", () => {
	const change = (token: string, current_password: string) =>
		post("/v1/auth/password/change", { current_password, new_password: NEW }, { token });

	it("end after ten, wherever they come from, and leave signing in and other sessions alone", async () => {
		const thief = await signUp();
		const { phone } = thief.user;
		const owner = await json<SignedInUser>(login(phone, PASSWORD));
		for (let guess = 0; guess < 10; guess += 1) await json(change(thief.access, WRONG), 401);
		await throttled(change(thief.access, PASSWORD), "failed-logins", 800, 900);
		await json(call("/v1/auth/me", { token: thief.access }));
		await json(login(phone, PASSWORD));
		await json(change(owner.access, PASSWORD));
	});
});

describe("guessing the passwords of many phones from one network", () => {
	it("is bounded by the hashes of a network, while those who have signed in from there before notice nothing", async () => {
		const address = "198.51.101.5";
		const neighbour = await atHome(address);
		const statuses = await inOneMinute(async () => {
			await spend("PASSWORD_CALLS", perMinute.PASSWORD_CALLS.quota, address);
			const attempts = [
				login(freshPhone(), WRONG, address),
				login(neighbour.phone, PASSWORD, address),
				login(freshPhone(), WRONG, "198.51.101.6"),
			];
			return (await Promise.all(attempts)).map(({ status }) => status);
		});
		expect(statuses).toEqual([429, 200, 401]);
	});

	it("leaves one a minute to each network of a /24 that has used up its own, and all to those around it", async () => {
		const [address, neighbour, other] = ["198.51.105.5", "198.51.105.6", "198.51.106.5"];
		const home = await atHome(address);
		const fresh = () => [freshPhone(), WRONG] as const;
		const statuses = await inOneMinute(async () => {
			await spend("PASSWORD_CALLS_OF_WIDE_NETWORK", perMinute.PASSWORD_CALLS_OF_WIDE_NETWORK.quota, "198.51.105.0/24");
			const found = [];
			for (const [[phone, password], from] of [
				[fresh(), address],
				[fresh(), address],
				[fresh(), neighbour],
				[fresh(), other],
				[[home.phone, PASSWORD], address],
			] as const)
				found.push((await login(phone, password, from)).status);
			return found;
		});
		expect(statuses).toEqual([401, 429, 401, 401, 200]);
	});

	it("keeps neither phones nor addresses in clear", async () => {
		const phone = freshPhone();
		const { user } = await signUp();
		await json(login(phone, WRONG, "203.0.113.7"), 401);
		await json(login(user.phone, PASSWORD, "203.0.113.7"));
		for (const table of ["failed_sign_ins", "known_networks"]) {
			const rows = await sql(`select * from ${table}`);
			expect(rows.length).toBeGreaterThan(0);
			expect(JSON.stringify(rows)).not.toMatch(/203\.0\.113|\+?234803|usr_/);
		}
	});
});

it("strangers use up none of the one-time codes of a phone where its holder has signed in before", async () => {
	const home = "198.51.102.3";
	const { phone } = await atHome(home);
	const ask = (from: string) => requestCode(phone, { from });
	for (let network = 1; network <= 10; network += 1) await json(ask(`203.0.112.${network}`), 202);
	await json(ask("203.0.115.1"), 429);
	await json(ask(home), 202);
});

it("a network that an older version noted, by all of its hash, is known as before", async () => {
	const home = "198.51.109.1";
	const user = await atHome(home);
	const [{ secret }] = readConfig(env).signingSecrets;
	const key = keyedHash(secret, "known-network", `${user.phone}\0${home}`);
	const noted = "update known_networks set key = ? where key = ?";
	await sql(noted, key, key.slice(0, 32));
	expect(await countOf("known_networks", "key", key)).toBe(1);
	await guessesFromEverywhere(user.phone);
	await json(login(user.phone, PASSWORD, home));
	expect(await countOf("known_networks", "key", key.slice(0, 32))).toBe(1);
});

it("a network is forgotten when nobody has signed in from it for a year", async () => {
	const [lately, longAgo] = ["198.51.103.1", "198.51.104.1"];
	const user = await atHome(longAgo);
	await sql("update known_networks set signed_in_at = signed_in_at - ?", 366 * DAY);
	await json(login(user.phone, PASSWORD, lately));
	await cleanUp(env, Date.now());
	expect(await value("select count(*) from known_networks")).toBe(1);
	await guessesFromEverywhere(user.phone);
	await json(login(user.phone, PASSWORD, lately));
	await throttled(login(user.phone, PASSWORD, longAgo), "failed-logins-of-phone", 1, 60);
});

describe("whoever opened an account with somebody else's number", () => {
	const homes = Array.from({ length: 3 }, (_, index) => `203.0.116.${index + 1}`);

	/** Opens an account with a number and signs in from several networks. */
	async function squat(): Promise<string> {
		const { user } = await signUp();
		for (const from of homes) await json(login(user.phone, PASSWORD, from));
		return user.phone;
	}

	/** What the number's holder is told at home after so many guesses from where the other one has signed in. */
	const afterGuesses = (phone: string, password: string, home: string) =>
		inOneMinute(async () => {
			await json(login(phone, password, home));
			for (const from of homes) {
				for (let guess = 0; guess < 4; guess += 1) await login(phone, WRONG, from);
			}
			return (await login(phone, password, home)).status;
		});

	it("locks out nobody who set a new password by SMS", async () => {
		const [phone, home] = [await squat(), "198.51.105.1"];
		const body = { phone, otp: await codeFor(phone, { from: home }), new_password: NEW };
		await json(postWithCodes("/v1/auth/password/reset", body, { from: home }));
		expect(await afterGuesses(phone, NEW, home)).toBe(200);
	});

	it("locks out nobody who took the number with a code", async () => {
		const [phone, home] = [await squat(), "198.51.105.2"];
		const { access: token } = await signUp();
		const body = { phone, code: await codeFor(phone, { token }), current_password: PASSWORD };
		await json(postWithCodes("/v1/auth/otp/verify", body, { token }));
		expect(await afterGuesses(phone, PASSWORD, home)).toBe(200);
	});
});

it("somebody who has changed their number is known with the new one where they proved it", async () => {
	const home = { from: "198.51.105.3", token: (await signUp()).access };
	const phone = freshPhone();
	const body = { phone, code: await codeFor(phone, home), current_password: PASSWORD };
	await json(postWithCodes("/v1/auth/otp/verify", body, home));
	await guessesFromEverywhere(phone);
	await json(login(phone, PASSWORD, home.from));
});
