import docsScript from "../../dist/browser/docs.inline.js";
import { endpoints } from "../api.ts";
import type { ProblemCode } from "../errors.ts";
import { BODY_ERRORS, COMMON_ERRORS, CREDENTIAL_ERRORS, type Endpoint, errorsOf } from "../http/endpoint.ts";
import { inline } from "../web/inline.ts";
import { type DocsPage, Prose } from "./docs-layout.tsx";
import { exampleOf, type JsonObject, nameOfSchema, type OpenApiDocument } from "./openapi.ts";

type Schemas = OpenApiDocument["components"]["schemas"];

interface Parameter {
	name: string;
	in: string;
	required: boolean;
	description?: string;
	schema: JsonObject;
	example?: unknown;
}

function nameOf(ref: unknown): string {
	return String(ref).split("/").at(-1) ?? "";
}

function LinkToObject({ name }: { name: string }) {
	return <a href={`#${name}`}>{name}</a>;
}

/** A schema's type in a word or two. */
function TypeOf({ schema }: { schema: JsonObject }) {
	if (schema.$ref) return <LinkToObject name={nameOf(schema.$ref)} />;
	const variants = (schema.anyOf ?? schema.oneOf) as JsonObject[] | undefined;
	if (variants) {
		return (
			<>
				{variants.map((variant, index) => (
					<>
						{index > 0 ? " or " : ""}
						<TypeOf schema={variant} />
					</>
				))}
			</>
		);
	}
	if (schema.type === "array") {
		return (
			<>
				array of <TypeOf schema={schema.items as JsonObject} />
			</>
		);
	}
	if (schema.properties) return <>object of {Object.keys(schema.properties as JsonObject).join(", ")}</>;
	if (schema.const !== undefined) return <>{JSON.stringify(schema.const)}</>;
	if (schema.enum)
		return <>{(schema.enum as string[]).length > 6 ? "string" : (schema.enum as string[]).join(" or ")}</>;
	return <>{String(schema.type ?? "any")}</>;
}

function Problems({ codes }: { codes: readonly ProblemCode[] }) {
	return (
		<>
			{codes.map((code, index) => (
				<>
					{index > 0 ? ", " : ""}
					<a href={`/problems/${code}`}>{code}</a>
				</>
			))}
		</>
	);
}

function Field({ parameter }: { parameter: Parameter }) {
	const { name, in: place, required, description = "", schema, example } = parameter;
	return (
		<label>
			<code>{name}</code>{" "}
			<span class="soft">
				{place}, <TypeOf schema={schema} />
				{required ? ", required" : ""}. <Prose text={description} />
			</span>
			<input hidden name={name} data-in={place} value={required ? String(example ?? "") : ""} />
		</label>
	);
}

/** Errors that the introduction of the page explains for all endpoints. */
const explained = new Set([...COMMON_ERRORS, ...CREDENTIAL_ERRORS, ...BODY_ERRORS]);

function EndpointArticle({ endpoint, document }: { endpoint: Endpoint; document: OpenApiDocument }) {
	const { id, method, path, summary, description, access, body, answer } = endpoint;
	const ownErrors = errorsOf(endpoint).filter((code) => !explained.has(code));
	const parameters = ((document.paths[path]?.[method]?.parameters ?? []) as Parameter[]).filter(
		({ name }) => name !== "If-None-Match",
	);
	const bodyName = body && nameOfSchema(body);
	const isBodyOptional = body?.().safeParse(undefined).success === true;
	const schemas: Schemas = document.components.schemas;
	const example = bodyName && JSON.stringify(exampleOf(schemas[bodyName] ?? {}, schemas), null, 2);
	return (
		<article id={id}>
			<h3>{summary}</h3>
			<p>
				<code>
					<span class="method">{method}</span> {path}
				</code>
			</p>
			<p>
				<Prose text={description} /> <span class="soft">{access.summary}</span>
			</p>
			<form data-method={method.toUpperCase()} data-path={path}>
				{parameters.map((parameter) => (
					<Field parameter={parameter} />
				))}
				{bodyName ? (
					<label>
						Body: <LinkToObject name={bodyName} />
						<textarea
							name="body"
							data-in="body"
							data-optional={isBodyOptional ? "" : undefined}
							placeholder={example}
							rows={(example?.split("\n").length ?? 1) + 1}
						>
							{isBodyOptional ? "" : example}
						</textarea>
					</label>
				) : null}
				<button hidden type="submit">
					Try it
				</button>
				<output aria-label={`Answer of ${summary}`} />
			</form>
			<p>
				<b>{answer.status}</b> {answer.description}{" "}
				{Object.entries(answer.content ?? {}).map(([type, schema]) => (
					<>
						{typeof schema === "string" ? type : <LinkToObject name={nameOfSchema(schema) ?? ""} />}
						{type === "application/geo+json" ? " (application/geo+json)" : ""}{" "}
					</>
				))}
				{ownErrors.length > 0 ? (
					<>
						<br />
						<span class="soft">Further errors:</span> <Problems codes={ownErrors} />
					</>
				) : null}
			</p>
		</article>
	);
}

