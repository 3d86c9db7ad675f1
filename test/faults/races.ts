import type { Served } from "../support/serve.ts";
import { type Answer, type Call, type Findings, freshPhone, LAGOS, mint, PASSWORD, send, signUp } from "./client.ts";

/** Accounts whose day has one mint left, so that retries race for it. */
const QUOTA = 10_000;

function together(url: string, count: number, call: (index: number) => Call): Promise<Answer[]> {
	return Promise.all(Array.from({ length: count }, (_, index) => send(url, call(index))));
}

function withStatus(answers: Answer[], status: number): Answer[] {
	return answers.filter((answer) => answer.status === status);
}

/** Lets equal requests race and looks for more winners than there may be, or fewer. */
export async function race({ url, database }: Served, count: number, findings: Findings): Promise<void> {
	const phone = freshPhone();
	const registered = await together(url, Math.min(count, 20), () => ({
		path: "/v1/auth/register",
		body: { phone, password: PASSWORD },
	}));
	findings.check(
		withStatus(registered, 201).length === 1,
		`race: ${withStatus(registered, 201).length} accounts for one phone`,
	);
	const others = registered.filter(({ status }) => ![201, 409, 503].includes(status));
	findings.check(others.length === 0, `race: a registration got ${others[0]?.status} ${others[0]?.text}`);

	const { refresh, token } = await signUp(url);
	const refreshed = await together(url, count, () => ({ path: "/v1/auth/token/refresh", body: { refresh } }));
	findings.check(
		withStatus(refreshed, 200).length === 1,
		`race: ${withStatus(refreshed, 200).length} refreshes of one token won`,
	);
	findings.check(withStatus(refreshed, 401).length === count - 1, "race: a refresh got neither 200 nor 401");
	findings.check((await send(url, { path: "/v1/auth/me", token })).status === 401, "race: a replayed session lives on");

	const owner = await signUp(url);
	const keys = await together(url, 70, (index) => ({
		path: "/v1/keys",
		token: owner.token,
		body: { name: `K${index}`, mode: "live" },
	}));
	const live = await database
		.prepare("select count(*) as count from api_keys where user_id = ? and revoked_at is null")
		.bind(owner.id)
		.first<{ count: number }>();
	findings.check(
		withStatus(keys, 201).length === 50 && live?.count === 50,
		`race: ${withStatus(keys, 201).length} keys made, ${live?.count} kept, of 50`,
	);

	const minter = await signUp(url);
	const headers = { "Idempotency-Key": "raced" };
	const minted = await together(url, count, () => ({
		path: "/v1/addresses",
		token: minter.token,
		body: LAGOS,
		headers,
	}));
	const codes = new Set(minted.map(({ body }) => body.canonical));
	findings.check(
		withStatus(minted, 201).length === count && codes.size === 1,
		`race: one key, ${codes.size} codes, ${withStatus(minted, 201).length} of ${count} answered 201`,
	);
	const two = await together(url, count, (index) => ({
		path: "/v1/addresses",
		token: minter.token,
		body: { ...LAGOS, label: `Gate ${index % 2}` },
		headers: { "Idempotency-Key": "two-bodies" },
	}));
	findings.check(
		new Set(withStatus(two, 201).map(({ body }) => body.canonical)).size === 1,
		"race: one key with two bodies minted twice",
	);
	const neither = two.find(({ status }) => status !== 201 && status !== 409);
	findings.check(!neither, `race: one key with two bodies got ${neither?.status} ${neither?.text.slice(0, 300)}`);

	// The last mint of a day, under one key.
	const last = await signUp(url);
	await mint(url, last.token);
	await database
		.prepare("update daily_counts set count = ? where subject like ?")
		.bind(QUOTA - 1, `${last.id}:%`)
		.run();
	const lastMints = await together(url, count, () => ({
		path: "/v1/addresses",
		token: last.token,
		body: LAGOS,
		headers: { "Idempotency-Key": "last" },
	}));
	findings.check(
		withStatus(lastMints, 201).length === count,
		`race: ${count - withStatus(lastMints, 201).length} of ${count} retries of the last mint were refused`,
	);
	const spent = await database
		.prepare("select count from daily_counts where subject like ?")
		.bind(`${last.id}:%`)
		.first<{ count: number }>();
	findings.check(spent?.count === QUOTA, `race: the quota counts ${spent?.count} for ${QUOTA}`);

	const retiring = await mint(url, owner.token);
	const path = `/v1/addresses/${retiring}`;
	const changed = await together(url, count, (index) =>
		index % 2
			? { method: "DELETE", path, token: owner.token }
			: { method: "PATCH", path, token: owner.token, body: { label: `L${index}` } },
	);
	findings.check(
		changed.every(({ status }) => [200, 204, 410].includes(status)),
		"race: a change of an address that is retired got another status",
	);
	findings.check(
		(await send(url, { path: `/v1/public/addresses/${retiring}` })).status === 410,
		"race: a retired address resolves",
	);

	const changing = await signUp(url);
	const passwords = await together(url, 6, (index) => ({
		path: "/v1/auth/password/change",
		token: changing.token,
		body: { current_password: PASSWORD, new_password: `nine green hens ${index}` },
	}));
	findings.check(
		withStatus(passwords, 200).length === 1,
		`race: ${withStatus(passwords, 200).length} changes of one password won`,
	);
}
