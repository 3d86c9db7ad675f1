/** Guessing passwords, and locking people out by it: attack.md H2 and M11. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { cleanUp } from "../../src/clean-up.ts";
import { call, freshAddress, freshPhone, json, PASSWORD, type SignedInUser, signUp } from "../support/client.ts";
import { hashesDuring } from "../support/count-hashes.ts";
import { lastCode, smsGateway } from "../support/one-time-codes.ts";

const WRONG = "not my password";
const NEW = "nine green hens";

const post = (path: string, body: object, address: string, more: object = {}) =>
	call(path, { method: "POST", body, headers: { "CF-Connecting-IP": address }, ...more });
const login = (phone: string, password: string, address = freshAddress(), settings: object = {}) =>
	post("/v1/auth/login", { phone, password }, address, { settings });

/** Makes all failures so far that many milliseconds older. */
const age = (milliseconds: number) =>
	env.DB.prepare("update failed_logins set failed_at = failed_at - ?").bind(milliseconds).run();

/** Somebody with a phone of their own, who has signed in from their home. */
async function atHome(home: string): Promise<SignedInUser["user"]> {
	const { user } = await signUp();
	await json(login(user.phone, PASSWORD, home));
	return user;
}

/** Ten wrong guesses at a phone from each of 1,000 networks, spread over the last minutes, beside one that was made over HTTP. */
async function guessesFromEverywhere(phone: string): Promise<void> {
	await json(login(phone, WRONG, "203.0.113.250"), 401);
	const phoneKey = await env.DB.prepare("select phone_key from failed_logins order by id desc limit 1").first(
		"phone_key",
	);
	const numbers = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => index));
	for (let time = 0; time < 10; time += 1) {
		await env.DB.prepare(
			"insert into failed_logins (phone_key, pair_key, failed_at) select ?1, 'network-' || value, ?2 from json_each(?3)",
		)
			.bind(phoneKey, Date.now() - time * 60_000, numbers)
			.run();
	}
	expect(await env.DB.prepare("select count(*) as count from failed_logins").first("count")).toBeGreaterThan(10_000);
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
		// An IPv6 customer moves within a /56, and a carrier hands out the addresses of a /24.
		await json(login(user.phone, PASSWORD, "2001:db8:aa:11ff::9"));
		await json(login(inTown.phone, PASSWORD, "198.51.100.201"));
		// Another customer is no neighbour.
		await throttled(login(user.phone, PASSWORD, "2001:db8:aa:1200::1"), "failed-logins-of-phone", 1, 900);
	});

	it("do not stop the owner behind a live session, with a recovery code or with a one-time code", async () => {
		const { access, user } = await signUp();
		const { recovery_code } = await json<{ recovery_code: string }>(
			call("/v1/auth/recovery-code", { method: "POST", token: access, body: { password: PASSWORD } }),
			201,
		);
		await guessesFromEverywhere(user.phone);
		const { phone } = user;
		const change = { current_password: PASSWORD, new_password: NEW };
		await json(call("/v1/auth/password/change", { method: "POST", token: access, body: change }));
		await json(post("/v1/auth/password/reset", { phone, recovery_code, new_password: PASSWORD }, freshAddress()));
		await json(post("/v1/auth/otp/signed-out", { phone }, "192.0.2.9", { settings: smsGateway }), 202);
		const body = { phone, otp: await lastCode(phone), new_password: NEW };
		await json(post("/v1/auth/password/reset", body, "192.0.2.9", { settings: smsGateway }));
		// And from there they sign in from now on.
		await json(login(phone, NEW, "192.0.2.9"));
	});

	it("leave the owner a try elsewhere after a quarter of an hour at most, and no hash to be made before", async () => {
		const { user } = await signUp();
		await guessesFromEverywhere(user.phone);
		const hashes = await hashesDuring(() =>
			throttled(login(user.phone, PASSWORD, "192.0.2.77"), "failed-logins-of-phone", 890, 900),
		);
		expect(hashes).toEqual([]);
		await age(15 * 60_000);
		await json(login(user.phone, PASSWORD, "192.0.2.77"));
	});
});