function ObjectArticle({ name, schema, schemas }: { name: string; schema: JsonObject; schemas: Schemas }) {
	const fields = Object.entries((schema.properties ?? {}) as { [name: string]: JsonObject });
	const required = (schema.required ?? []) as string[];
	const isRequest = endpoints.some(({ body }) => body && nameOfSchema(body) === name);
	return (
		<article id={name}>
			<h3>{name}</h3>
			{fields.length > 0 ? (
				<dl>
					{fields.map(([field, property]) => (
						<>
							<dt>
								<code>{field}</code>
							</dt>
							<dd>
								<TypeOf schema={property} />
								{required.includes(field) ? ". " : ", optional. "}
								<Prose text={String(property.description ?? "")} />
							</dd>
						</>
					))}
				</dl>
			) : (
				<p>
					<TypeOf schema={schema} />
				</p>
			)}
			{isRequest ? null : (
				<details>
					<summary>Example</summary>
					<pre>{JSON.stringify(exampleOf(schema, schemas), null, 2)}</pre>
				</details>
			)}
		</article>
	);
}

function Introduction({ origin }: { origin: string }) {
	return (
		<>
			<h1>Address registry API</h1>
			<p>
				Short, checkable address codes for places without a usable street address. Anyone can resolve a code, without a
				key or an account, from any web page.
			</p>
			<pre>curl {origin}/v1/public/addresses/NG-0311-48211</pre>
			<ul>
				<li>
					A code is two letters for the country, four digits for the zone and five more digits. The last digit catches
					typing mistakes. Case, spaces and dashes do not matter.
				</li>
				<li>
					People send <code>Authorization: Bearer &lt;access token&gt;</code>, systems send{" "}
					<code>Authorization: Api-Key &lt;key&gt;</code>.
				</li>
				<li>
					Errors are <a href="/problems">problems with a stable code</a>. Any endpoint can answer{" "}
					<Problems codes={COMMON_ERRORS} />. One that needs a credential can answer{" "}
					<Problems codes={CREDENTIAL_ERRORS} />. One that takes a body can answer <Problems codes={BODY_ERRORS} />.
					After 429 and 503, wait the number of seconds in <code>Retry-After</code>.
				</li>
				<li>
					Addresses, images and zones that anyone can GET have an ETag, and caches may store them for up to a minute. A
					batch is always current.
				</li>
				<li>
					Answers may gain fields within /v1: ignore those you do not know. Unknown fields in requests are refused.
				</li>
				<li>
					Programs can read <a href="/openapi.json">OpenAPI 3.1</a> or <a href="/llms.txt">llms.txt</a>.
				</li>
			</ul>
		</>
	);
}

/** The page that presents the OpenAPI document, on which every endpoint can be tried. It can be read without a script. */
export function docsPage(document: OpenApiDocument, origin: string): DocsPage {
	const { schemas } = document.components;
	return {
		title: "Address registry API",
		description: "Every endpoint, field and error of the address registry, to read and to try.",
		path: "/docs",
		script: inline(docsScript),
		body: (
			<>
				<Introduction origin={origin} />
				<nav aria-label="Chapters">
					<ul>
						{document.tags.map(({ name }) => (
							<li>
								<a href={`#chapter-${name}`}>{name}</a>
							</li>
						))}
						<li>
							<a href="#chapter-Objects">Objects</a>
						</li>
					</ul>
				</nav>
				<label hidden>
					The credential for your requests. Sign in below to fill it in. Creating an address fills in its code below.
					The credential never leaves this page except in your requests.
					<input id="credential" autocomplete="off" spellcheck={false} placeholder="Bearer …" />
				</label>
				{document.tags.map(({ name, description }) => (
					<section aria-labelledby={`chapter-${name}`}>
						<h2 id={`chapter-${name}`}>{name}</h2>
						<p>{description}</p>
						{endpoints
							.filter(({ tag }) => tag === name)
							.map((endpoint) => (
								<EndpointArticle endpoint={endpoint} document={document} />
							))}
					</section>
				))}
				<section aria-labelledby="chapter-Objects">
					<h2 id="chapter-Objects">Objects</h2>
					{Object.entries(schemas).map(([name, schema]) => (
						<ObjectArticle name={name} schema={schema} schemas={schemas} />
					))}
				</section>
			</>
		),
	};
}
