import { COMMON_ERRORS } from "../http/endpoint.ts";
import { api, chapterPath, OBJECTS_PATH } from "./chapters.ts";
import { type DocsPage, Prose } from "./docs-layout.tsx";
import { Problems } from "./reference-pages.tsx";

/** The first page of the documentation: what the API is, and where to read on. */
export function docsPage(origin: string): DocsPage {
	return {
		title: "Address registry API",
		description: "How to resolve, create and print address codes: the guides and the reference of the API.",
		path: "/docs",
		body: (
			<>
				<h1>Address registry API</h1>
				<p>
					Short, checkable address codes for places without a usable street address. Anyone can resolve a code, without
					a key or an account, from any web page.
				</p>
				<pre>curl {origin}/v1/public/addresses/NG-1377-48215</pre>
				<p>
					Everyone who has the code of an address can read its exact point and texts, unless the owner makes it private.
				</p>
				<ul>
					<li>
						A code is two letters for the country, four digits for the zone and five more digits. The last digit catches
						typing mistakes; <a href="/docs/guides/check-digit">you can check it yourself</a>. Case, spaces and dashes
						do not matter.
					</li>
					<li>
						People send <code>Authorization: Bearer &lt;access token&gt;</code>, systems send{" "}
						<code>Authorization: Api-Key &lt;key&gt;</code>.
					</li>
					<li>
						Errors are <a href="/problems">problems with a stable code</a>. Any endpoint can answer{" "}
						<Problems codes={COMMON_ERRORS} />. After 429 and 503, wait the number of seconds in{" "}
						<code>Retry-After</code>.
					</li>
					<li>
						Addresses, images and zones that anyone can GET have an ETag, and caches may store them for up to a minute.
						A batch is always current.
					</li>
					<li>
						What you read of your own address has an ETag too. Send it as <code>If-Match</code>, and{" "}
						<a href="/docs/guides/going-live#change-only-what-you-have-read">you change only what you have read</a>:{" "}
						<code>-H 'If-Match: "7-record-5f2b6c0a9d3e"'</code>.
					</li>
					<li>
						Answers may gain fields within /v1: ignore those you do not know. Unknown fields in requests are refused.
						What is to go is named in the <a href="/docs/changelog">changelog</a> at least twelve months before.
					</li>
					<li>
						Programs can read <a href="/openapi.json">OpenAPI 3.1</a> or <a href="/llms.txt">llms.txt</a>. There is a{" "}
						<a href="/docs/guides/client">typed client</a> and a{" "}
						<a href="/docs/guides/checkout">field for your forms</a>.
					</li>
				</ul>
				<h2>Reference</h2>
				<dl>
					{api.tags.map(({ name, description }) => (
						<>
							<dt>
								<a href={chapterPath(name)}>{name}</a>
							</dt>
							<dd>
								<Prose text={description} />
							</dd>
						</>
					))}
					<dt>
						<a href={OBJECTS_PATH}>Objects</a>
					</dt>
					<dd>What requests and answers hold, field by field.</dd>
				</dl>
				<p>
					<a href="/docs/guides">All guides</a>
				</p>
			</>
		),
	};
}
