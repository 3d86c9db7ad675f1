/** Holds every answer that a test gets from the Worker to the OpenAPI document. */
import { apiDocument } from "../../src/docs/openapi.ts";
import { openApiJudge } from "./openapi-judge.ts";

const judge = openApiJudge(apiDocument("https://registry.test"));

/** What tests have seen answered: `get /v1/auth/me 200`. */
export const seen = new Set<string>();

/** Fails when an answer of the API has a status, type, header or field that the OpenAPI document does not say, or lacks one that it says. */
export async function assertDocumented(request: Request, response: Response): Promise<void> {
	const { pathname } = new URL(request.url);
	if (!/^\/(v1|healthz)(\/|$)/.test(pathname) || request.method === "OPTIONS") return;
	const { method } = request;
	const { status, headers } = response;
	const { documented, problems } = judge({ method, pathname, status, headers, body: await response.clone().text() });
	if (documented) seen.add(documented);
	if (problems.length > 0) {
		throw new Error(`${method} ${request.url} ${status} is not as documented: ${problems.join("; ")}`);
	}
}
