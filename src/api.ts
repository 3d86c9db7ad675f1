/** The whole API: its endpoints, by feature. src/docs/chapters.ts orders them for readers. */
import { accountEndpoints } from "./accounts/endpoints.ts";
import { phoneEndpoints } from "./accounts/phone-endpoints.ts";
import { batchEndpoint } from "./addresses/batch-endpoints.ts";
import { addressEndpoints } from "./addresses/endpoints.ts";
import { publicAddressEndpoints } from "./addresses/public-endpoints.ts";
import { unitEndpoints } from "./addresses/unit-endpoints.ts";
import { zoneEndpoints } from "./addresses/zone-endpoints.ts";
import { changeEndpoints } from "./changes/endpoints.ts";
import { healthEndpoint } from "./health/endpoints.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { keyEndpoints } from "./keys/endpoints.ts";
import { operatorEndpoints } from "./operate/endpoints.ts";
import { personalDataEndpoints } from "./personal-data/endpoints.ts";
import { reportEndpoints } from "./reports/endpoints.ts";

/** Every endpoint of the API. */
export const endpoints: Endpoint[] = [
	...publicAddressEndpoints,
	...addressEndpoints,
	...unitEndpoints,
	batchEndpoint,
	...reportEndpoints,
	...zoneEndpoints,
	...changeEndpoints,
	...accountEndpoints,
	...personalDataEndpoints,
	...keyEndpoints,
	...phoneEndpoints,
	...operatorEndpoints,
	healthEndpoint,
];