describe("guesses at a phone from where nobody has signed in with it", () => {
	const settings = { FAILED_LOGINS_PER_PHONE: "3", FAILED_LOGINS_DELAY_MAX_MINUTES: "1" };

	it.each(["with an account", "without one"])("wait twice as long after each failure (%s)", async (kind) => {
		const phone = kind === "with an account" ? (await signUp()).user.phone : freshPhone();
		for (let failure = 0; failure < 7; failure += 1) {
			await json(login(phone, WRONG, undefined, settings), 401);
			await age(60_000);
		}
		await json(login(phone, WRONG, undefined, settings), 401);
		// 1, 2, 4, 8 and 16 seconds are over; a busy machine may spend some of the next ones on the call itself.
		for (const seconds of [32, 60, 60]) {
			const refused = login(phone, PASSWORD, undefined, settings);
			await throttled(refused, "failed-logins-of-phone", seconds / 2, seconds);
			await age(seconds * 1000);
			await json(login(phone, WRONG, undefined, settings), 401);
		}
	});

	it("get one try at a time when twenty race, the right password among them", async () => {
		const { user } = await signUp();
		for (let failure = 0; failure < 3; failure += 1) await json(login(user.phone, WRONG, undefined, settings), 401);
		await age(60_000);
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_, index) => login(user.phone, index === 19 ? PASSWORD : WRONG, undefined, settings)),
		);
		const statuses = answers.map(({ status }) => status);
		expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(1);
		expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(18);
	});

	it("go on as before, once a day is over", async () => {
		const { user } = await signUp();
		for (let failure = 0; failure < 3; failure += 1) await json(login(user.phone, WRONG, undefined, settings), 401);
		await age(24 * 3_600_000);
		await json(login(user.phone, PASSWORD, undefined, settings));
	});
});

