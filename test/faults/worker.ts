/**
 * The registry with bindings that fail on demand. A request's header `X-Fault: d1 2 lost-after` makes the second call to D1 fail so, and
 * `d1 2+ hang` that one and all after it. The answer tells in `X-Fault-Calls` how often each binding was called.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Bindings } from "../../src/env.ts";
import registry from "../../src/index.ts";
import { rateLimitBindings } from "../../src/settings/limits.ts";
import { databaseThrough } from "../support/database.ts";

type Target = "d1" | "r2" | "cache" | "limiter";

/** A fault in one request, and how often each binding was called in it. */
interface Plan {
	target: string;
	at: number;
	forGood: boolean;
	kind: string;
	calls: Record<Target, number>;
}

/** How long a call that hangs takes, in milliseconds. */
const HANG = 20_000;

const plans = new AsyncLocalStorage<Plan>();

const MESSAGES: Record<string, string> = {
	lost: "D1_ERROR: Network connection lost.",
	"lost-after": "D1_ERROR: Network connection lost.",
	overloaded: "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
	internal: "D1_ERROR: internal error; reference = 0123456789",
	cpu: "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
	reset: "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
	throws: "The binding threw",
};

/** Runs a call to a binding, or lets it fail as the request's plan says. `damage` is what becomes of its answer. */
async function faulty<Answer>(
	target: Target,
	work: () => Promise<Answer>,
	damage?: (answer: Answer, kind: string) => Answer,
): Promise<Answer> {
	const plan = plans.getStore();
	if (!plan) return work();
	plan.calls[target] += 1;
	const isHit =
		plan.target === target && (plan.calls[target] === plan.at || (plan.forGood && plan.calls[target] > plan.at));
	if (!isHit) return work();
	if (plan.kind === "hang") {
		await scheduler.wait(HANG);
		return work();
	}
	if (damage && !(plan.kind in MESSAGES)) return damage(await work(), plan.kind);
	if (plan.kind === "lost-after") await work();
	throw new Error(MESSAGES[plan.kind]);
}

/** What R2 gives, with its body spoilt. */
function damagedObject(object: R2ObjectBody | R2Object | null, kind: string): R2ObjectBody | null {
	if (kind === "null" || !object || !("body" in object)) return null;
	return new Proxy(object, {
		get(real, name) {
			if (name === "etag" && kind === "other-etag") return "another";
			if (name !== "arrayBuffer") return Reflect.get(real, name, real) as unknown;
			return async () => {
				if (kind === "body-throws") throw new Error("Network connection lost.");
				const bytes = new Uint8Array(await real.arrayBuffer());
				if (kind === "empty") return new ArrayBuffer(0);
				if (kind === "short") return bytes.slice(0, bytes.length / 2).buffer;
				if (kind === "wrong-byte") bytes[Math.floor(bytes.length / 2)]! ^= 0xff;
				return bytes.buffer;
			};
		},
	});
}

function bucket(real: R2Bucket): R2Bucket {
	return {
		get: (key: string, options: R2GetOptions) => faulty("r2", () => real.get(key, options), damagedObject),
		head: (key: string) =>
			faulty(
				"r2",
				() => real.head(key),
				(object, kind) => (kind === "null" ? null : object),
			),
	} as unknown as R2Bucket;
}

function limiter(real: RateLimit): RateLimit {
	return { limit: (options) => faulty("limiter", () => real.limit(options)) } as RateLimit;
}

const { match, put, delete: drop } = caches.default;
const GARBAGE = () => new Response("{}", { headers: { "Cache-Control": "public, max-age=60" } });
Object.assign(Cache.prototype, {
	match(this: Cache, ...given: Parameters<Cache["match"]>) {
		return faulty(
			"cache",
			() => match.apply(this, given),
			(found, kind) => (kind === "garbage" ? GARBAGE() : found),
		);
	},
	put(this: Cache, ...given: Parameters<Cache["put"]>) {
		return faulty("cache", () => put.apply(this, given));
	},
	delete(this: Cache, ...given: Parameters<Cache["delete"]>) {
		return faulty("cache", () => drop.apply(this, given));
	},
});

function wrapped(env: Bindings): Bindings {
	return {
		...env,
		DB: databaseThrough((work) => faulty("d1", work)),
		ZONES: bucket(env.ZONES),
		...Object.fromEntries(rateLimitBindings.map((name) => [name, limiter(env[name])])),
	};
}

let kept: Bindings | undefined;

export default {
	async fetch(request, env, context) {
		// One object for all requests, as the runtime gives it.
		kept ??= wrapped(env);
		const [target = "", at = "", kind = ""] = (request.headers.get("X-Fault") ?? "").split(" ");
		const calls = { d1: 0, r2: 0, cache: 0, limiter: 0 };
		const plan: Plan = { target, at: Number.parseInt(at, 10), forGood: at.endsWith("+"), kind, calls };
		const bindings = kept;
		const answer = await plans.run(plan, () => registry.fetch(request as Request, bindings, context));
		const told = new Response(answer.body, answer);
		told.headers.set("X-Fault-Calls", JSON.stringify(calls));
		return told;
	},
} satisfies ExportedHandler<Bindings>;
