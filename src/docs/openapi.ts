import * as z from "zod/mini";
import registry from "../../package.json" with { type: "json" };
import { type ProblemCode, problemTable } from "../errors.ts";
import { type Endpoint, errorsOf, isConditional, type Tag } from "../http/endpoint.ts";
import type { LazySchema } from "../schemas/lazy.ts";
import { problemSchema } from "../schemas/problem-schema.ts";
import { api } from "./chapters.ts";
import { codeSamplesOf, type SampleCall } from "./code-samples.ts";

/** A JSON object. All parts of the document are plain data. */
export type JsonObject = { [name: string]: unknown };

const HEADER_STRING = { type: "string", maxLength: 256 };

const headers = {
	"X-Request-Id": {
		description: "The id of this request. Quote it when you ask for help.",
		required: true,
		schema: { type: "string", pattern: "^req_[0-9a-f]{32}$", maxLength: 36 },
	},
	"Access-Control-Allow-Origin": {
		description: "Web pages of any origin may read the answer. Endpoints for operators do not send it.",
		schema: { type: "string", const: "*" },
	},
	ETag: {
		description: "The version of this representation, for If-None-Match.",
		required: true,
		schema: HEADER_STRING,
	},
	"Cache-Control": {
		description: "How long the answer may be stored, and by whom.",
		required: true,
		schema: HEADER_STRING,
	},
	"Retry-After": {
		description: "Seconds to wait before trying again.",
		schema: { type: "integer", format: "int32", minimum: 0, maximum: 86_400 },
	},
	"RateLimit-Policy": {
		description: "The limits that were checked for the request.",
		schema: HEADER_STRING,
	},
	RateLimit: {
		description: "What is left of a limit, where the registry knows it.",
		schema: HEADER_STRING,
	},
	"WWW-Authenticate": {
		description: "The authentication schemes that this endpoint accepts.",
		required: true,
		schema: HEADER_STRING,
	},
};

const refOf = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const headerRef = (name: keyof typeof headers) => refOf("headers", name);

/** The headers of every answer. */
const commonHeaders = () => ({
	"X-Request-Id": headerRef("X-Request-Id"),
	"Access-Control-Allow-Origin": headerRef("Access-Control-Allow-Origin"),
	"RateLimit-Policy": headerRef("RateLimit-Policy"),
	RateLimit: headerRef("RateLimit"),
});

const TIME_PATTERN = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$";

function jsonSchemaOptions(io: "input" | "output") {
	return {
		io,
		uri: (id: string) => `#/components/schemas/${id}`,
		override: ({ jsonSchema }: { jsonSchema: JsonObject }) => {
			// zod's own pattern knows leap years at the length of a paragraph.
			if (jsonSchema.format === "date-time") Object.assign(jsonSchema, { pattern: TIME_PATTERN, maxLength: 24 });
			if (jsonSchema.type === "integer") jsonSchema.format = "int32";
			// Generators of typed clients treat a property with a default as required.
			if (io === "input") delete jsonSchema.default;
			// An answer may gain fields within a version; only requests are closed.
			if (io === "output" && jsonSchema.properties) delete jsonSchema.additionalProperties;
		},
	};
}

function withoutIdentity({ $schema: _, $id: __, ...schema }: JsonObject): JsonObject {
	return schema;
}

/** Every schema that has an id, by its id: requests as they are sent, answers as they are received. */
function componentSchemas(endpoints: readonly Endpoint[]): { [id: string]: JsonObject } {
	// The registry of zod knows a schema only once it has been made.
	problemSchema();
	for (const { body, answer } of endpoints) {
		body?.();
		for (const schema of Object.values(answer.content ?? {})) if (typeof schema !== "string") schema();
	}
	const requests = z.toJSONSchema(z.globalRegistry, jsonSchemaOptions("input")).schemas;
	const answers = z.toJSONSchema(z.globalRegistry, jsonSchemaOptions("output")).schemas;
	const ofRequests = new Set(
		endpoints.flatMap(({ body }) => referencedBy((body && nameOfSchema(body)) ?? "", requests)),
	);
	return Object.fromEntries(
		Object.keys(answers)
			.sort()
			.map((id) => [id, withoutIdentity((ofRequests.has(id) ? requests : answers)[id] as JsonObject)]),
	);
}

