/**
 * Every limit: its default, and the least and most it may be set to. The unit is part of
 * the name. A variable of the same name in wrangler.toml overrides it. The rate limits per network and minute are not here, because the
 * platform keeps them: they are the `ratelimits` of wrangler.toml.
 */
const limitTable = {
	/** Failed sign-ins with one phone from one network (an IPv4 address or an IPv6 /64), and the window they are counted in. */
	FAILED_LOGINS_PER_PHONE_AND_NETWORK: { default: 10, min: 1, max: 1_000 },
	FAILED_LOGINS_PER_PHONE_AND_NETWORK_WINDOW_MINUTES: { default: 15, min: 1, max: 1_440 },
	/** Failed sign-ins with one phone from anywhere, and the window they are counted in. */
	FAILED_LOGINS_PER_PHONE: { default: 100, min: 1, max: 1_000 },
	FAILED_LOGINS_PER_PHONE_WINDOW_HOURS: { default: 24, min: 1, max: 24 },
	/** Past that, how long a network that has never signed in with the phone waits after each failure at most; it doubles from a second on. */
	FAILED_LOGINS_DELAY_MAX_MINUTES: { default: 15, min: 1, max: 1_440 },
	/** Failed sign-ins from one network in a day (UTC), live sessions aside; twice as many for each wider network. */
	FAILED_LOGINS_PER_NETWORK_AND_DAY: { default: 300, min: 1, max: 1_000_000 },
	/** Past that, failed sign-ins with one such phone, in the window of FAILED_LOGINS_PER_PHONE, before it waits after each. */
	FAILED_LOGINS_PER_PHONE_PAST_NETWORK: { default: 2, min: 1, max: 1_000 },
	/** How long a network is remembered from which somebody has signed in. */
	KNOWN_NETWORKS_KEPT_DAYS: { default: 365, min: 1, max: 3_650 },
	/** Codes that do not exist, asked for by one account or one network, in a minute and in a day (UTC). Past that, few look-ups remain. */
	UNKNOWN_CODES_PER_MINUTE: { default: 120, min: 1, max: 1_000_000 },
	UNKNOWN_CODES_PER_DAY: { default: 1_000, min: 1, max: 10_000_000 },
	/** Codes that do not exist, asked for in one zone by whomever in a minute, of which the log warns. */
	UNKNOWN_CODES_PER_ZONE_AND_MINUTE: { default: 200, min: 1, max: 1_000_000 },
	/** How long D1, R2 and the static assets may take to answer a read, then 503; and how long a page waits for its map, then it goes without. */
	DATABASE_READ_MILLISECONDS: { default: 5_000, min: 100, max: 60_000 },
	BUCKET_READ_MILLISECONDS: { default: 5_000, min: 100, max: 60_000 },
	ASSETS_READ_MILLISECONDS: { default: 2_000, min: 100, max: 60_000 },
	MAP_MILLISECONDS: { default: 1_500, min: 0, max: 60_000 },
	/** Between two password hashes in one isolate, and how long a request may wait for its turn. */
	PASSWORD_HASH_PAUSE_MILLISECONDS: { default: 280, min: 0, max: 10_000 },
	PASSWORD_HASH_WAIT_SECONDS: { default: 6, min: 1, max: 60 },
	/** Longest life of a session however much it is used. */
	SESSION_DAYS_MAX: { default: 180, min: 1, max: 3_650 },
	/** Sessions that an account keeps: a sign-in past that ends the oldest one. */
	SESSIONS_PER_ACCOUNT: { default: 100, min: 1, max: 100 },
	/** How long a verified number that an account has given up is kept for it, so that nobody else gets it meanwhile. */
	PHONE_RESERVED_DAYS: { default: 30, min: 0, max: 3_650 },
	/** How long a closed account is kept, in which signing in opens it again, before everything of its holder is erased. */
	ACCOUNT_ERASURE_DAYS: { default: 7, min: 0, max: 365 },
	/** What one account may write in a day (UTC): addresses minted, labels and pins changed, keys made, attestations given. */
	NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: { default: 10_000, min: 0, max: 10_000_000 },
	CHANGES_PER_ACCOUNT_AND_DAY: { default: 2_000, min: 0, max: 10_000_000 },
	NEW_KEYS_PER_ACCOUNT_AND_DAY: { default: 100, min: 0, max: 10_000 },
	ATTESTATIONS_PER_AGENT_AND_DAY: { default: 500, min: 0, max: 100_000 },
	/** What everybody behind one network may write of those in a day (UTC), and what each account has left there when that is used up. */
	WRITES_PER_NETWORK_AND_DAY: { default: 20_000, min: 1, max: 10_000_000 },
	WRITES_PER_ACCOUNT_PAST_NETWORK: { default: 10, min: 0, max: 10_000 },
	/** Accounts opened from one network in a day (UTC). */
	REGISTRATIONS_PER_NETWORK_AND_DAY: { default: 300, min: 1, max: 10_000_000 },
	/** How long a retired address is kept before its point, label, owner and history are erased. */
	RETIRED_ADDRESSES_KEPT_DAYS: { default: 30, min: 0, max: 3_650 },
	/** How long a revoked key is kept, so that what a leaked one did can still be told. */
	REVOKED_KEYS_KEPT_DAYS: { default: 90, min: 0, max: 3_650 },
	LIVE_KEYS_PER_ACCOUNT: { default: 50, min: 0, max: 1_000 },
	/** How long a one-time code is good for, and how often it may be tried. */
	OTP_LIFETIME_MINUTES: { default: 10, min: 1, max: 60 },
	OTP_TRIES: { default: 5, min: 1, max: 10 },
	/** Between two one-time codes to one phone that one account, or one network where nobody is signed in, asks for. */
	OTP_INTERVAL_SECONDS: { default: 60, min: 1, max: 3_600 },
	/** One-time codes to one phone in 24 hours that one account, or one network where nobody is signed in, may ask for. */
	OTP_PER_PHONE_AND_ASKER_AND_DAY: { default: 5, min: 1, max: 100 },
	/** One-time codes to one phone in 24 hours that all may ask for together, but for the account that has it. */
	OTP_PER_PHONE_AND_DAY: { default: 10, min: 1, max: 100 },
	/** One-time codes that one account may have sent in a day (UTC), to whatever phones, so that none spends a whole country's. */
	OTP_PER_ACCOUNT_AND_DAY: { default: 10, min: 1, max: 10_000 },
	/** One-time codes that one network may have sent in a day (UTC) without signing in; twice as many for each wider network. */
	OTP_PER_NETWORK_AND_DAY: { default: 50, min: 0, max: 10_000_000 },
	/** One-time codes to all phones of one country calling code in a day (UTC), against SMS pumping: for strangers, and again for accounts that have the phone. */
	OTP_PER_CALLING_CODE_AND_DAY: { default: 1_000, min: 0, max: 10_000_000 },
} as const satisfies Record<string, { default: number; min: number; max: number }>;