describe("guesses behind a session", () => {
	const change = (token: string, current_password: string) =>
		call("/v1/auth/password/change", { method: "POST", token, body: { current_password, new_password: NEW } });

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
	const settings = { FAILED_LOGINS_PER_NETWORK_AND_DAY: "5" };
	const [few, period] = [3, 10];

	/** Fails once from an address, with a phone of its own, whose password is cheap to compare. */
	const fail = async (address: string) => json(login((await signUp()).user.phone, WRONG, address, settings), 401);

	/** Signs in from an address at once with the right passwords of eight phones that are new there, as the luckiest guesses; how many got in. */
	async function luckyGuesses(address: string): Promise<number> {
		const users = await Promise.all(Array.from({ length: 8 }, () => signUp()));
		const answers = await Promise.all(users.map(({ user }) => login(user.phone, PASSWORD, address, settings)));
		const refused = answers.filter(({ status }) => status === 429);
		for (const answer of refused) await throttled(Promise.resolve(answer), "failed-logins-of-network", 1, period);
		return answers.length - refused.length;
	}
	// A period may end in between, and then twice as many pass.
	const isBounded = (admitted: number) => admitted <= 2 * few;

	it("is slowed down at the network's quota, in every width of it", async () => {
		for (let guess = 0; guess < 5; guess += 1) await fail("2001:db8:b:1::1");
		expect(await luckyGuesses("2001:db8:b:1::2")).toSatisfy(isBounded);
		// A /56 gets twice as many as a /64, and a /48 twice as many again.
		for (let guess = 0; guess < 5; guess += 1) await fail("2001:db8:b:2::1");
		expect(await luckyGuesses("2001:db8:b:3::1")).toSatisfy(isBounded);
		for (let guess = 0; guess < 10; guess += 1) await fail(`2001:db8:b:4${guess}00::1`);
		expect(await luckyGuesses("2001:db8:b:ffff::1")).toSatisfy(isBounded);
		expect(await luckyGuesses("2001:db8:c::1")).toBe(8);
	});

	it.each(["with an account", "without one"])(
		"has two tries with a phone past that, and then waits a minute (%s)",
		async (kind) => {
			const phone = kind === "with an account" ? (await signUp()).user.phone : freshPhone();
			const address = kind === "without one" ? "203.0.120.1" : "203.0.121.1";
			const unhurried = { ...settings, LAST_SIGN_INS: { limit: async () => ({ success: true }) } };
			const guess = (password: string) => login(phone, password, address, unhurried);
			for (let time = 0; time < 5; time += 1) await fail(address);
			for (let time = 0; time < 2; time += 1) await json(guess(WRONG), 401);
			for (const seconds of [60, 120, 240, 480, 900]) {
				// A busy machine may spend some of the wait on the call itself.
				const hashes = await hashesDuring(() =>
					throttled(guess(PASSWORD), "failed-logins-of-network", seconds / 2, seconds),
				);
				expect(hashes).toEqual([]);
				await age(seconds * 1000);
				await json(guess(WRONG), 401);
			}
			// Nowhere else does the phone wait, since it has failed less than a hundred times.
			await json(login(phone, WRONG), 401);
		},
	);

	it("lets a neighbour in who is new there within the time that it says, while the guesses go on", async () => {
		const address = "203.0.122.1";
		const guessed = await Promise.all(Array.from({ length: 5 }, async () => (await signUp()).user.phone));
		const guess = () => Promise.all(guessed.map((phone) => login(phone, WRONG, address, settings)));
		await guess();
		await guess();
		// A phone that has failed twice waits for itself, and takes none of the network's few.
		const { user } = await signUp();
		let waited = 0;
		for (;;) {
			await guess();
			const answer = await login(user.phone, PASSWORD, address, settings);
			if (answer.ok) break;
			const seconds = Number(answer.headers.get("Retry-After"));
			await throttled(Promise.resolve(answer), "failed-logins-of-network", 1, period);
			waited += seconds;
			expect(waited).toBeLessThanOrEqual(60);
			await scheduler.wait(seconds * 1000);
		}
		// From now on they are known there.
		await json(login(user.phone, PASSWORD, address, settings));
	});

	it("takes nothing from the neighbours who have signed in from there, nor from those who create an account", async () => {
		const address = "198.51.101.5";
		const neighbour = await atHome(address);
		for (let guess = 0; guess < 5; guess += 1) await fail(address);
		const guesses = Array.from({ length: 100 }, () => login(freshPhone(), WRONG, address, settings));
		const statuses = (await Promise.all(guesses)).map(({ status }) => status);
		expect(statuses.filter((status) => status !== 429).length).toSatisfy(isBounded);
		await json(login(neighbour.phone, PASSWORD, address, settings));
		const body = { phone: freshPhone(), password: PASSWORD };
		await json(post("/v1/auth/register", body, address, { settings }), 201);
		await json(login(body.phone, PASSWORD, address, settings));
	});

	it("keeps neither phones nor addresses in clear", async () => {
		const phone = freshPhone();
		const { user } = await signUp();
		await json(login(phone, WRONG, "203.0.113.7"), 401);
		await json(login(user.phone, PASSWORD, "203.0.113.7"));
		for (const table of ["failed_logins", "known_networks", "daily_counts"]) {
			const { results } = await env.DB.prepare(`select * from ${table}`).all();
			expect(results.length).toBeGreaterThan(0);
			expect(JSON.stringify(results)).not.toMatch(/203\.0\.113|\+?234803|usr_/);
		}
	});
});

it("strangers use up none of the one-time codes of a phone where its holder has signed in before", async () => {
	const home = "198.51.102.3";
	const { phone } = await atHome(home);
	const settings = { ...smsGateway, OTP_PER_PHONE_AND_DAY: "2" };
	const ask = (address: string) => post("/v1/auth/otp/signed-out", { phone }, address, { settings });
	for (const address of ["203.0.112.1", "203.0.114.1"]) await json(ask(address), 202);
	await json(ask("203.0.115.1"), 429);
	await json(ask(home), 202);
});

it("a network is forgotten when nobody has signed in from it for a year", async () => {
	const [lately, longAgo] = ["198.51.103.1", "198.51.104.1"];
	const user = await atHome(longAgo);
	await env.DB.prepare("update known_networks set signed_in_at = signed_in_at - ?")
		.bind(366 * 86_400_000)
		.run();
	await json(login(user.phone, PASSWORD, lately));
	await cleanUp(env, Date.now());
	expect(await env.DB.prepare("select count(*) as count from known_networks").first("count")).toBe(1);
	await guessesFromEverywhere(user.phone);
	await json(login(user.phone, PASSWORD, lately));
	await throttled(login(user.phone, PASSWORD, longAgo), "failed-logins-of-phone", 1, 900);
});
