import { type ProblemCode, problemTable } from "../errors.ts";
import { api, endpointPath } from "./chapters.ts";

/**
 * The text of llms.txt: what a language model needs to use the API, as llmstxt.org proposes, with a title, a summary and lists of
 * links.
 */
export function llmsText(origin: string): string {
	const lines = api.endpoints.map(
		({ id, tag, method, path, summary, access }) =>
			`- [${summary}](${origin}${endpointPath({ tag, id })}): \`${method.toUpperCase()} ${path}\`. ${access.summary}`,
	);
	const problems = (Object.keys(problemTable) as ProblemCode[]).map(
		(code) => `- [${code}](${origin}/problems/${code}): ${problemTable[code].status}, ${problemTable[code].title}`,
	);
	return `# Address registry

> Creates short, checkable address codes for coordinates and resolves them. A code such as NG-1377-48215 is two letters for the country, four digits for the zone and five more digits, the last of which is a check digit (ISO 7064 MOD 11-2). Anyone can resolve a code, without a key.

- Base address: ${origin}. Every path starts with /v1, except /healthz. Bodies are JSON in UTF-8. Unknown request fields are refused.
- Resolve with \`GET ${origin}/v1/public/addresses/{code}\`, in any spelling of the code. \`Accept: application/geo+json\` returns a GeoJSON Feature. Up to 100 codes at once, with a credential: \`POST ${origin}/v1/public/addresses/batch\`.
- A wrong check digit answers 400 BAD_CHECK_DIGIT. Do not guess another digit: ask the person for the code again.
- People sign in with a phone number and a password, and send \`Authorization: Bearer <access token>\` (30 minutes; refresh tokens rotate). Systems send \`Authorization: Api-Key <key>\`. A key reads addresses, and with the scope \`addresses:write\` it also manages those of its owner.
- Everyone who has the code of an address can read its exact point and texts, unless the owner makes it private.
- An \`Idempotency-Key\` header makes it safe to repeat a creation.
- Errors are RFC 9457 problems: branch on \`code\`. After 429 and 503, wait the number of seconds in \`Retry-After\`.

## Documents

- [OpenAPI 3.1](${origin}/openapi.json): every endpoint, field, status and example
- [Reference](${origin}/docs): the same, to read and to try
- Tools for a language model: resolve_address, check_code and zone_at at ${origin}/mcp (Model Context Protocol, streamable HTTP, no credential)
- [Everything in one text](${origin}/llms-full.txt): this page and all guides
- [Guides](${origin}/docs/guides): each also as Markdown, under its path with .md; using the API, limits, security and privacy, and running a registry

## Endpoints

${lines.join("\n")}

## Errors

${problems.join("\n")}
`;
}
