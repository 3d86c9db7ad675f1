/**
 * The yardstick: a Worker that makes calls to the same database, cache and rate limits as the registry, and does nothing else.
 * `/?calls=match,limit,read&code=...` makes these calls one after the other. `/seed` puts a text into the cache.
 */
import type { Bindings } from "../../src/env.ts";

type Call = (env: Bindings, context: ExecutionContext, query: URLSearchParams) => Promise<unknown>;

const entryUrl = (name: string) => `https://bare.invalid/${name}`;

function entry(body: string): Response {
	return new Response(body, { headers: { "Cache-Control": "public, max-age=600" } });
}

function putLater(context: ExecutionContext, name: string, body: string): void {
	context.waitUntil(caches.default.put(entryUrl(name), entry(body)));
}

/** The columns that an answer on an address is made of. */
const COLUMNS = [
	"canonical",
	"zone_name",
	"region",
	"zone_region",
	"locality",
	"is_locality_chosen",
	"lat",
	"lng",
	"label",
	"directions",
	"entrance",
	"visibility",
	"share_count",
	"verification_level",
	"verified_at",
	"owner_id",
	"version",
	"created_at",
	"updated_at",
	"retired_at",
	"successor",
	"hidden_at",
	"closed_with_account",
	"external_id",
]
	.map((column) => `addresses.${column}`)
	.join();

/** What was issued under codes. A code that was erased is burnt. */
const ISSUED = `select requested.value, ${COLUMNS}, burnt_codes.canonical is not null, burnt_codes.successor as burnt_successor
	from json_each(?) as requested
	left join addresses on addresses.canonical = requested.value
	left join burnt_codes on burnt_codes.canonical = requested.value`;

/** Statements of the registry, in their plainest form. */
const statements = {
	read: (env, query) => env.DB.prepare(ISSUED).bind(JSON.stringify([query.get("code")])),
	session: (env, query) =>
		env.DB.prepare("select id, expires_at from sessions where id = ?").bind(query.get("session")),
	key: (env, query) =>
		env.DB.prepare("select id, user_id, last_used_at from api_keys where hash = ?").bind(query.get("key")),
	list: (env, query) =>
		env.DB.prepare(
			`select ${COLUMNS} from addresses where owner_id = ? and retired_at is null order by created_at desc, canonical desc limit 21`,
		).bind(query.get("owner")),
	batch: (env, query) => env.DB.prepare(ISSUED).bind(JSON.stringify((query.get("codes") ?? "").split(","))),
	insert: (env, query) =>
		env.DB.prepare(
			`insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, idempotency_key, request_hash) values (?, 'Lagos', 6.5244, 3.3792, '', ?, ?, ?, ?) returning ${COLUMNS}`,
		).bind(query.get("new"), query.get("owner"), Date.now(), query.get("key_of_request"), query.get("key_of_request")),
	queued: (env, query) =>
		env.DB.prepare(
			"select addresses.* from journal_queue join addresses using (canonical) where journal_queue.canonical = ?",
		).bind(query.get("new")),
	settle: (env, query) => env.DB.prepare("delete from journal_queue where canonical = ?").bind(query.get("new")),
	spend: (env, query) =>
		env.DB.prepare(
			"insert into daily_counts (subject, day, count) values (?, 0, 1) on conflict do update set count = count + 1 where count < 10000000 returning count",
		).bind(`bare:${query.get("owner")}`),
	overflow: (env) =>
		env.DB.prepare(
			"select zone, ordinal from overflow_zones where country = ? and area = ? order by ordinal desc limit 1",
		).bind("NG", 1),
} satisfies Record<string, (env: Bindings, query: URLSearchParams) => D1PreparedStatement>;

/** Statements in one trip. */
const inOneTrip =
	(...names: (keyof typeof statements)[]): Call =>
	async (env, _context, query) => {
		const answers = await env.DB.batch(names.map((name) => statements[name](env, query)));
		return answers.map(({ results }) => results);
	};

/** Every kind of call that the registry makes. */
const calls = {
	match: (_env, _context, query) => caches.default.match(entryUrl(query.get("code") ?? "")),
	matchRecord: async (_env, _context, query) =>
		(await caches.default.match(entryUrl(query.get("record") ?? "")))?.json(),
	matchBody: async (_env, _context, query) =>
		(await caches.default.match(entryUrl(query.get("seed") ?? "")))?.arrayBuffer(),
	limit: (env, _context, query) => env.PER_MINUTE_6000.limit({ key: query.get("code") ?? "" }),
	put: async (_env, context, query) => putLater(context, query.get("code") ?? "", "x".repeat(400)),
	purge: (_env, _context, query) => caches.default.delete(entryUrl(query.get("code") ?? "")),
	readGuarded: inOneTrip("read"),
	readByKey: inOneTrip("key", "read"),
	readInSession: inOneTrip("session", "read"),
	listInSession: inOneTrip("session", "list"),
	batchByKey: inOneTrip("key", "batch"),
	/**
	 * The session, the address, what its zone, its account, its network and the /24 or /48 around that spend, the newest overflow of its
	 * zone, and the address read back.
	 */
	mint: inOneTrip("session", "insert", "spend", "spend", "spend", "spend", "overflow", "read"),
	/** The journal: the row that waits in the queue, its entry, and out of the queue. */
	record: async (env, context, query) => {
		const record = async () => {
			const rows = await inOneTrip("queued")(env, context, query);
			await env.ZONES.put(`bare/${query.get("new")}`, JSON.stringify(rows), { onlyIf: { etagDoesNotMatch: "*" } });
			await inOneTrip("settle")(env, context, query);
		};
		context.waitUntil(record());
	},
} satisfies Record<string, Call>;

export type CallName = keyof typeof calls;

export default {
	async fetch(request, env, context) {
		const { pathname, searchParams } = new URL(request.url);
		searchParams.set("new", `BARE${crypto.randomUUID()}`);
		if (pathname === "/seed") {
			await caches.default.put(entryUrl(searchParams.get("seed") ?? ""), entry(await request.text()));
			return new Response(null, { status: 204 });
		}
		let last: unknown = null;
		for (const name of (searchParams.get("calls") ?? "").split(",")) {
			const call: Call = calls[name as CallName];
			last = await call(env, context, searchParams);
		}
		return last instanceof ArrayBuffer ? new Response(last) : Response.json(last instanceof Response ? null : last);
	},
} satisfies ExportedHandler<Bindings>;
