/** Draws requests from the OpenAPI document. */
import { drawBreak, type FuzzRequest } from "./send.ts";
import { bodyText, type Draw, hostileText, nearlyValid, pick, type Random, type Schema, validValue } from "./values.ts";
import { knownValue, type World } from "./world.ts";

interface Parameter {
	name: string;
	in: "path" | "query" | "header";
	required?: boolean;
	schema: Schema;
}

interface Operation {
	operationId?: string;
	parameters?: (Parameter | { $ref: string })[];
	requestBody?: { content: { [type: string]: { schema: Schema } } };
	security?: { [scheme: string]: string[] }[];
}

/** What is read of the document to draw requests from it. */
export interface DrawnDocument {
	paths: { [path: string]: { [method: string]: Operation } };
	components: { [kind: string]: { [name: string]: Schema | Parameter } };
}

/** Pages and documents, which the OpenAPI document leaves out. */
const PAGES = [
	"/",
	"/docs",
	"/openapi.json",
	"/llms.txt",
	"/problems/NOT_FOUND",
	"/a/{code}",
	"/a/{code}/print",
	"/a/?code={code}",
	"/my",
	"/robots.txt",
];

const METHODS = ["get", "post", "patch", "delete"];

/** Share of requests that go to a page, that are broken in their bytes, and that stand in for well-meant ones. */
const PAGES_SHARE = 0.08;
const BROKEN_SHARE = 0.25;

/** Operations that hash a password take a tenth of a second each: they get few well-formed requests. */
const HASHES = /\/auth\/(register|login|password)/;
const HASHES_SHARE = 0.1;

function segment(text: string): string {
	// What Node refuses to send stands for itself in percent signs.
	return encodeURIComponent(text.toWellFormed()) || "%20";
}

/** Characters that a header may hold when it is well formed. */
function headerText(text: string): string {
	return text.replace(/[^\x20-\x7e\xa0-\xff]/g, "?");
}

function credentials(world: World, wanted: Operation["security"], random: Random): string | undefined {
	const chance = random();
	if (!wanted?.length) return chance < 0.9 ? undefined : pick(random, [...world.tokens, ...world.keys]);
	if (chance < 0.55) return pick(random, world.tokens);
	if (chance < 0.7) return pick(random, world.agents);
	if (chance < 0.8) return pick(random, world.keys);
	return pick(random, [
		undefined,
		"",
		"Bearer",
		"Bearer ",
		"Bearer a.b.c",
		"Basic dXNlcjpwYXNz",
		"Api-Key addr_live_00000000000000000000000000000000000",
		`Bearer ${"x".repeat(8_000)}`,
		`${pick(random, world.tokens)}x`,
		pick(random, world.tokens).replace("Bearer", "bearer"),
		pick(random, world.keys).replace("Api-Key", "Bearer"),
		"Bearer eyJhbGciOiJub25lIn0.e30.",
	]);
}

function headersOf(random: Random, hasBody: boolean): [string, string][] {
	const headers: [string, string][] = [
		["CF-Connecting-IP", `10.9.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`],
	];
	if (hasBody) headers.push(["Content-Type", "application/json"]);
	if (random() < 0.15)
		headers.push([
			"Accept",
			pick(random, [
				"*/*",
				"text/html",
				"application/geo+json",
				"image/png;q=0",
				"nonsense",
				",;q=,",
				"application/json;q=0",
			]),
		]);
	if (random() < 0.1)
		headers.push([
			"If-None-Match",
			pick(random, ["*", '"1-json-000000000000"', 'W/"x"', "nonsense", `"${"x".repeat(3_000)}"`]),
		]);
	if (random() < 0.1)
		headers.push([
			"Idempotency-Key",
			headerText(pick(random, ["k", "", "x".repeat(255), "x".repeat(256), "é", hostileText(random)])),
		]);
	if (random() < 0.05)
		headers.push(["Accept-Language", pick(random, ["fr", "ar;q=2", "xx-yy", "*", "fr;q=0.1,".repeat(500)])]);
	if (random() < 0.05)
		headers.push([
			pick(random, [
				"Range",
				"X-HTTP-Method-Override",
				"X-Forwarded-Host",
				"Origin",
				"Cookie",
				"Content-Encoding",
				"Transfer-Coding",
				"X-Original-URL",
				"Sec-Fetch-Site",
			]),
			pick(random, ["bytes=0-1", "DELETE", "evil.example", "null", "session=x", "gzip", "/v1/keys", "cross-site"]),
		]);
	return headers;
}