type LimitName = keyof typeof limitTable;

/** The limits in force, by name. */
export type Limits = Readonly<Record<LimitName, number>>;

/** The rate limits that the platform keeps. */
export const rateLimits = [
	"AUTH_CALLS",
	"PASSWORD_CALLS",
	"LOOKUPS",
	"BATCHES",
	"LAST_LOOKUPS",
	"LAST_SIGN_INS",
] as const;

export type RateLimitName = (typeof rateLimits)[number];

/** What the runtime binds to the Worker (wrangler.toml), as text where it is a setting. */
export interface Bindings extends Partial<Record<LimitName, string | number>> {
	DB: D1Database;
	ZONES: R2Bucket;
	/** What .dev/build.ts deploys beside the Worker: the documentation, and a copy of the zone index for a bucket that has none. */
	ASSETS: Fetcher;
	/** Which version of the Worker this is. */
	VERSION?: WorkerVersionMetadata;
	/** Per network and minute: calls to /v1/auth; those of them that hash a password; look-ups of one address in the database; of a batch of them; look-ups of a caller past their budget of unknown codes. Per network and ten seconds: sign-ins of a network past its failures of a day. */
	AUTH_CALLS: RateLimit;
	PASSWORD_CALLS: RateLimit;
	LOOKUPS: RateLimit;
	BATCHES: RateLimit;
	LAST_LOOKUPS: RateLimit;
	LAST_SIGN_INS: RateLimit;
	/** Secret. Signing secrets as `id:secret`, separated by commas; the first signs, all verify. */
	JWT_SECRETS?: string;
	/** Public origin of the links in QR codes, such as `https://addr.example`; the origin of the request when unset. */
	WEB_URL?: string;
	/** Where to report a weakness: a mailto: or https: URL, which /.well-known/security.txt names. */
	SECURITY_CONTACT?: string;
	/** What API keys start with, such as `addr` in `addr_live_...`. */
	API_KEY_PREFIX?: string;
	/** Where one-time codes are posted to be sent as SMS; one-time codes are disabled while it is unset. */
	OTP_GATEWAY_URL?: string;
	/** Secret. The bearer token of the gateway. */
	OTP_GATEWAY_TOKEN?: string;
	/** Country calling codes to which one-time codes are sent, such as `234,254`; those of all countries when unset. */
	OTP_CALLING_CODES?: string;
	/** Types of numbers to which one-time codes are sent, such as `MOBILE,UNKNOWN`. */
	OTP_NUMBER_TYPES?: string;
}

