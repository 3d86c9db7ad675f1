/** Holds every answer that a test gets from the Worker to the OpenAPI document. */
import Ajv, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { JsonObject } from "../../src/http/openapi.ts";
import { apiDocument } from "../../src/web/api.ts";

const document = apiDocument("https://registry.test");

/** A copy in which objects may hold what is documented and nothing else. Clients must tolerate new fields; we must document them. */
function closed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(closed);
	if (typeof value !== "object" || value === null) return value;
	const copy = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
	return copy.type === "object" && "properties" in copy ? { ...copy, additionalProperties: false } : copy;
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(closed(document) as JsonObject, "openapi");

const validators = new Map<string, ValidateFunction>();

function validatorAt(pointer: string[]): ValidateFunction {
	const path = pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
	const validator = validators.get(path) ?? ajv.compile({ $ref: `openapi#/${path}` });
	validators.set(path, validator);
	return validator;
}

interface DocumentedResponse {
	$ref?: string;
	headers?: { [name: string]: { $ref?: string; required?: boolean } };
	content?: { [type: string]: unknown };
}

const headerComponents = document.components.headers as { [name: string]: { required?: boolean } };

function isRequired({ $ref, required }: { $ref?: string; required?: boolean }): boolean {
	return ($ref ? headerComponents[$ref.split("/").at(-1) ?? ""]?.required : required) ?? false;
}

const templates = Object.keys(document.paths)
	.map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}/?$`) }))
	.sort((a, b) => a.path.split("{").length - b.path.split("{").length);

/** What tests have seen answered: `get /v1/auth/me 200`. */
export const seen = new Set<string>();

function problemsOf(request: Request, status: number, headers: Headers, text: string): string[] {
	const { pathname } = new URL(request.url);
	const method = request.method === "HEAD" ? "get" : request.method.toLowerCase();
	const template = templates.find(({ path, pattern }) => pattern.test(pathname) && document.paths[path]?.[method]);
	const type = headers.get("Content-Type")?.split(";")[0] ?? "";
	let pointer: string[];
	let response: DocumentedResponse | undefined;
	if (template) {
		const responses = document.paths[template.path]?.[method]?.responses as { [status: string]: DocumentedResponse };
		response = responses[status];
		if (!response) return [`${method} ${template.path} documents no ${status}`];
		seen.add(`${method} ${template.path} ${status}`);
		pointer = ["paths", template.path, method, "responses", String(status)];
		if (response.$ref) {
			pointer = response.$ref.split("/").slice(1);
			response = (document.components.responses as { [name: string]: DocumentedResponse })[pointer.at(-1) ?? ""];
		}
	} else {
		// No such operation: all that may come is a problem that says so.
		if (status !== 404 && status !== 405) return [`${method} ${pathname} is not documented and answers ${status}`];
		pointer = ["components", "responses", "INTERNAL"];
		response = { content: { "application/problem+json": {} } };
	}
	const problems = Object.entries(response?.headers ?? {})
		.filter(([name, header]) => isRequired(header) && !headers.has(name))
		.map(([name]) => `the header ${name} is documented and missing`);
	if (!response?.content) return text === "" ? problems : [...problems, "a body is not documented"];
	if (!(type in response.content)) return [...problems, `the type ${type} is not documented`];
	if (request.method === "HEAD" || type.startsWith("image/")) return problems;
	const schema = template ? [...pointer, "content", type, "schema"] : ["components", "schemas", "Problem"];
	const validate = validatorAt(schema);
	if (validate(JSON.parse(text))) return problems;
	return [...problems, `${ajv.errorsText(validate.errors)} in ${text}`];
}

/** Fails when an answer of the API has a status, type, header or field that the OpenAPI document does not say, or lacks one that it says. */
export async function assertDocumented(request: Request, response: Response): Promise<void> {
	if (!/^\/(v1|healthz)(\/|$)/.test(new URL(request.url).pathname) || request.method === "OPTIONS") return;
	const problems = problemsOf(request, response.status, response.headers, await response.clone().text());
	if (problems.length > 0) {
		throw new Error(`${request.method} ${request.url} ${response.status} is not as documented: ${problems.join("; ")}`);
	}
}
