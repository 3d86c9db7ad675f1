import docsScript from "../../dist/browser/docs.inline.js";
import { type ProblemCode, problemTable } from "../errors.ts";
import { BODY_ERRORS, COMMON_ERRORS, CREDENTIAL_ERRORS, type Endpoint, errorsOf, type Tag } from "../http/endpoint.ts";
import { inline } from "../web/inline.ts";
import { api, chapterPath, endpointPath, OBJECTS_PATH } from "./chapters.ts";
import type { codeSamplesOf } from "./code-samples.ts";
import { type DocsPage, Prose } from "./docs-layout.tsx";
import type { GuideSection } from "./guides.tsx";
import { exampleOf, type JsonObject, leastExampleOf, nameOfSchema, type OpenApiDocument } from "./openapi.ts";
import { problemHelp } from "./problem-help.ts";

type Schemas = OpenApiDocument["components"]["schemas"];

interface Parameter {
	name: string;
	in: string;
	required: boolean;
	description?: string;
	schema: JsonObject;
	example?: unknown;
}

function LinkToObject({ name }: { name: string }) {
	return <a href={`${OBJECTS_PATH}#${name}`}>{name}</a>;
}

/** A schema's type in a word or two. */
function TypeOf({ schema }: { schema: JsonObject }) {
	if (schema.$ref) return <LinkToObject name={String(schema.$ref).split("/").at(-1) ?? ""} />;
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
		return (
			<>
				{(schema.enum as string[]).length > 6
					? "string"
					: (schema.enum as string[]).map((value) => value || "no value").join(" or ")}
			</>
		);
	return <>{String(schema.type ?? "any")}</>;
}

/** Links to the pages of errors. */
export function Problems({ codes }: { codes: readonly ProblemCode[] }) {
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
	const { name, in: location, required, description = "", schema, example } = parameter;
	return (
		<label>
			<code>{name}</code>{" "}
			<span class="soft">
				{location}, <TypeOf schema={schema} />
				{required ? ", required" : ""}. <Prose text={description} />
			</span>
			<input hidden name={name} data-in={location} value={required ? String(example ?? "") : ""} />
		</label>
	);
}

/** Errors that the introduction of the page explains for all endpoints. */
const explained = new Set([...COMMON_ERRORS, ...CREDENTIAL_ERRORS, ...BODY_ERRORS]);