/** The id of a schema, and the ids of all that it refers to. */
function referencedBy(id: string, schemas: { [id: string]: unknown }): string[] {
	const references = JSON.stringify(schemas[id] ?? {}).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
	return [id, ...Array.from(references, ([, name = ""]) => name).flatMap((name) => referencedBy(name, schemas))];
}

/** The id of a schema or, for an optional body, of the schema inside it. */
export function nameOfSchema(lazySchema: LazySchema): string | undefined {
	const schema = lazySchema();
	const inner = schema instanceof z.ZodMiniOptional ? schema.def.innerType : schema;
	return z.globalRegistry.get(inner)?.id;
}

/** A reference to a schema that has an id. */
function schemaOf(schema: LazySchema): JsonObject {
	const id = nameOfSchema(schema);
	if (!id) throw new Error("A schema of the OpenAPI document has no id");
	return refOf("schemas", id);
}

/** The example of a schema: its own, or one put together from the examples of its fields. */
export function exampleOf(schema: JsonObject, schemas: { [id: string]: JsonObject }): unknown {
	if (typeof schema.$ref === "string") return exampleOf(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, schemas);
	if (Array.isArray(schema.examples)) return schema.examples[0];
	const [variant] = (schema.anyOf ?? schema.oneOf ?? []) as JsonObject[];
	if (variant) return exampleOf(variant, schemas);
	if (schema.prefixItems) return (schema.prefixItems as JsonObject[]).map((item) => exampleOf(item, schemas));
	if (schema.type === "array") return [exampleOf(schema.items as JsonObject, schemas)];
	if (schema.type === "object") {
		return Object.fromEntries(
			Object.entries(schema.properties as { [name: string]: JsonObject }).map(([name, property]) => [
				name,
				exampleOf(property, schemas),
			]),
		);
	}
	return schema.const ?? schema.default ?? (Array.isArray(schema.enum) ? schema.enum[0] : null);
}

/** The smallest example of a request: its required fields, or its first field if none is required. */
export function leastExampleOf(schema: JsonObject, schemas: { [id: string]: JsonObject }): unknown {
	if (schema.type !== "object" || Array.isArray(schema.examples)) return exampleOf(schema, schemas);
	const properties = schema.properties as { [name: string]: JsonObject };
	const required = (schema.required ?? Object.keys(properties).slice(0, 1)) as string[];
	return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {}, schemas)]));
}

/** The media type object of a JSON body, with its example. */
function jsonContent(schema: LazySchema, schemas: { [id: string]: JsonObject }): JsonObject {
	const reference = schemaOf(schema);
	return { schema: reference, example: exampleOf(reference, schemas) };
}

function parametersOf(location: "path" | "query" | "header", lazySchema: LazySchema | undefined): JsonObject[] {
	if (!lazySchema) return [];
	const schema = lazySchema();
	const { required = [], properties: asSent = {} } = z.toJSONSchema(schema, jsonSchemaOptions("input"));
	// A query holds text, so its parameters are described by the values read from that text.
	const properties = location === "query" ? z.toJSONSchema(schema, jsonSchemaOptions("output")).properties : asSent;
	return Object.entries(properties as { [name: string]: JsonObject }).map(([name, property]) => {
		const { description, examples, ...rest } = property;
		return {
			name: location === "header" ? name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()) : name,
			in: location,
			required: required.includes(name),
			...(description ? { description } : {}),
			schema: rest,
			...(Array.isArray(examples) ? { example: examples[0] } : {}),
		};
	});
}

const ifNoneMatch = {
	name: "If-None-Match",
	in: "header",
	required: false,
	description: "The ETag of the copy that you have. The answer is 304 while it is still current.",
	schema: HEADER_STRING,
};

