import { api } from "../api.ts";
import { type OpenApiDocument, openApiDocument } from "../http/openapi.ts";

let built: { origin: string; document: OpenApiDocument } | undefined;

/** The OpenAPI document of the registry at an origin. The last one is kept, because an isolate answers for one origin, or few. */
export function apiDocument(origin: string): OpenApiDocument {
	if (built?.origin !== origin) built = { origin, document: openApiDocument(api, origin) };
	return built.document;
}
