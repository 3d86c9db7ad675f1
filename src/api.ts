/** The whole API: its endpoints, feature by feature, and how its documentation presents them. */
import { accountEndpoints } from "./accounts/endpoints.ts";
import { holderEndpoints } from "./accounts/holder-endpoints.ts";
import { addressEndpoints } from "./addresses/endpoints.ts";
import { publicAddressEndpoints } from "./addresses/public-endpoints.ts";
import { healthEndpoint } from "./health.ts";
import type { Api, Endpoint, Tag } from "./http/endpoint.ts";
import { keyEndpoints } from "./keys/endpoints.ts";
import { personalDataEndpoints } from "./personal-data/endpoints.ts";
import { verificationEndpoints } from "./verification/endpoints.ts";
import { zoneEndpoints } from "./zones/endpoints.ts";

/** The chapters of the documentation, in reading order. */
const tags: Tag[] = [
	{ name: "Resolve", description: "From a code to a place. For anyone, without a credential, from any web page." },
	{ name: "Print", description: "Images to put on a door." },
	{ name: "Addresses", description: "Create addresses and manage your own." },
	{
		name: "Accounts",
		description: "A phone number and a password. Access tokens live 30 minutes, refresh tokens 30 days.",
	},
	{
		name: "Keys",
		description:
			"For systems that read address records, or also manage the addresses of their owner. A signed-in person creates and revokes them.",
	},
	{
		name: "Attest",
		description:
			"How a phone number or an address becomes verified. It is a sign of trust and gives no further rights.",
	},
	{ name: "Status", description: "Whether the service is up." },
];

/** Every endpoint of the API, chapter by chapter. */
export const endpoints: Endpoint[] = [
	...publicAddressEndpoints,
	...addressEndpoints,
	...zoneEndpoints,
	...accountEndpoints,
	...holderEndpoints,
	...personalDataEndpoints,
	...keyEndpoints,
	...verificationEndpoints,
	healthEndpoint,
].sort((a, b) => tags.findIndex(({ name }) => name === a.tag) - tags.findIndex(({ name }) => name === b.tag));

export const api: Api = {
	title: "Address registry",
	summary: "Creates, resolves and prints short address codes.",
	description: `Short, checkable, resolvable address codes for places without a usable street address.

- Anyone can resolve a code, without a key or an account, from any web page.
- A code is two letters for the country, four digits for the zone and five more digits. The last digit catches typing mistakes. Case, spaces and dashes do not matter.
- Signed-in people create addresses for coordinates. Their systems read the records with an API key.
- Errors are RFC 9457 problems with a stable \`code\`.
- A path answers with and without its last slash. An endpoint that answers GET also answers HEAD.
- Answers may gain fields at any time within /v1: ignore those you do not know. Unknown fields in requests are refused by name.`,
	tags,
	endpoints,
};