/**
 * The schema of a body that is not JSON: text, or bytes, which JSON Schema describes by their media type alone (OpenAPI 3.1.1 section
 * 4.8.14.1).
 */
function rawSchema(mediaType: string, kind: "text" | "bytes"): JsonObject {
	return { type: "string", maxLength: 262_144, ...(kind === "bytes" ? { contentMediaType: mediaType } : {}) };
}

function successOf(endpoint: Endpoint, schemas: { [id: string]: JsonObject }): JsonObject {
	const { cache, answer } = endpoint;
	const { status, description, content, headers: own = {} } = answer;
	const ownHeaders = Object.entries(own).map(([name, text]) => [
		name.replace("?", ""),
		{ description: text, required: !name.endsWith("?"), schema: HEADER_STRING },
	]);
	return {
		[status]: {
			description,
			headers: {
				...commonHeaders(),
				...(cache ? { ETag: headerRef("ETag"), "Cache-Control": headerRef("Cache-Control") } : {}),
				...Object.fromEntries(ownHeaders),
			},
			...(content
				? {
						content: Object.fromEntries(
							Object.entries(content).map(([type, schema]) => [
								type,
								typeof schema === "string" ? { schema: rawSchema(type, schema) } : jsonContent(schema, schemas),
							]),
						),
					}
				: {}),
		},
		...(isConditional(endpoint) ? { 304: refOf("responses", "NotModified") } : {}),
	};
}

/** The name of an error code's component, such as `BadCheckDigit` for `BAD_CHECK_DIGIT`. */
function nameOfProblem(code: ProblemCode): string {
	return code.toLowerCase().replace(/(^|_)([a-z])/g, (_, _gap, letter: string) => letter.toUpperCase());
}

/** Error codes grouped by status. Each set of codes that an endpoint can answer with one status becomes one component. */
function byStatus(codes: ProblemCode[]): [status: number, name: string, codes: ProblemCode[]][] {
	const groups = Map.groupBy(codes, (code) => problemTable[code].status);
	return [...groups]
		.sort(([a], [b]) => a - b)
		.map(([status, group]) => [status, group.map(nameOfProblem).join("Or"), group]);
}

function problemExample(code: ProblemCode, origin: string): JsonObject {
	const { status, title } = problemTable[code];
	const value = {
		type: `${origin}/problems/${code}`,
		title,
		status,
		detail: "What is wrong with this request and how to fix it.",
		instance: "req_0f8f9c2b7a5e4d3c9b1a2f3e4d5c6b7a",
		code,
	};
	return { summary: title, value };
}

function problemAnswer(status: number, codes: ProblemCode[]): JsonObject {
	return {
		description: codes.map((code) => `${code}: ${problemTable[code].title}.`).join(" "),
		headers: {
			...commonHeaders(),
			...(status === 401 ? { "WWW-Authenticate": headerRef("WWW-Authenticate") } : {}),
			...(status === 429 || status === 503 ? { "Retry-After": headerRef("Retry-After") } : {}),
		},
		content: {
			"application/problem+json": {
				schema: { allOf: [schemaOf(problemSchema), { properties: { code: { enum: codes } } }] },
				examples: Object.fromEntries(codes.map((code) => [code, refOf("examples", code)])),
			},
		},
	};
}