function EndpointArticle({ endpoint, document }: { endpoint: Endpoint; document: OpenApiDocument }) {
	const { id, method, path, summary, description, access, body, answer } = endpoint;
	const ownErrors = errorsOf(endpoint).filter((code) => !explained.has(code));
	const operation = document.paths[path]?.[method];
	const parameters = ((operation?.parameters ?? []) as Parameter[]).filter(({ name }) => name !== "If-None-Match");
	const [curl, ...others] = (operation?.["x-codeSamples"] ?? []) as ReturnType<typeof codeSamplesOf>;
	const bodyName = body && nameOfSchema(body);
	const isBodyOptional = body?.().safeParse(undefined).success === true;
	const schemas: Schemas = document.components.schemas;
	const bodyExample = bodyName && !isBodyOptional ? leastExampleOf(schemas[bodyName] ?? {}, schemas) : undefined;
	const example = bodyName && JSON.stringify(bodyExample ?? exampleOf(schemas[bodyName] ?? {}, schemas), null, 2);
	// A batch is a POST that only reads.
	const isChange = method !== "get" && id !== "resolveAddresses";
	return (
		<article id={id}>
			<h2>{summary}</h2>
			<p>
				<code>
					<span class="method">{method}</span> {path}
				</code>
			</p>
			<p>
				<Prose text={description} />{" "}
				<span class="soft">
					<Prose text={access.summary} />
				</span>
			</p>
			<pre>{curl?.source}</pre>
			{others.map(({ label, source }) => (
				<details>
					<summary>{label}</summary>
					<pre>{source}</pre>
				</details>
			))}
			<form
				data-method={method.toUpperCase()}
				data-path={path}
				data-key={access.schemes.some(({ name }) => name === "apiKey") ? "" : undefined}
				data-asks={isChange ? "" : undefined}
			>
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
				<b>{answer.status}</b> <Prose text={answer.description} />{" "}
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
	const isRequest = api.endpoints.some(({ body }) => body && nameOfSchema(body) === name);
	return (
		<article id={name}>
			<h2>{name}</h2>
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

/** A part of the side navigation: the chapters of the reference, with the endpoints of the one that is open. */
function Chapters({ document, open }: { document: OpenApiDocument; open: string }) {
	return (
		<>
			{document.tags.map(({ name }) => (
				<li>
					<a href={chapterPath(name)} aria-current={name === open ? "page" : undefined}>
						{name}
					</a>
					{name === open ? (
						<ul>
							{endpointsOf(name).map(({ id, summary }) => (
								<li>
									<a href={`#${id}`}>{summary}</a>
								</li>
							))}
						</ul>
					) : null}
				</li>
			))}
			<li>
				<a href={OBJECTS_PATH} aria-current={open === "Objects" ? "page" : undefined}>
					Objects
				</a>
			</li>
		</>
	);
}

function endpointsOf(tag: string): Endpoint[] {
	return api.endpoints.filter((endpoint) => endpoint.tag === tag);
}

/** The page of a chapter, on which every endpoint can be tried. It can be read without a script. */
function chapterPage(document: OpenApiDocument, { name, description }: Tag): DocsPage {
	return {
		title: `${name}: address registry API`,
		description: description.replaceAll("`", ""),
		path: chapterPath(name),
		scripts: [inline(docsScript)],
		side: <Chapters document={document} open={name} />,
		body: (
			<>
				<h1>{name}</h1>
				<p>
					<Prose text={description} />
				</p>
				<p class="soft">
					Any endpoint can answer <Problems codes={COMMON_ERRORS} />. One that needs a credential can answer{" "}
					<Problems codes={CREDENTIAL_ERRORS} />. One that takes a body can answer <Problems codes={BODY_ERRORS} />.
				</p>
				<div id="credentials" hidden>
					<p>
						Requests from this page work in the sandbox: what they create has codes that begin with ZZ and is deleted
						after 30 days. The credentials stay in this tab until you close it.
					</p>
					<button type="button" id="sandbox">
						Get a sandbox account
					</button>
					<label>
						Access token of a person
						<input id="token" autocomplete="off" spellcheck={false} placeholder="eyJ…" />
					</label>
					<label>
						Test key, which is sent wherever a key will do
						<input id="key" autocomplete="off" spellcheck={false} placeholder="addr_test_…" />
					</label>
				</div>
				{endpointsOf(name).map((endpoint) => (
					<EndpointArticle endpoint={endpoint} document={document} />
				))}
			</>
		),
	};
}

/** The page of all objects in requests and answers, field by field. */
function objectsPage(document: OpenApiDocument): DocsPage {
	const { schemas } = document.components;
	return {
		title: "Objects: address registry API",
		description: "What requests and answers hold, field by field.",
		path: OBJECTS_PATH,
		side: <Chapters document={document} open="Objects" />,
		body: (
			<>
				<h1>Objects</h1>
				{Object.entries(schemas).map(([name, schema]) => (
					<ObjectArticle name={name} schema={schema} schemas={schemas} />
				))}
			</>
		),
	};
}

/** The pages of the reference, which present the OpenAPI document of a registry. */
export function referencePages(document: OpenApiDocument): DocsPage[] {
	return [...document.tags.map((tag) => chapterPage(document, tag)), objectsPage(document)];
}

/** The entries of the documentation's search: each endpoint, object, error and section of a guide, with its path and words. */
export function searchIndex(document: OpenApiDocument, guides: GuideSection[]): GuideSection[] {
	const fieldsOf = ({ properties = {} }: JsonObject) =>
		Object.entries(properties as { [name: string]: JsonObject }).map(
			([name, { description = "" }]) => `${name} ${description}`,
		);
	return [
		...api.endpoints.map((endpoint) => ({
			title: `${endpoint.summary}: ${endpoint.method.toUpperCase()} ${endpoint.path}`,
			path: endpointPath(endpoint),
			text: endpoint.description,
		})),
		...guides,
		...Object.entries(document.components.schemas).map(([name, schema]) => ({
			title: name,
			path: `${OBJECTS_PATH}#${name}`,
			text: [schema.description ?? "", ...fieldsOf(schema)].join(" "),
		})),
		...Object.entries(problemTable).map(([code, { title }]) => ({
			title: `${code}: ${title}`,
			path: `/problems/${code}`,
			text: Object.values(problemHelp[code as ProblemCode]).join(" "),
		})),
	];
}
