import type { Bindings } from "../env.ts";

/** What an operator gives the Worker, in Markdown. */
export interface Setting {
	kind:
		| "D1 binding"
		| "R2 binding"
		| "rate limit binding"
		| "static assets"
		| "Analytics Engine binding"
		| "version metadata"
		| "variable"
		| "secret";
	/** What holds while it is not set, where that is no number of src/env.ts or src/limits/policy.ts. */
	unset?: string;
	meaning: string;
}

/**
 * Everything that is bound to the Worker, set for it or, as ZONES_FILE, read by its deployment. The table of src/docs/guides/operate.md
 * is made of it.
 */
export const settings: Readonly<Record<keyof Bindings | "ZONES_FILE", Setting>> = {
	DB: {
		kind: "D1 binding",
		meaning: "accounts, sessions, keys, addresses",
	},
	ZONES: {
		kind: "R2 binding",
		meaning: "the bucket that holds `world.zones` and the journal",
	},
	LOOKUPS: {
		kind: "rate limit binding",
		meaning:
			"per minute and network: look-ups of codes that reach the database. With a credential, its account or key is counted instead",
	},
	UNKNOWN_IN_ZONE: {
		kind: "rate limit binding",
		meaning: "per minute, network and zone: codes that do not exist",
	},
	UNKNOWN_IN_ZONE_OF_ACCOUNT: {
		kind: "rate limit binding",
		meaning: "per minute, account and zone: codes that do not exist",
	},
	UNKNOWN_CODES: {
		kind: "rate limit binding",
		meaning: "per minute, and network or account: codes that do not exist, in all zones",
	},
	BATCHES: {
		kind: "rate limit binding",
		meaning: "per minute, and account or key: batches of up to 100 codes",
	},
	AUTH_CALLS: {
		kind: "rate limit binding",
		meaning:
			"per minute and network: calls to `/v1/auth`, and console forms about signing in. If the caller is signed in, their account is counted instead. Wrong keys, tokens and cookies have a count of their own",
	},
	PASSWORD_CALLS: {
		kind: "rate limit binding",
		meaning:
			"per minute and network: those of them that hash a password. If the caller is signed in, their account is counted instead",
	},
	PASSWORD_CALLS_OF_PHONE: {
		kind: "rate limit binding",
		meaning: "per minute and phone: the same where the network has signed in with the phone before",
	},
	DRAWINGS: {
		kind: "rate limit binding",
		meaning: "per minute and network: street sketches and pictures of cards that no cache holds",
	},
	DRAWINGS_OF_ACCOUNT: {
		kind: "rate limit binding",
		meaning: "per minute and account: street sketches that no cache holds, on the pages of whoever is signed in",
	},
	LAST_REGISTRATIONS: {
		kind: "rate limit binding",
		meaning: "per minute and network: accounts that it may still open past `REGISTRATIONS_PER_NETWORK_AND_DAY`",
	},
	ASSETS: {
		kind: "static assets",
		meaning:
			"what `.dev/build.ts` makes: the documentation, the scripts of pages, the texts of languages other than English, and a copy of the zone index. The copy serves while the bucket has no valid index",
	},
	VERSION: {
		kind: "version metadata",
		unset: "`local`",
		meaning: "the version that `/healthz` names",
	},
	JWT_SECRETS: {
		kind: "secret",
		unset: "none: the Worker answers 503 without it",
		meaning:
			"one or more `id:secret`, separated by commas; the first signs, all verify; each secret has at least 32 bytes",
	},
	ZONES_FILE: {
		kind: "variable",
		unset: "`zones/world.zones`",
		meaning: "the zone index that `npm run deploy` serves; the Worker does not read it",
	},
	WEB_URL: {
		kind: "variable",
		unset: "the origin of the request",
		meaning: "public origin of the links in QR codes and in the documentation, such as `https://addr.example`",
	},
	OPERATORS_ISSUER: {
		kind: "variable",
		unset: "none: the endpoints of operators answer 404",
		meaning: "the identity provider of operators, such as `https://team.cloudflareaccess.com`",
	},
	OPERATORS_AUDIENCE: {
		kind: "variable",
		meaning: "the audience of its tokens; Cloudflare Access shows it as the application's AUD tag",
	},
	OPERATORS_JWKS: {
		kind: "variable",
		unset: "`{OPERATORS_ISSUER}/cdn-cgi/access/certs`",
		meaning: "the provider's public keys: an https URL, or the JSON Web Key Set (JWKS) itself",
	},
	OPERATORS: {
		kind: "variable",
		unset: "everyone whom Cloudflare Access admits; with any other issuer it is required",
		meaning: "e-mail addresses of operators, separated by commas",
	},
	SECURITY_CONTACT: {
		kind: "variable",
		unset: "`OPERATOR_CONTACT`; without either, `/.well-known/security.txt` answers 404",
		meaning: "where to report a weakness: a `mailto:` or `https:` URL",
	},
	REGISTRY_NAME: {
		kind: "variable",
		meaning: "what the registry is called on its pages and signs, such as `Lagos Address Registry`",
	},
	REGISTRY_CREST: {
		kind: "variable",
		unset: "the pin",
		meaning:
			"the crest in the header of every page, in place of the pin. It is the key of an SVG file of at most 64 KiB in the bucket, such as `crest-1.svg`. Browsers cache it, so a new picture needs a new key",
	},
	OPERATOR_NAME: {
		kind: "variable",
		meaning: "who runs the registry",
	},
	OPERATOR_CONTACT: {
		kind: "variable",
		meaning: "where the operator can be reached: a `mailto:` or `https:` URL",
	},
	OPERATOR_ADDRESS: {
		kind: "variable",
		meaning: "the postal address of the operator",
	},
	PRIVATE_ADDRESSES: {
		kind: "variable",
		unset: "`on`",
		meaning: "`off` makes every address public: no address can be made private, and those that are become visible",
	},
	PRIVACY_URL: {
		kind: "variable",
		unset: "the notice at `/privacy`",
		meaning: "the operator's own privacy notice",
	},
	ALERT_URL: {
		kind: "secret",
		unset: "none: incidents are only logged",
		meaning: "https URL to which incidents are posted as JSON, such as a webhook of your chat",
	},
	METRICS: {
		kind: "Analytics Engine binding",
		unset: "none: requests are not counted",
		meaning:
			"the dataset that counts requests by route, status, country, error and time, and holds no code and no person",
	},
	LOG_REQUESTS: {
		kind: "variable",
		unset: "0",
		meaning: "share of requests that are logged, from 0 to 1. A million lines cost twice as much as a million requests",
	},
	API_KEY_PREFIX: {
		kind: "variable",
		unset: "`addr`",
		meaning: "what API keys start with",
	},
	OTP_GATEWAY_URL: {
		kind: "variable",
		unset: "none: one-time codes answer 503 while this or the token is missing",
		meaning: "https URL to which `{to, text}` is posted to be sent as SMS",
	},
	OTP_GATEWAY_TOKEN: {
		kind: "secret",
		meaning: "bearer token for the gateway",
	},
	OTP_CALLING_CODES: {
		kind: "variable",
		unset: "those of all countries",
		meaning: "country calling codes to which one-time codes are sent, such as `234,254`",
	},
	OTP_NUMBER_TYPES: {
		kind: "variable",
		unset: "`MOBILE,FIXED_LINE_OR_MOBILE,UNKNOWN`",
		meaning:
			"types of numbers to which one-time codes are sent, as libphonenumber names them. `UNKNOWN` stands for numbers that it does not know",
	},
	DATABASE_READ_MILLISECONDS: {
		kind: "variable",
		meaning: "how long D1 may take to answer a read, then 503",
	},
	BUCKET_READ_MILLISECONDS: {
		kind: "variable",
		meaning: "how long R2 may take to answer a read, then 503",
	},
	ASSETS_READ_MILLISECONDS: {
		kind: "variable",
		meaning:
			"how long a data file of the deployment may take to be read, then 503. If it holds the texts of a language, the page is shown in English instead",
	},
	PASSWORD_HASH_PAUSE_MILLISECONDS: {
		kind: "variable",
		meaning:
			"pause between two password hashes in one isolate, so that look-ups are answered in between. Set it longer if a hash takes longer than 0.14 s",
	},
	PASSWORD_HASH_WAIT_SECONDS: {
		kind: "variable",
		meaning:
			"how long a sign-in may wait for its turn to hash, then 503. One network may take half of the queue that others leave free",
	},
	SESSION_DAYS_MAX: {
		kind: "variable",
		meaning: "longest life of a session, even one in daily use",
	},
	PHONE_RESERVED_DAYS: {
		kind: "variable",
		meaning: "days for which a verified number that an account has given up is reserved for that account",
	},
	ACCOUNT_ERASURE_DAYS: {
		kind: "variable",
		meaning: "days until a closed account is erased; signing in before then opens it again",
	},
	NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: {
		kind: "variable",
		meaning: "addresses that an account may create in a day (UTC)",
	},
	WRITES_PER_NETWORK_AND_DAY: {
		kind: "variable",
		meaning:
			"new addresses, changes, keys and attestations from one network in a day (UTC), all accounts together. Past that, accounts with fewer than 10 of a kind that day go on, up to twice the limit",
	},
	REGISTRATIONS_PER_NETWORK_AND_DAY: {
		kind: "variable",
		meaning: "accounts opened from one network in a day (UTC) without a one-time code; past that, three a minute",
	},
	RETIRED_ADDRESSES_KEPT_DAYS: {
		kind: "variable",
		meaning: "days until the point, label, owner and history of a retired address are erased",
	},
	REVOKED_KEYS_KEPT_DAYS: {
		kind: "variable",
		meaning: "days until the record of a revoked API key is deleted",
	},
	LIVE_KEYS_PER_ACCOUNT: {
		kind: "variable",
		meaning: "API keys that an account may have",
	},
	OTP_PER_NETWORK_AND_DAY: {
		kind: "variable",
		meaning: "one-time codes that one network may request in a day (UTC) without signing in",
	},
	OTP_PER_CALLING_CODE_AND_DAY: {
		kind: "variable",
		meaning:
			"one-time codes to all phones of a country calling code in a day (UTC); as many again for accounts opened before that day",
	},
};
