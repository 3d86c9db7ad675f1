/**
 * A stand-in for Cloudflare's API on this machine, for the real wrangler to talk to: it keeps databases, buckets, secrets and Workers in
 * memory and records what changes them. Databases are real SQLite.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { createWrangler, type Wrangler } from "../../src/cli/wrangler.ts";

const ACCOUNT = "0123456789abcdef0123456789abcdef";
const SUBDOMAIN = "somebody";

/** An answer of the API other than success. */
export class Refusal extends Error {
	readonly status: number;
	/** One of Cloudflare's own codes. */
	readonly code: number;

	constructor(status: number, code: number, message: string) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

export interface CloudflareApi {
	/** Runs the real wrangler, which comes here. `config` is a configuration to use instead of wrangler.toml. */
	wrangler(config?: string): Wrangler;
	/** By name. */
	databases: Map<string, DatabaseSync>;
	/** Objects by bucket, then by key. */
	buckets: Map<string, Map<string, Buffer>>;
	/** Values of secrets by Worker, then by name. */
	secrets: Map<string, Map<string, string>>;
	/** What each deployment sends its requests to, the newest last: versions with their shares in percent. */
	deployments: { worker: string; versions: Record<string, number> }[];
	/** What databases and buckets were asked to be created with, by name. */
	placed: Map<string, object>;
	/** The metadata of uploaded versions, such as bindings, by their identifiers. */
	versions: Map<string, { bindings?: { type: string; name: string; namespace_id?: string }[] }>;
	/** Calls that ask for a change, in order, as `METHOD path` below the account. */
	changes: string[];
	/** Called before each call is answered, with its `METHOD path`; what it throws is the answer. */
	refuse: (call: string) => void;
	stop(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
	const parts: Buffer[] = [];
	for await (const part of request) parts.push(part as Buffer);
	return Buffer.concat(parts);
}

/** D1 runs several statements in one query, and answers with the rows of each. Those of a migration may hold semicolons. */
function query(database: DatabaseSync, sql: string): unknown[] {
	const answer = (results: unknown[]) => ({ success: true, results, meta: {} });
	if (/^\s*(select|insert|update|delete|pragma)\b/i.test(sql))
		return sql.split(";\n").map((statement) => answer(database.prepare(statement).all()));
	database.exec(sql);
	return [answer([])];
}

/** The metadata of an uploaded Worker: the first part of a multipart body. */
function metadataOf(body: Buffer): object {
	const [, json = "{}"] = /name="metadata"\r\n(?:[^\r\n]+\r\n)*\r\n(.*?)\r\n--/s.exec(body.toString("latin1")) ?? [];
	return JSON.parse(json) as object;
}

/** Serves on a free port of 127.0.0.1 until it is stopped. */
export async function serveCloudflareApi(): Promise<CloudflareApi> {
	const databases: CloudflareApi["databases"] = new Map();
	const buckets: CloudflareApi["buckets"] = new Map();
	const secrets: CloudflareApi["secrets"] = new Map();
	const deployments: CloudflareApi["deployments"] = [];
	const placed: CloudflareApi["placed"] = new Map();
	const versions: CloudflareApi["versions"] = new Map();
	const changes: string[] = [];

	const databaseOf = (name: string) => {
		const database = databases.get(name);
		if (!database) throw new Refusal(404, 7404, "The database could not be found");
		return database;
	};
	const bucketOf = (name: string) => {
		const bucket = buckets.get(name);
		if (!bucket) throw new Refusal(404, 10006, "The specified bucket does not exist.");
		return bucket;
	};
	const workerOf = (name: string) => {
		const worker = secrets.get(name);
		if (!worker) throw new Refusal(404, 10007, "This Worker does not exist on your account.");
		return worker;
	};

	/** A database's identifier is its name here. */
	const described = (name: string) => ({ uuid: name, name, created_in_region: "WEUR", version: "production" });

	const describedVersion = (id: string) => ({
		id,
		number: 1,
		startup_time_ms: 20,
		metadata: {
			has_preview: false,
			created_on: "2026-11-22T00:00:00Z",
			author_email: "somebody@addr.example",
			source: "wrangler",
		},
		annotations: {},
		resources: { script: { etag: "e", handlers: ["fetch"] }, script_runtime: {}, bindings: [] },
	});

	/** By method and path below the account, in which `*` is one part and `**` the rest: what answers, with those parts and the body. */
	const routes: Record<string, (parts: string[], body: Buffer) => unknown> = {
		"GET /d1/database": () => [...databases.keys()].map(described),
		"POST /d1/database": (_, body) => {
			const { name } = JSON.parse(body.toString()) as { name: string };
			if (databases.has(name)) throw new Refusal(400, 7502, `A database with the name ${name} already exists`);
			databases.set(name, new DatabaseSync(":memory:"));
			placed.set(name, JSON.parse(body.toString()) as object);
			return described(name);
		},
		"GET /d1/database/*": ([name = ""]) => databaseOf(name) && described(name),
		"POST /d1/database/*/query": ([name = ""], body) =>
			query(databaseOf(name), (JSON.parse(body.toString()) as { sql: string }).sql),
		"GET /r2/buckets/*": ([name = ""]) => bucketOf(name) && { name },
		"POST /r2/buckets": (_, body) => {
			const { name } = JSON.parse(body.toString()) as { name: string };
			if (buckets.has(name)) throw new Refusal(409, 10004, "The bucket you tried to create already exists");
			buckets.set(name, new Map());
			placed.set(name, JSON.parse(body.toString()) as object);
			return {};
		},
		"GET /r2/buckets/*/objects/**": ([bucket = "", key = ""]) => {
			const object = bucketOf(bucket).get(key);
			if (!object) throw new Refusal(404, 10007, "The specified key does not exist.");
			return object;
		},
		"PUT /r2/buckets/*/objects/**": ([bucket = "", key = ""], body) => void bucketOf(bucket).set(key, body),
		"GET /workers/scripts/*/secrets": ([name = ""]) =>
			[...workerOf(name).keys()].map((name) => ({ name, type: "secret_text" })),
		"PATCH /workers/scripts/*/secrets-bulk": ([worker = ""], body) => {
			const given = JSON.parse(body.toString()) as { secrets: Record<string, { text: string }> };
			for (const [name, { text }] of Object.entries(given.secrets)) workerOf(worker).set(name, text);
			return {};
		},
		"PUT /workers/scripts/*": ([name = ""], body) => {
			if (!secrets.has(name)) secrets.set(name, new Map());
			versions.set("placeholder", metadataOf(body));
			deployments.push({ worker: name, versions: { placeholder: 100 } });
			return { id: name, tag: "t", startup_time_ms: 20 };
		},
		"GET /workers/services/*": ([name = ""]) =>
			workerOf(name) && {
				default_environment: { environment: "production", script: { tag: "t", last_deployed_from: "wrangler" } },
			},
		"GET /workers/scripts/*/deployments": ([name = ""]) => ({
			deployments: deployments
				.filter(({ worker }) => worker === name)
				.map(({ versions }, at) => ({
					id: `deployment-${at}`,
					versions: Object.entries(versions).map(([version_id, percentage]) => ({ version_id, percentage })),
					created_on: "2026-11-22T00:00:00Z",
					author_email: "somebody@addr.example",
					source: "wrangler",
				}))
				.reverse(),
		}),
		"GET /workers/scripts/*/settings": ([name = ""]) => workerOf(name) && { bindings: [] },
		"POST /workers/scripts/*/versions": ([name = ""], body) => {
			workerOf(name);
			const id = `version-${versions.size}`;
			versions.set(id, metadataOf(body));
			return describedVersion(id);
		},
		"GET /workers/scripts/*/versions/*": ([, id = ""]) => describedVersion(id),
		"GET /workers/scripts/*/versions": () => ({ items: [...versions.keys()].map(describedVersion) }),
		"POST /workers/scripts/*/deployments": ([worker = ""], body) => {
			const asked = JSON.parse(body.toString()) as { versions: { version_id: string; percentage: number }[] };
			const shares = asked.versions.map(({ version_id, percentage }) => [version_id, percentage]);
			deployments.push({ worker, versions: Object.fromEntries(shares) as Record<string, number> });
			return { id: `deployment-${deployments.length}` };
		},
		"GET /workers/workers/*": ([name = ""]) =>
			workerOf(name) && { id: name, name, subdomain: { enabled: false, previews_enabled: false } },
		// No buckets: Cloudflare has all these files already.
		"POST /workers/scripts/*/assets-upload-session": () => ({ jwt: "uploaded", buckets: [] }),
		"PATCH /workers/scripts/*/script-settings": () => ({}),
		"GET /workers/subdomain": () => ({ subdomain: SUBDOMAIN }),
		"GET /workers/scripts/*/subdomain": () => ({ enabled: true, previews_enabled: false }),
		"POST /workers/scripts/*/subdomain": () => ({ enabled: true, previews_enabled: false }),
		"PUT /workers/scripts/*/schedules": () => ({ schedules: [] }),
	};

	const environment = {
		CLOUDFLARE_API_BASE_URL: "",
		CLOUDFLARE_API_TOKEN: "stand-in",
		CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
	};
	const api: CloudflareApi = {
		wrangler: (config) => {
			const run = createWrangler(config);
			return (args, { variables, ...given } = {}) =>
				run(args, { ...given, variables: { ...environment, ...variables } });
		},
		databases,
		buckets,
		secrets,
		deployments,
		placed,
		versions,
		changes,
		refuse: () => {},
		stop: () => new Promise((resolve) => void server.close(() => resolve())),
	};

	function answerTo(call: string, body: Buffer): unknown {
		api.refuse(call);
		for (const [route, answer] of Object.entries(routes)) {
			const pattern = route.replaceAll("**", "(.+)").replaceAll("*", "([^/]+)");
			const found = new RegExp(`^${pattern}$`).exec(call);
			if (found) return answer(found.slice(1).map(decodeURIComponent), body);
		}
		throw new Refusal(404, 10007, `The stand-in knows no ${call}`);
	}

	const server = createServer(async (request, response) => {
		const { pathname } = new URL(request.url ?? "", "http://localhost");
		const path = pathname.replace(`/accounts/${ACCOUNT}`, "");
		const call = `${request.method} ${path}`;
		const body = await bodyOf(request);
		if (request.method !== "GET") changes.push(call);
		try {
			const result = answerTo(call, body);
			if (Buffer.isBuffer(result)) response.end(result);
			else response.end(JSON.stringify({ success: true, errors: [], messages: [], result: result ?? {} }));
		} catch (error) {
			const { status, code, message } = error instanceof Refusal ? error : new Refusal(500, 7500, String(error));
			response.statusCode = status;
			response.end(JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null }));
		}
	});
	await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
	environment.CLOUDFLARE_API_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return api;
}
