/** Holds an answer to an OpenAPI document. */
import Ajv, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

interface Header {
	$ref?: string;
	required?: boolean;
}

interface DocumentedResponse {
	$ref?: string;
	headers?: { [name: string]: Header };
	content?: { [type: string]: { schema?: { $ref?: string } } };
}

interface LinesSchema {
	contentSchema: { $ref: string };
}

/** What is read of an OpenAPI 3.1 document. */
export interface JudgedDocument {
	paths: { [path: string]: { [method: string]: object | undefined } };
	components: { [kind: string]: unknown };
}

/** An answer as it came, with the request that it answers. */
export interface JudgedAnswer {
	method: string;
	/** Without the query. */
	pathname: string;
	status: number;
	headers: Headers;
	body: string;
}

/** The verdict on an answer: the operation and status it was taken for, and everything about it that is not documented. */
export interface Verdict {
	/** Such as `get /v1/auth/me 200`; undefined where no operation has the path and method, or none has the status. */
	documented: string | undefined;
	problems: string[];
}

/** A copy in which objects may hold what is documented and nothing else. Clients must tolerate new fields; we must document them. */
function closed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(closed);
	if (typeof value !== "object" || value === null) return value;
	const copy = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
	return copy.type === "object" && "properties" in copy ? { ...copy, additionalProperties: false } : copy;
}

/** A judge of answers by a document, which it reads once. */
export function openApiJudge(document: JudgedDocument): (answer: JudgedAnswer) => Verdict {
	const ajv = new Ajv({ strict: false, allErrors: true });
	addFormats(ajv);
	ajv.addSchema(closed(document) as object, "openapi");
	const validators = new Map<string, ValidateFunction>();
	const validatorAt = (pointer: string[]): ValidateFunction => {
		const path = pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
		const validator = validators.get(path) ?? ajv.compile({ $ref: `openapi#/${path}` });
		validators.set(path, validator);
		return validator;
	};
	const component = <Part>(kind: string, ref: string) =>
		(document.components[kind] as Record<string, Part>)[ref.split("/").at(-1) ?? ""] as Part;
	const isRequired = ({ $ref, required }: Header) =>
		($ref ? component<Header | undefined>("headers", $ref)?.required : required) ?? false;
	const templates = Object.keys(document.paths)
		.map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}/?$`) }))
		.sort((a, b) => a.path.split("{").length - b.path.split("{").length);

	return ({ method: asked, pathname: askedFor, status, headers, body }) => {
		const method = asked === "HEAD" ? "get" : asked.toLowerCase();
		// Resolving as GeoJSON by Accept or by `format` is documented by the operation that always does.
		const isFeature = headers.get("Content-Type") === "application/geo+json" && !askedFor.endsWith(".geojson");
		const pathname = isFeature ? `${askedFor.replace(/\/$/, "")}.geojson` : askedFor;
		const template = templates.find(({ path, pattern }) => pattern.test(pathname) && document.paths[path]?.[method]);
		const type = headers.get("Content-Type")?.split(";")[0] ?? "";
		let documented: string | undefined;
		let pointer: string[];
		let response: DocumentedResponse | undefined;
		if (template) {
			const operation = document.paths[template.path]?.[method] as {
				responses: { [status: string]: DocumentedResponse };
			};
			response = operation.responses[status];
			if (!response) return { documented, problems: [`${method} ${template.path} documents no ${status}`] };
			documented = `${method} ${template.path} ${status}`;
			pointer = ["paths", template.path, method, "responses", String(status)];
			if (response.$ref) {
				pointer = response.$ref.split("/").slice(1);
				response = component<DocumentedResponse>("responses", response.$ref);
			}
		} else {
			// No such operation: all that may come is a problem that says so.
			if (status !== 404 && status !== 405) {
				return { documented, problems: [`${method} ${pathname} is not documented and answers ${status}`] };
			}
			pointer = [];
			response = { content: { "application/problem+json": {} } };
		}
		const problems = Object.entries(response?.headers ?? {})
			.filter(([name, header]) => isRequired(header) && !headers.has(name))
			.map(([name]) => `the header ${name} is documented and missing`);
		for (const name of ["Link", "Location", "Retry-After", "WWW-Authenticate"])
			if (response?.headers && headers.has(name) && !(name in response.headers))
				problems.push(`the header ${name} is not documented`);
		const verdict = (...more: string[]) => ({ documented, problems: [...problems, ...more] });
		if (!response?.content) return body === "" ? verdict() : verdict("a body is not documented");
		if (!(type in response.content)) return verdict(`the type ${type} is not documented`);
		if (asked === "HEAD" || /^image\/|^application\/gzip$/.test(type)) return verdict();
		// Lines of JSON are described as text, whose content schema is that of a line.
		const isLines = type === "application/x-ndjson";
		const ofLine = isLines ? component<LinesSchema>("schemas", response.content[type]?.schema?.$ref ?? "") : undefined;
		const validate = validatorAt(
			ofLine
				? ofLine.contentSchema.$ref.split("/").slice(1)
				: template
					? [...pointer, "content", type, "schema"]
					: ["components", "schemas", "Problem"],
		);
		const faulty = (isLines ? body.split("\n").slice(0, -1) : [body]).find((text) => !validate(JSON.parse(text)));
		return faulty === undefined ? verdict() : verdict(`${ajv.errorsText(validate.errors)} in ${faulty}`);
	};
}
