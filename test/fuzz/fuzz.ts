/**
 * Sends generated requests to a registry that it serves itself, and fails on every answer that the OpenAPI document does not promise: an
 * undocumented status, field, type or missing header, a missing request id, a 5xx, an answer that takes more than two seconds of CPU.
 * `npm run fuzz -- --seed 1 [--requests 30000] [--only 4711] [--port 8805]`. An odd seed fuzzes with an SMS gateway, an even one without.
 * `npm run fuzz -- --readers 20000 [--seed 1]` composes texts for the readers of codes and places instead (readers.ts).
 */
import { parseArgs } from "node:util";
import { cpuMicroseconds } from "../bench/load.ts";
import { type JudgedDocument, openApiJudge } from "../support/openapi-judge.ts";
import { seededRandom } from "../support/random.ts";
import { serveRegistry } from "../support/serve.ts";
import { serveSmsGateway } from "../support/sms-gateway.ts";
import { fuzzReaders } from "./readers.ts";
import { type DrawnDocument, drawRequest } from "./requests.ts";
import { type FuzzAnswer, type FuzzRequest, send } from "./send.ts";
import { makeWorld, type World } from "./world.ts";

const { values } = parseArgs({
	options: {
		seed: { type: "string", default: "1" },
		requests: { type: "string", default: "30000" },
		only: { type: "string" },
		port: { type: "string", default: "8805" },
		readers: { type: "string" },
	},
});
const SEED = Number(values.seed);
if (values.readers !== undefined) process.exit(fuzzReaders(SEED, Number(values.readers)) > 0 ? 1 : 0);
const REQUESTS = Number(values.requests);
const PORT = Number(values.port);
const AT_ONCE = 8;
/** A world lasts this many requests: then it is made anew, because some of them have ended its sessions and retired its addresses. */
const WORLD_REQUESTS = 1_000;
const SLOW_MILLISECONDS = 2_000;
const FAILURES_MAX = 10;

const gateway = SEED % 2 ? await serveSmsGateway() : undefined;
const served = await serveRegistry(PORT, {
	limits: true,
	bindings: gateway ? { OTP_GATEWAY_URL: `${gateway.url}/sms`, OTP_GATEWAY_TOKEN: "gateway-secret" } : {},
});
const document = (await (await fetch(`${served.url}/openapi.json`)).json()) as JudgedDocument & DrawnDocument;
const judge = openApiJudge(document);

/** Statuses that workerd itself answers, before any code of ours runs, to HTTP that it cannot read. */
const OF_WORKERD = new Set([400, 408, 411, 413, 414, 426, 431, 501, 505]);

/** The path as it was sent: the Worker takes dot segments for parts of a code, not for a way up. */
function pathOf({ target }: FuzzRequest): string {
	return target.split("?")[0] ?? "";
}

/** What is wrong with an answer, in words that do not change from one request to the next; undefined when nothing is. */
function complaintOf(request: FuzzRequest, answer: FuzzAnswer | undefined): string | undefined {
	if (!answer) return undefined;
	const { status, headers, body } = answer;
	if (!headers.has("X-Request-Id")) {
		const isWorkerd = request.broken !== undefined && OF_WORKERD.has(status);
		return isWorkerd ? undefined : `no X-Request-Id on a ${status}`;
	}
	const code = /"code":"(\w+)"/.exec(body)?.[1];
	// A 503 that says when to come back is a promise kept: one-time codes that are off, or more passwords to hash than a few seconds allow.
	const isPromised =
		status === 503 && (code === "OTP_DISABLED" || (headers.has("Retry-After") && /\/auth\//.test(request.target)));
	if (status >= 500 && !isPromised) return `a ${status} ${code ?? ""}`;
	const pathname = pathOf(request);
	if (request.broken === undefined && /^\/(v1(\/|$)|healthz\/?$)/.test(pathname) && request.method !== "OPTIONS") {
		const { problems } = judge({ method: request.method, pathname, status, headers, body });
		const [first] = problems;
		if (first) return first.replace(/ in [{[].*/s, "");
	}
	if (/\bat .*\.(js|ts):\d+|SQLITE|D1_ERROR|select .* from /i.test(body) && !/\/docs|openapi/.test(request.target))
		return "the inside shows";
	return undefined;
}

async function complaintAbout(
	request: FuzzRequest,
): Promise<{ complaint: string | undefined; answer: FuzzAnswer | undefined }> {
	try {
		const answer = await send(PORT, request);
		return { complaint: complaintOf(request, answer), answer };
	} catch (error) {
		return { complaint: `no answer: ${error instanceof Error ? error.message : ""}`, answer: undefined };
	}
}

const failures = new Set<string>();
let slowest = 0;

function report(number: number, request: FuzzRequest, complaint: string): void {
	if (failures.has(complaint)) return;
	failures.add(complaint);
	console.log(`\n!!! --seed ${SEED} --only ${number}: ${complaint}\n${JSON.stringify(request).slice(0, 4_000)}`);
}

async function fuzzOne(number: number, world: World): Promise<void> {
	const request = drawRequest(document, world, seededRandom(SEED * 1_000_003 + number));
	const { complaint, answer } = await complaintAbout(request);
	if (complaint) return report(number, request, complaint);
	if (!answer) return;
	slowest = Math.max(slowest, answer.milliseconds);
	if (answer.milliseconds > SLOW_MILLISECONDS) waiting.push({ number, request });
}

/** Requests that were slow among others. Each is asked again alone, and judged by the CPU that it takes, because a busy machine is slow too. */
const waiting: { number: number; request: FuzzRequest }[] = [];

const first = values.only === undefined ? 0 : Number(values.only);
const end = values.only === undefined ? REQUESTS : first + 1;
for (let from = first; from < end && failures.size < FAILURES_MAX; from += WORLD_REQUESTS) {
	const world = await makeWorld(served);
	let next = from;
	const until = Math.min(end, from + WORLD_REQUESTS);
	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			while (next < until && failures.size < FAILURES_MAX) {
				const number = next;
				next += 1;
				await fuzzOne(number, world);
			}
		}),
	);
	for (const { number, request } of waiting.splice(0)) {
		const before = cpuMicroseconds(served.workerd);
		await complaintAbout(request);
		const milliseconds = (cpuMicroseconds(served.workerd) - before) / 1000;
		if (milliseconds > SLOW_MILLISECONDS) report(number, request, "more than two seconds of CPU");
	}
	console.log(`${until} requests, ${failures.size} kinds of failure, slowest ${Math.round(slowest)} ms`);
}

const alive = await fetch(`${served.url}/healthz`).then(({ status }) => status);
if (alive !== 200) failures.add(`healthz answers ${alive} in the end`);
console.log([...failures].join("\n") || "Every answer was promised.");
await served.stop();
await gateway?.stop();
process.exit(failures.size > 0 ? 1 : 0);
