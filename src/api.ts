/** The whole API: its endpoints, feature by feature, and the chapters they are documented in. */
import { accountEndpoints } from "./accounts/endpoints.ts";
import { addressEndpoints } from "./addresses/endpoints.ts";
import { publicAddressEndpoints } from "./addresses/public-endpoints.ts";
import type { Endpoint, Tag } from "./http/endpoint.ts";
import { healthEndpoint } from "./http/health.ts";
import { keyEndpoints } from "./keys/endpoints.ts";
import { verificationEndpoints } from "./verification/endpoints.ts";
import { zoneEndpoints } from "./zones/endpoints.ts";

/** The chapters of the documentation, in reading order. */
export const tags: Tag[] = [
	{ name: "Resolve", description: "From a code to a place. For anyone, without a credential, from any web page." },
	{ name: "Print", description: "Images to put on a door." },
	{ name: "Addresses", description: "Create addresses and manage your own." },
	{
		name: "Accounts",
		description: "A phone number and a password. Access tokens live 30 minutes, refresh tokens 30 days.",
	},
	{ name: "Keys", description: "For systems that read address records. A signed-in person creates and revokes them." },
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
	...keyEndpoints,
	...verificationEndpoints,
	healthEndpoint,
].sort((a, b) => tags.findIndex(({ name }) => name === a.tag) - tags.findIndex(({ name }) => name === b.tag));
