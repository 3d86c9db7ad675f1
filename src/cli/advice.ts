/**
 * Advice on the failures of wrangler that first deployments meet. The codes are those that Cloudflare's API gives in brackets after its
 * messages.
 */

const KNOWN: [failure: RegExp, advice: string][] = [
	[
		/CLOUDFLARE_API_TOKEN|not authenticated|Not logged in|code: (10000|9109|1000[01])\b|Authentication error/i,
		"Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token that may edit Workers, D1 and R2.",
	],
	[
		/more than one account|multiple accounts/i,
		"Set CLOUDFLARE_ACCOUNT_ID to the account that the registry belongs in.",
	],
	[/code: 10042\b|enable R2/i, "Switch R2 on: dashboard > Storage & databases > R2. It asks for a payment method."],
	[
		/code: 10063\b|workers\.dev subdomain/i,
		"Open Workers & Pages in the dashboard once. It gives the account its workers.dev subdomain.",
	],
	[
		/CPU limits? (is|are) not supported|code: 100328\b/i,
		"Switch the account to the Workers Paid plan: hashing a password takes more CPU time than a free request has.",
	],
	[
		/code: 7406\b|maximum number of databases/i,
		"Delete a D1 database that nobody uses, or switch to the Workers Paid plan.",
	],
	[
		/fetch failed|ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|timed out|code: 50[0-9]\b/i,
		"Cloudflare could not be reached or had a fault of its own. Look at your network and at https://www.cloudflarestatus.com.",
	],
];

/** Advice on a failure, from wrangler's message; undefined if the failure is not a known one. */
export function adviceOn(failure: string): string | undefined {
	return KNOWN.find(([pattern]) => pattern.test(failure))?.[1];
}