/** Draws the request of a seed and number: the same two draw the same, but for the names that the world under test gave. */
export function drawRequest(document: DrawnDocument, world: World, random: Random): FuzzRequest {
	const component = (ref: string) => {
		const [kind = "", name = ""] = ref.split("/").slice(-2);
		return document.components[kind]?.[name] as Schema & Parameter;
	};
	const draw: Draw = { random, resolve: component, known: (field) => knownValue(world, field, random) };
	const broken = random() < BROKEN_SHARE ? drawBreak(random) : undefined;
	if (random() < PAGES_SHARE) {
		const target = pick(random, PAGES).replace(
			"{code}",
			segment(random() < 0.7 ? pick(random, world.codes) : hostileText(random)),
		);
		const method = pick(random, ["GET", "GET", "GET", "HEAD", "POST", "DELETE"]);
		return { method, target, headers: headersOf(random, false), body: undefined, broken };
	}
	const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods)
			.filter(([method]) => METHODS.includes(method))
			.map(([method, operation]) => ({ path, method, operation })),
	);
	let chosen = pick(random, operations);
	while (HASHES.test(chosen.path) && random() > HASHES_SHARE) chosen = pick(random, operations);
	const { path, method, operation } = chosen;
	const parameters = (operation.parameters ?? []).map((parameter) =>
		"$ref" in parameter ? component(parameter.$ref) : parameter,
	);
	const query: string[] = [];
	const headers: [string, string][] = [];
	let target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const parameter = parameters.find((candidate) => candidate.in === "path" && candidate.name === name);
		const value = random() < 0.8 ? validValue(parameter?.schema ?? {}, draw, name) : hostileText(random);
		return segment(String(value));
	});
	for (const { name, in: place, required, schema } of parameters) {
		if (place === "path" || (!required && random() < 0.5) || random() < 0.03) continue;
		const value = String(random() < 0.75 ? validValue(schema, draw, name) : hostileText(random));
		if (place === "query") query.push(`${name}=${segment(value)}`);
		else if (!/^authorization$/i.test(name)) headers.push([name, headerText(value)]);
	}
	if (random() < 0.05)
		query.push(
			pick(random, ["unknown=1", "limit=1&limit=2", "=", "&&", "lat=%ff", "format[]=json", "__proto__=1", "%00=1"]),
		);
	if (random() < 0.05) target += pick(random, ["/", "//", "/..", "/.%2e/", ";a=b", ".css", "%2f", "/%00", "?", "/x"]);
	const schema = operation.requestBody?.content["application/json"]?.schema;
	let body: string | undefined;
	if (schema) {
		const valid = validValue(schema, draw);
		body = bodyText(random() < 0.6 ? valid : nearlyValid(valid, random), random);
		if (random() < 0.02) body = undefined;
	} else if (random() < 0.02) body = "{}";
	headers.push(...headersOf(random, body !== undefined));
	if (random() < 0.04)
		headers.splice(0, headers.length, [
			"Content-Type",
			pick(random, [
				"text/plain",
				"application/json; charset=utf-16",
				"application/x-www-form-urlencoded",
				"application/json;",
				"multipart/form-data",
				"",
			]),
		]);
	const credential = credentials(world, operation.security, random);
	if (credential !== undefined) headers.push(["Authorization", headerText(credential)]);
	const asked =
		random() < 0.05 ? pick(random, ["HEAD", "PUT", "OPTIONS", "TRACE", "POST", "DELETE", "GET"]) : method.toUpperCase();
	return { method: asked, target: query.length ? `${target}?${query.join("&")}` : target, headers, body, broken };
}
