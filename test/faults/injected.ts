import {
	type Account,
	type Answer,
	type Call,
	freshPhone,
	LAGOS,
	makeKey,
	mint,
	PASSWORD,
	send,
	signUp,
} from "../support/remote.ts";
import type { Served } from "../support/serve.ts";
import { type Findings, unknownCode } from "./findings.ts";

/** What an operation works on: made anew for every fault, so that none meets what another left. */
interface Subject {
	owner: Account;
	agent: Account;
	code: string;
	key: string;
	keyId: string;
}

/** An operation, what it answers when all is well, and what its repetition may answer besides. */
interface Operation {
	name: string;
	call: (subject: Subject, nonce: number) => Call;
	status: number;
	/** What a repetition after a fault may get, because the first try may have been done. */
	again?: number[];
	isRead?: boolean;
}

type CallOf = Operation["call"];

const of =
	(
		path: string | ((subject: Subject, nonce: number) => string),
		more: (subject: Subject, nonce: number) => object = () => ({}),
	): CallOf =>
	(subject, nonce) => ({ path: typeof path === "string" ? path : path(subject, nonce), ...more(subject, nonce) });

const signedIn = ({ owner }: Subject) => ({ token: owner.token });
const withKey = ({ key }: Subject) => ({ token: key });
const address = ({ code }: Subject) => `/v1/addresses/${code}`;

/** What is read, by name: all answer 200 but the unknown code. */
const reads: Record<string, CallOf> = {
	resolve: of(({ code }) => `/v1/public/addresses/${code}`),
	"resolve, unknown": of((_, nonce) => `/v1/public/addresses/${unknownCode(nonce)}`),
	QR: of(({ code }) => `/v1/addresses/${code}/qr.svg`),
	page: of(({ code }) => `/a/${code}`),
	batch: of("/v1/public/addresses/batch", ({ code, key }) => ({ token: key, body: { codes: [code] } })),
	zone: of((_, nonce) => `/v1/public/zones?lat=${(nonce % 500) / 10 - 20}&lng=24.${nonce}`),
	"read with a token": of(address, signedIn),
	"read with a key": of(address, withKey),
	list: of("/v1/addresses", signedIn),
	me: of("/v1/auth/me", signedIn),
	keys: of("/v1/keys", signedIn),
};

const position = { lat: LAGOS.lat, lng: LAGOS.lng, accuracy_m: 10 };

/** What is written, with the status of success, and what a repetition may get besides, because the first try may have been done. */
const writes: [name: string, status: number, call: CallOf, again?: number[]][] = [
	["mint", 201, of("/v1/addresses", (subject) => ({ ...signedIn(subject), body: LAGOS }))],
	[
		"mint under a key",
		201,
		of("/v1/addresses", (subject, nonce) => ({
			...signedIn(subject),
			body: LAGOS,
			headers: { "Idempotency-Key": `k${nonce}` },
		})),
	],
	["relabel", 200, of(address, (subject) => ({ ...signedIn(subject), method: "PATCH", body: { label: "Green" } }))],
	["retire", 204, of(address, (subject) => ({ ...signedIn(subject), method: "DELETE" }))],
	[
		"attest",
		201,
		of(
			({ code }) => `/v1/addresses/${code}/attestations`,
			({ agent }) => ({ token: agent.token, body: { level: 1, note: "", position } }),
		),
	],
	[
		"make a key",
		201,
		of("/v1/keys", (subject, nonce) => ({ ...signedIn(subject), body: { name: `K${nonce}`, mode: "live" } })),
	],
	[
		"revoke a key",
		204,
		of(
			({ keyId }) => `/v1/keys/${keyId}`,
			(subject) => ({ ...signedIn(subject), method: "DELETE" }),
		),
		[404],
	],
	[
		"register",
		201,
		of("/v1/auth/register", (_, nonce) => ({ body: { phone: phoneOf(nonce), password: PASSWORD } })),
		[409],
	],
	["sign in", 200, of("/v1/auth/login", ({ owner }) => ({ body: { phone: owner.phone, password: PASSWORD } }))],
	["refresh", 200, of("/v1/auth/token/refresh", ({ owner }) => ({ body: { refresh: owner.refresh } })), [401]],
	["sign out", 204, of("/v1/auth/logout", ({ owner }) => ({ body: { refresh: owner.refresh } })), [401]],
];

const operations: Operation[] = [
	...Object.entries(reads).map(([name, call]) => ({
		name,
		call,
		status: name.endsWith("unknown") ? 404 : 200,
		isRead: true,
	})),
	...writes.map(([name, status, call, again = []]) => ({ name, status, call, again })),
];

const phones = new Map<number, string>();

function phoneOf(nonce: number): string {
	const phone = phones.get(nonce) ?? freshPhone();
	phones.set(nonce, phone);
	return phone;
}

const D1_FAULTS = ["lost", "lost-after", "overloaded", "internal", "cpu", "reset"];

async function makeSubject({ url }: Served, agent: Account, owner: Account): Promise<Subject> {
	const code = await mint(url, owner.token);
	const { token: key, id: keyId } = await makeKey(url, owner.token);
	return { owner, agent, code, key, keyId };
}

/** Subjects that one account owns. Each has a key, an operation may make another, and an account may have 50. */
const SUBJECTS_PER_OWNER = 20;

/** Whether an answer under a fault is one that was promised: as if nothing were, or 503 that says when to come back. */
function isPromised({ status, headers }: Answer, expected: number): boolean {
	return status === expected || (status === 503 && headers.has("Retry-After"));
}

