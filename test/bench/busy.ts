/**
 * For how long calls keep the isolate busy, in milliseconds, as V8's profiler samples it: with our code and what that calls in the runtime,
 * and not with the database. Prints the least and the median of some times. `npx node test/bench/busy.ts [--times 10] [--only "mint|list"]`
 */
import { createHash, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { median } from "../support/median.ts";
import { makeKey, PASSWORD, send, signUp } from "../support/remote.ts";
import { serveRegistry } from "../support/serve.ts";

const { values } = parseArgs({
	options: { times: { type: "string", default: "10" }, only: { type: "string", default: "" } },
});
const TIMES = Number(values.times);
const INSPECTOR_PORT = 9741;
const SAMPLED_MICROSECONDS = 200;
/** Between two samples that are further apart, the thread had to leave the CPU to another process. */
const SAMPLE_MICROSECONDS_MAX = 1_000;

const { url, database, stop } = await serveRegistry(8812, { inspectorPort: INSPECTOR_PORT });

/** Speaks the Chrome DevTools Protocol with the isolate of the registry. */
async function inspect() {
	const targets = (await (await fetch(`http://127.0.0.1:${INSPECTOR_PORT}/json`)).json()) as {
		id: string;
		title: string;
		webSocketDebuggerUrl: string;
	}[];
	const target = targets.find(({ id, title }) => `${id} ${title}`.includes("address-registry"));
	if (!target) throw new Error(`No isolate of the registry among ${JSON.stringify(targets)}`);
	const socket = new WebSocket(target.webSocketDebuggerUrl);
	await new Promise((resolve, reject) => {
		socket.addEventListener("open", resolve);
		socket.addEventListener("error", reject);
	});
	let lastId = 0;
	return <Result>(method: string, params: object = {}) =>
		new Promise<Result>((resolve) => {
			lastId += 1;
			const id = lastId;
			const hear = ({ data }: MessageEvent) => {
				const message = JSON.parse(String(data));
				if (message.id !== id) return;
				socket.removeEventListener("message", hear);
				resolve(message.result);
			};
			socket.addEventListener("message", hear);
			socket.send(JSON.stringify({ id, method, params }));
		});
}

interface Profile {
	nodes: { id: number; callFrame: { functionName: string } }[];
	samples: number[];
	timeDeltas: number[];
}

const ask = await inspect();
await ask("Profiler.enable");
await ask("Profiler.setSamplingInterval", { interval: SAMPLED_MICROSECONDS });

/** What the isolate worked for during something, in milliseconds. */
async function busyDuring(work: () => Promise<unknown>): Promise<number> {
	await ask("Profiler.start");
	await work();
	const { profile } = await ask<{ profile: Profile }>("Profiler.stop");
	const waits = new Set(
		profile.nodes
			.filter(({ callFrame }) => ["(idle)", "(program)", "(root)"].includes(callFrame.functionName))
			.map(({ id }) => id),
	);
	const busy = profile.samples.reduce(
		(sum, node, at) => (waits.has(node) ? sum : sum + Math.min(profile.timeDeltas[at] ?? 0, SAMPLE_MICROSECONDS_MAX)),
		0,
	);
	return busy / 1000;
}

const { phone } = await signUp(url);
const { token, id } = await signUp(url);
const { token: key } = await makeKey(url, token);
const cookieToken = randomBytes(32).toString("hex").slice(0, 43);
await database
	.prepare("update sessions set web_token_hash = ?, idle_milliseconds = 86400000 where user_id = ?")
	.bind(createHash("sha256").update(cookieToken).digest("hex"), id)
	.run();
const browser = { Cookie: `session=${cookieToken}` };

const FORM = { "Content-Type": "application/x-www-form-urlencoded", Origin: url, "Sec-Fetch-Site": "same-origin" };

const label = "Blue gate behind the mosque. ".repeat(7).slice(0, 200);
const directions = "From the junction take the second lane on the left. ".repeat(6).slice(0, 300);
const here = (index: number) => ({ lat: 6.5 + (index % 100) / 2000, lng: 3.35 + (index % 97) / 2000 });
let serial = 0;
const items = (count: number, more: object = {}) =>
	Array.from({ length: count }, (_, index) => {
		serial += 1;
		return { external_id: `meter-${serial}`, ...here(index), ...more };
	});
const codes: string[] = [];
for (let batch = 0; batch < 15; batch += 1) {
	const { body } = await send(url, {
		path: "/v1/addresses/batch",
		token: key,
		body: { items: items(100, { label, directions, entrance: undefined }) },
	});
	for (const { address } of (body as { data: { address: { canonical: string } }[] }).data)
		codes.push(address.canonical);
}
for (let unit = 1; unit <= 60; unit += 1)
	await send(url, { method: "PUT", path: `/v1/addresses/${codes[0]}/units/${unit}`, token: key, body: { label } });

let at = 0;
const some = (count: number) => {
	at += count;
	return Array.from({ length: count }, (_, index) => codes[(at + index) % codes.length] ?? "");
};
const query = (count: number) =>
	some(count)
		.map((code) => `code=${code}`)
		.join("&");

const subjects: Record<string, () => Parameters<typeof send>[1]> = {
	"a hash": () => ({ path: "/v1/auth/login", body: { phone, password: PASSWORD } }),
	resolve: () => ({ path: `/v1/public/addresses/${some(1)}` }),
	"mint one": () => ({ path: "/v1/addresses", token: key, body: { ...here(1), label } }),
	"mint 100": () => ({ path: "/v1/addresses/batch", token: key, body: { items: items(100) } }),
	"mint 100, longest texts": () => ({
		path: "/v1/addresses/batch",
		token: key,
		body: { items: items(100, { label, directions }) },
	}),
	"mint 100, all of them wrong": () => ({
		path: "/v1/addresses/batch",
		token: key,
		body: { items: items(100, { lat: 200, lable: "x", locality: 3 }) },
	}),
	"mint 100, dry run": () => ({
		path: "/v1/addresses/batch",
		token: key,
		body: { dry_run: true, items: items(100, { label, directions }) },
	}),
	"mint 100, all existing": () => ({
		path: "/v1/addresses/batch",
		token: key,
		body: {
			items: Array.from({ length: 100 }, (_, index) => ({ external_id: `meter-${index + 1}`, ...here(index), label })),
		},
	}),
	"batch of 100 codes": () => ({ path: "/v1/public/addresses/batch", token: key, body: { codes: some(100) } }),
	"batch of 100 codes, none of them right": () => ({
		path: "/v1/public/addresses/batch",
		token: key,
		body: { codes: Array.from({ length: 100 }, (_, index) => `NG-0421-5821${index}`) },
	}),
	"own addresses, 100": () => ({ path: "/v1/addresses?limit=100", token: key }),
	"own changes, a page": () => ({ path: "/v1/changes?mine=1&limit=1000", token: key }),
	"/list, 100 codes": () => ({ method: "POST", path: "/list", headers: FORM, form: `codes=${some(100).join("%0A")}` }),
	"/list, 64 kB of text": () => ({
		method: "POST",
		path: "/list",
		headers: FORM,
		form: `codes=${"1 2,3;4-".repeat(7000)}`,
	}),
	"export of 1,500": () => ({ path: "/v1/auth/me/export", token }),
	"print 20 signs": () => ({ path: `/my/print?as=signs&${query(20)}`, headers: browser }),
	"print 60 signs": () => ({ path: `/my/print?as=signs&${query(60)}`, headers: browser }),
	"print 60 signs of units": () => ({ path: `/my/print?as=signs&units&code=${codes[0]}`, headers: browser }),
	"/my": () => ({ path: "/my", headers: browser }),
	"/my/CODE": () => ({ path: `/my/${some(1)}`, headers: browser }),
	page: () => ({ path: `/a/${some(1)}` }),
	"label.svg": () => ({ path: `/v1/addresses/${some(1)}/label.svg` }),
	"label.png": () => ({ path: `/v1/addresses/${some(1)}/label.png` }),
	"qr.png": () => ({ path: `/v1/addresses/${some(1)}/qr.png` }),
};

console.log("| what | busy, ms: least | median | status | bytes |\n|---|---:|---:|---:|---:|");
for (const [name, shot] of Object.entries(subjects).filter(([name]) => new RegExp(values.only).test(name))) {
	const busy: number[] = [];
	let last: Awaited<ReturnType<typeof send>> | undefined;
	for (let time = 0; time < TIMES + 2; time += 1) {
		const call = shot();
		const milliseconds = await busyDuring(async () => {
			last = await send(url, call);
		});
		if (time >= 2) busy.push(milliseconds);
	}
	console.log(
		`| ${name} | ${Math.min(...busy).toFixed(1)} | ${median(busy).toFixed(1)} | ${last?.status} | ${last?.text.length} |`,
	);
}
await stop();
