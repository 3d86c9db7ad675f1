import { endpoints } from "../api.ts";
import { type ProblemCode, problemTable } from "../errors.ts";

/** What a language model needs to use the API, as llmstxt.org proposes: a title, a summary and lists of links. */
export function llmsText(origin: string): string {
	const lines = endpoints.map(
		({ id, method, path, summary, access }) =>
			`- [${summary}](${origin}/docs#${id}): \`${method.toUpperCase()} ${path}\`. ${access.summary}`,
	);
	const problems = (Object.keys(problemTable) as ProblemCode[]).map(
		(code) => `- [${code}](${origin}/problems/${code}): ${problemTable[code].status}, ${problemTable[code].title}`,
	);
	return `# Address registry

> Issues short, checkable address codes for coordinates and resolves them. A code such as NG-0421-58212 is two letters of country, four digits of zone and five digits, the last of which is a check digit (ISO 7064 MOD 11-2). Resolving is public and needs no key.

- Base address: ${origin}; every path starts with /v1, but for /healthz; bodies are JSON in UTF-8; unknown request fields are refused.
- Resolve with \`GET ${origin}/v1/public/addresses/{code}\`, in any spelling of the code; \`Accept: application/geo+json\` gives a GeoJSON Feature. Up to 100 codes at once: \`POST ${origin}/v1/public/addresses/batch\`.
- A wrong check digit is 400 BAD_CHECK_DIGIT. Do not guess another digit: ask the person for the code again.
- People sign in with phone and password and send \`Authorization: Bearer <access token>\` (30 minutes; refresh tokens rotate). Systems send \`Authorization: Api-Key <key>\`, which opens \`GET /v1/addresses/{canonical}\` alone.
- Make creation safe to repeat with an \`Idempotency-Key\` header.
- Errors are RFC 9457 problems; branch on \`code\`. After 429 and 503 wait \`Retry-After\` seconds.

## Documents

- [OpenAPI 3.1](${origin}/openapi.json): every operation, field, status and example
- [Reference](${origin}/docs): the same to read and try

## Operations

${lines.join("\n")}

## Errors

${problems.join("\n")}
`;
}