/** Lets bindings fail at every call of every operation, and judges the answer and what a repetition gets. */
export async function injectFaults(served: Served, isSmall: boolean, findings: Findings): Promise<void> {
	const { url, database } = served;
	const agent = await signUp(url);
	await database.prepare("update users set role = 'agent' where id = ?").bind(agent.id).run();
	let nonce = 0;
	let shared = { owner: agent, subjects: SUBJECTS_PER_OWNER };
	/** What an operation works on; its owner too is new where the operation ends their session. */
	const subjectOf = async ({ name }: Operation) => {
		if (/sign|refresh/.test(name)) return makeSubject(served, agent, await signUp(url));
		if (shared.subjects === SUBJECTS_PER_OWNER) shared = { owner: await signUp(url), subjects: 0 };
		shared.subjects += 1;
		return makeSubject(served, agent, shared.owner);
	};
	const tallies = new Map<number, number>();
	const addressesOf = async ({ id }: Account) => {
		const counting = database.prepare("select count(*) as count from addresses where owner_id = ?").bind(id);
		return (await counting.first<{ count: number }>())!.count;
	};

	const tryFault = async (operation: Operation, fault: string) => {
		nonce += 1;
		const subject = await subjectOf(operation);
		const call = operation.call(subject, nonce);
		const before = await addressesOf(subject.owner);
		const answer = await send(url, { ...call, headers: { ...call.headers, "X-Fault": fault } });
		tallies.set(answer.status, (tallies.get(answer.status) ?? 0) + 1);
		const what = `${operation.name} under "${fault}"`;
		findings.check(isPromised(answer, operation.status), `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
		findings.check(answer.headers.has("X-Request-Id"), `${what}: no request id`);
		const again = await send(url, call);
		const allowed = [operation.status, ...(operation.again ?? [])];
		findings.check(allowed.includes(again.status), `${what}, repeated: ${again.status} ${again.text.slice(0, 200)}`);
		if (operation.name === "mint under a key") {
			const made = (await addressesOf(subject.owner)) - before;
			findings.check(made === 1, `${what}: ${made} addresses under one key`);
		}
	};

	for (const operation of operations) {
		nonce += 1;
		const subject = await subjectOf(operation);
		const well = await send(url, operation.call(subject, nonce));
		findings.check(
			well.status === operation.status,
			`${operation.name} without a fault: ${well.status} ${well.text.slice(0, 200)}`,
		);
		const calls = JSON.parse(well.headers.get("X-Fault-Calls") ?? "{}") as Record<string, number>;
		const kinds = isSmall ? ["lost-after", "cpu"] : D1_FAULTS;
		for (const kind of kinds) {
			for (let at = 1; at <= (calls.d1 ?? 0); at += 1) {
				await tryFault(operation, `d1 ${at} ${kind}`);
				if (!isSmall) await tryFault(operation, `d1 ${at}+ ${kind}`);
			}
		}
		if (calls.limiter) await tryFault(operation, "limiter 1+ throws");
		for (let at = 1; at <= (calls.cache ?? 0); at += 1)
			for (const kind of ["throws", "garbage"]) await tryFault(operation, `cache ${at} ${kind}`);
	}
	console.log(`injected: ${[...tallies].map(([status, count]) => `${count} x ${status}`).join(", ")}`);
}

/** How long an answer may take while a binding hangs for 20 s, in milliseconds: the deadline and time for a busy machine. */
const PATIENCE = 12_000;

/** Lets D1 and R2 hang, and judges that readers are told so in time. */
export async function hang(served: Served, isSmall: boolean, findings: Findings): Promise<void> {
	const { url } = served;
	const shared = await signUp(url);
	const subjects = operations.filter(
		({ isRead, name }) => isRead && (!isSmall || ["resolve", "page", "me"].includes(name)),
	);
	await Promise.all(
		subjects.map(async (operation, index) => {
			const subject = await makeSubject(served, shared, shared);
			const call = operation.call(subject, 100_000 + index);
			for (const target of ["d1 1+ hang", "r2 1+ hang"]) {
				const answer = await send(url, { ...call, headers: { ...call.headers, "X-Fault": target } });
				const what = `${operation.name} while "${target}"`;
				findings.check(isPromised(answer, operation.status), `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
				findings.check(answer.milliseconds < PATIENCE, `${what}: answered after ${Math.round(answer.milliseconds)} ms`);
			}
		}),
	);
}

/** Spoils what R2 gives, once and for good: a zone is right or refused, and a page never needs it. */
export async function spoilIndex(served: Served, findings: Findings): Promise<void> {
	const { url } = served;
	const { token } = await signUp(url);
	const code = await mint(url, token);
	// Every reading of the index needs a place that the isolate has not looked up yet.
	let place = 0;
	for (const kind of ["null", "throws", "empty", "short", "wrong-byte", "other-etag", "body-throws"]) {
		for (const at of ["1", "1+"]) {
			place += 1;
			const spot = `/v1/public/zones?lat=${35 - place * 5}&lng=${-60 + place * 9}`;
			const answer = await send(url, { path: spot, headers: { "X-Fault": `r2 ${at} ${kind}` } });
			const right = await send(url, { path: spot });
			const what = `zone while R2 is "${at} ${kind}"`;
			findings.check(isPromised(answer, right.status), `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
			if (answer.status === 200) findings.check(answer.text === right.text, `${what}: another zone`);
			const isTransient = at === "1" && kind !== "null";
			if (isTransient) findings.check(answer.status === right.status, `${what}: not asked once more, ${answer.status}`);
			const page = await send(url, { path: `/a/${code}?n=${place}`, headers: { "X-Fault": `r2 ${at} ${kind}` } });
			findings.check(page.status === 200, `page while R2 is "${at} ${kind}": ${page.status}`);
		}
	}
}