/** The sample call of an operation, with examples of what is required and of what makes the call safe to repeat. */
function sampleCall(
	endpoint: Endpoint,
	parameters: JsonObject[],
	schemas: { [id: string]: JsonObject },
	origin: string,
): SampleCall {
	const { method, path, access, body, answer } = endpoint;
	const given = (location: string, isWanted: (parameter: JsonObject) => boolean) =>
		Object.fromEntries(
			parameters
				.filter((parameter) => parameter.in === location && isWanted(parameter))
				.map(({ name, example }) => [name as string, String(example ?? "")]),
		);
	const filled = Object.entries(given("path", () => true)).reduce(
		(url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)),
		path,
	);
	const query = new URLSearchParams(given("query", ({ required }) => required === true));
	const [type = ""] = Object.keys(answer.content ?? {});
	const isBytes = /^(image\/png|application\/gzip)$/.test(type);
	const takesKey = access.schemes.some(({ name }) => name === "apiKey");
	const isBodySent = body && !body().safeParse(undefined).success;
	return {
		method: method.toUpperCase(),
		url: `${origin}${filled}${query.size > 0 ? `?${query}` : ""}`,
		headers: given("header", ({ name }) => name === "Idempotency-Key"),
		...(access.schemes.length === 0
			? {}
			: { credential: takesKey ? { scheme: "Api-Key", variable: "KEY" } : { scheme: "Bearer", variable: "TOKEN" } }),
		...(isBodySent ? { body: leastExampleOf(schemas[nameOfSchema(body) ?? ""] ?? {}, schemas) } : {}),
		...(isBytes ? { file: filled.split("/").at(-1) ?? "" } : {}),
	};
}

function operationObject(endpoint: Endpoint, schemas: { [id: string]: JsonObject }, origin: string): JsonObject {
	const { id, tag, summary, description, access, params, query, headers, body, deprecated } = endpoint;
	const parameters = [
		...parametersOf("path", params),
		...parametersOf("query", query),
		...parametersOf("header", headers),
		...(isConditional(endpoint) ? [ifNoneMatch] : []),
	];
	const requestBody = body && {
		required: !body().safeParse(undefined).success,
		content: { "application/json": jsonContent(body, schemas) },
	};
	const errors = byStatus(errorsOf(endpoint)).map(([status, name]) => [status, refOf("responses", name)]);
	return {
		operationId: id,
		tags: [tag],
		summary,
		description,
		...(deprecated ? { deprecated: true } : {}),
		security: access.schemes.map(({ name }) => ({ [name]: [] })),
		...(parameters.length > 0 ? { parameters } : {}),
		...(requestBody ? { requestBody } : {}),
		responses: { ...successOf(endpoint, schemas), ...Object.fromEntries(errors) },
		"x-codeSamples": codeSamplesOf(sampleCall(endpoint, parameters, schemas, origin)),
	};
}

export interface OpenApiDocument {
	openapi: string;
	info: JsonObject;
	servers: JsonObject[];
	tags: readonly Tag[];
	paths: { [path: string]: { [method: string]: JsonObject } };
	components: { schemas: { [id: string]: JsonObject } } & JsonObject;
}

/** The OpenAPI 3.1 document of a registry that is served at `origin`, from its endpoints and the table of errors. */
export function apiDocument(origin: string): OpenApiDocument {
	const { title, summary, description, tags, endpoints } = api;
	const securitySchemes = Object.fromEntries(
		endpoints.flatMap(({ access }) => access.schemes.map(({ name, definition }) => [name, definition])),
	);
	const schemas = componentSchemas(endpoints);
	const paths: OpenApiDocument["paths"] = {};
	const responses: { [name: string]: JsonObject } = {
		NotModified: {
			description: "Your copy is still current.",
			headers: { ...commonHeaders(), ETag: headerRef("ETag") },
		},
	};
	const codes = new Set<ProblemCode>();
	for (const endpoint of endpoints) {
		const { path, method } = endpoint;
		paths[path] = { ...paths[path], [method]: operationObject(endpoint, schemas, origin) };
		for (const [status, name, group] of byStatus(errorsOf(endpoint))) {
			responses[name] = problemAnswer(status, group);
			for (const code of group) codes.add(code);
		}
	}
	return {
		openapi: "3.1.0",
		info: {
			title,
			version: registry.version,
			summary,
			description,
			license: { name: "MIT", url: "https://opensource.org/license/mit" },
			contact: { name: "Documentation", url: `${origin}/docs` },
		},
		servers: [{ url: origin, description: "This registry, in production or local.", "x-internal": false }],
		tags,
		paths,
		components: {
			schemas,
			responses,
			headers,
			examples: Object.fromEntries([...codes].map((code) => [code, problemExample(code, origin)])),
			securitySchemes,
		},
	};
}