/** A secret that access tokens are signed and verified with. */
export interface SigningSecret {
	/** The `kid` in a token's header. */
	id: string;
	secret: Uint8Array;
}

/** Newest first: the first signs, all verify. */
export type SigningSecrets = [SigningSecret, ...SigningSecret[]];

/** The service that sends one-time codes as SMS. */
export interface OtpGateway {
	url: string;
	/** Bearer token. */
	token: string;
}

/** Types of phone numbers, as libphonenumber names them, and that of a number which it does not know. */
const NUMBER_TYPES = [
	"MOBILE",
	"FIXED_LINE_OR_MOBILE",
	"FIXED_LINE",
	"VOIP",
	"PERSONAL_NUMBER",
	"PAGER",
	"UAN",
	"VOICEMAIL",
	"TOLL_FREE",
	"SHARED_COST",
	"PREMIUM_RATE",
	"UNKNOWN",
];

/** The numbers to which one-time codes are sent. */
export interface SmsNumbers {
	/** Country calling codes without the plus sign; undefined for those of all countries. */
	callingCodes: ReadonlySet<string> | undefined;
	types: ReadonlySet<string>;
}

/** Settings, read and proved before any request is answered. */
export interface Config {
	/** Newest first: the first signs. */
	signingSecrets: SigningSecrets;
	/** Without a trailing slash. */
	webUrl: string | undefined;
	limits: Limits;
	/** A mailto: or https: URL. */
	securityContact: string | undefined;
	apiKeyPrefix: string;
	/** Undefined while one-time codes are disabled. */
	otpGateway: OtpGateway | undefined;
	smsNumbers: SmsNumbers;
}

/** A setting that is missing or unusable. The message names it and never holds its value. */
export class ConfigError extends Error {
	override name = "ConfigError";
}

/** The secret of `.dev.vars.example`, which everybody can read. The "Deploy to Cloudflare" button offers it as the value to replace. */
const EXAMPLE_SECRET = "replace-this-by-the-output-of-openssl-rand-base64-48";

/** HMAC-SHA-256 wants a key at least as long as its output, 32 bytes (RFC 7518 section 3.2). */
const SECRET_BYTES_MIN = 32;

function readSigningSecrets(text: string | undefined): SigningSecrets {
	if (!text) throw new ConfigError("The secret JWT_SECRETS is not set");
	const secrets = text.split(",").map((entry) => {
		const [, id, secret] = /^\s*([\w-]{1,32}):(\S+)\s*$/.exec(entry) ?? [];
		if (!id || !secret) throw new ConfigError("JWT_SECRETS is not a list of id:secret separated by commas");
		const bytes = new TextEncoder().encode(secret);
		if (bytes.length < SECRET_BYTES_MIN) {
			throw new ConfigError(`The secret ${id} of JWT_SECRETS has fewer than ${SECRET_BYTES_MIN} bytes`);
		}
		if (secret === EXAMPLE_SECRET) {
			throw new ConfigError(`The secret ${id} of JWT_SECRETS is the public example of .dev.vars.example`);
		}
		return { id, secret: bytes };
	});
	if (new Set(secrets.map(({ id }) => id)).size < secrets.length) throw new ConfigError("JWT_SECRETS has one id twice");
	return secrets as SigningSecrets;
}

