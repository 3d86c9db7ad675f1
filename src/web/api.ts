import { accountOperations } from "../accounts/operations.ts";
import { addressOperations } from "../addresses/operations.ts";
import { type OpenApiDocument, openApiDocument } from "../http/openapi.ts";
import type { Operation } from "../http/operation.ts";
import { keyOperations } from "../keys/operations.ts";
import { verificationOperations } from "../verification/operations.ts";
import { zoneOperations } from "../zones/operations.ts";
import { statusOperations } from "./operations.ts";

/** The chapters of the documentation, in reading order. */
const tags = [
	{ name: "Resolve", description: "From a code to a place. For anyone, without a credential, from any web page." },
	{ name: "Print", description: "Images to put on a door." },
	{ name: "Addresses", description: "Issue codes and look after your own." },
	{
		name: "Accounts",
		description: "A phone number and a password; access tokens live 30 minutes, refresh tokens 30 days.",
	},
	{ name: "Keys", description: "For systems that read address records. Made and revoked by a signed-in person." },
	{
		name: "Attest",
		description: "How a phone number or an address comes to be verified. It opens nothing; it is a sign of trust.",
	},
	{ name: "Status", description: "Whether the service is there." },
];

/** Every operation of the API. */
export const operations: Operation[] = [
	...addressOperations,
	...zoneOperations,
	...accountOperations,
	...keyOperations,
	...verificationOperations,
	...statusOperations,
].sort((a, b) => tags.findIndex(({ name }) => name === a.tag) - tags.findIndex(({ name }) => name === b.tag));

let built: { origin: string; document: OpenApiDocument } | undefined;

/** The OpenAPI document of the registry at an origin. The last one is kept: an isolate answers for one origin, or few. */
export function apiDocument(origin: string): OpenApiDocument {
	if (built?.origin !== origin) built = { origin, document: openApiDocument(operations, tags, origin) };
	return built.document;
}