function readWebUrl(text: string | undefined): string | undefined {
	if (!text) return undefined;
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
		throw new ConfigError("WEB_URL is not an origin such as https://addr.example");
	}
	return url.origin;
}

function readLimit(name: LimitName, value: string | number | undefined): number {
	const { default: usual, min, max } = limitTable[name];
	if (value === undefined) return usual;
	const limit = /^\d{1,9}$/.test(String(value)) ? Number(value) : Number.NaN;
	if (!(limit >= min && limit <= max)) throw new ConfigError(`${name} is not an integer from ${min} to ${max}`);
	return limit;
}

function readLimits(env: Bindings): Limits {
	const names = Object.keys(limitTable) as LimitName[];
	return Object.fromEntries(names.map((name) => [name, readLimit(name, env[name])])) as Limits;
}

function readSecurityContact(text: string | undefined): string | undefined {
	if (!text) return undefined;
	if (!URL.canParse(text) || !/^(mailto|https):$/.test(new URL(text).protocol)) {
		throw new ConfigError("SECURITY_CONTACT is not a URL such as mailto:security@addr.example");
	}
	return text;
}

function readApiKeyPrefix(text = "addr"): string {
	if (!/^[a-z][a-z0-9]{1,15}$/.test(text)) {
		throw new ConfigError("API_KEY_PREFIX is not 2 to 16 lower-case letters and digits that start with a letter");
	}
	return text;
}

function readOtpGateway(url: string | undefined, token: string | undefined): OtpGateway | undefined {
	// A variable and a secret are never set in the same instant: half a gateway is none, and must not stop the rest.
	if (!url || !token) return undefined;
	const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "" };
	if (protocol !== "https:" && !(protocol === "http:" && hostname === "127.0.0.1")) {
		throw new ConfigError("OTP_GATEWAY_URL is not an https URL");
	}
	return { url, token };
}

function readList(text: string): string[] {
	return text.split(",").map((entry) => entry.trim());
}

function readSmsNumbers(codes: string | undefined, types = "MOBILE,FIXED_LINE_OR_MOBILE,UNKNOWN"): SmsNumbers {
	const callingCodes = codes ? readList(codes).map((code) => code.replace(/^\+/, "")) : undefined;
	if (callingCodes?.some((code) => !/^[1-9]\d{0,2}$/.test(code))) {
		throw new ConfigError("OTP_CALLING_CODES is not a list of country calling codes such as 234,254");
	}
	const allowed = readList(types);
	if (allowed.some((type) => !NUMBER_TYPES.includes(type))) {
		throw new ConfigError(`OTP_NUMBER_TYPES is not a list of some of ${NUMBER_TYPES.join(", ")}`);
	}
	return { callingCodes: callingCodes && new Set(callingCodes), types: new Set(allowed) };
}

function proveConfig(env: Bindings): Config {
	for (const name of ["DB", "ZONES", "ASSETS", ...rateLimits] as const) {
		if (!env[name]) throw new ConfigError(`The binding ${name} is missing`);
	}
	return {
		signingSecrets: readSigningSecrets(env.JWT_SECRETS),
		webUrl: readWebUrl(env.WEB_URL),
		limits: readLimits(env),
		securityContact: readSecurityContact(env.SECURITY_CONTACT),
		apiKeyPrefix: readApiKeyPrefix(env.API_KEY_PREFIX),
		otpGateway: readOtpGateway(env.OTP_GATEWAY_URL, env.OTP_GATEWAY_TOKEN),
		smsNumbers: readSmsNumbers(env.OTP_CALLING_CODES, env.OTP_NUMBER_TYPES),
	};
}

const proved = new WeakMap<Bindings, Config>();

/**
 * The settings that the runtime binds to the Worker. They are read once: an isolate keeps one `env` for life, and a change of a setting starts
 * new isolates.
 * @throws ConfigError that names the binding, secret or setting which is missing or wrong.
 */
export function readConfig(env: Bindings): Config {
	const config = proved.get(env) ?? proveConfig(env);
	proved.set(env, config);
	return config;
}
