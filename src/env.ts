import type { JSONWebKeySet } from "jose";
import { SANDBOX_COUNTRY } from "./codes/sandbox.ts";
import { limitSettings, perMinute } from "./limits/policy.ts";

/**
 * What an operator may set: the default, and the least and most it may be. The unit is part of the name. A variable of the same name in
 * wrangler.toml overrides it. All other numbers are constants, those of limits in src/limits/policy.ts.
 */
export const limitTable = {
	/** How long D1, R2 and the static assets may take to answer a read, then 503. */
	DATABASE_READ_MILLISECONDS: { default: 5_000, min: 100, max: 60_000 },
	BUCKET_READ_MILLISECONDS: { default: 5_000, min: 100, max: 60_000 },
	ASSETS_READ_MILLISECONDS: { default: 2_000, min: 100, max: 60_000 },
	/** How long a page waits for the streets around its address, and then goes without. */
	SKETCH_MILLISECONDS: { default: 300, min: 100, max: 60_000 },
	/** Between two password hashes in one isolate, and how long a request may wait for its turn. */
	PASSWORD_HASH_PAUSE_MILLISECONDS: { default: 280, min: 0, max: 10_000 },
	PASSWORD_HASH_WAIT_SECONDS: { default: 6, min: 1, max: 60 },
	/** Longest life of a session however much it is used. */
	SESSION_DAYS_MAX: { default: 180, min: 1, max: 3_650 },
	/** How long a verified number that an account has given up is kept for it, so that nobody else gets it meanwhile. */
	PHONE_RESERVED_DAYS: { default: 30, min: 0, max: 3_650 },
	/** How long a closed account is kept, during which signing in opens it again, before everything of its holder is erased. */
	ACCOUNT_ERASURE_DAYS: { default: 7, min: 0, max: 365 },
	/** How long a retired address is kept before its point, label, owner and history are erased. */
	RETIRED_ADDRESSES_KEPT_DAYS: { default: 30, min: 0, max: 3_650 },
	/** How long a revoked key is kept, so that what a leaked one did can still be told. */
	REVOKED_KEYS_KEPT_DAYS: { default: 90, min: 0, max: 3_650 },
	...limitSettings,
} as const satisfies Record<string, { default: number; min: number; max: number }>;

type LimitName = keyof typeof limitTable;

/** The settings in force, by name. */
export type Limits = Readonly<Record<LimitName, number>>;

/** What the runtime binds to the Worker (wrangler.toml), as text where it is a setting. */
export interface Bindings
	extends Partial<Record<LimitName, string | number>>,
		Record<keyof typeof perMinute, RateLimit> {
	DB: D1Database;
	ZONES: R2Bucket;
	/** What .dev/build.ts deploys beside the Worker: the documentation, and a copy of the zone index for a bucket that has none. */
	ASSETS: Fetcher;
	/** The version of the Worker. */
	VERSION?: WorkerVersionMetadata;
	/** Secret. Signing secrets as `id:secret`, separated by commas; the first signs, all verify. */
	JWT_SECRETS?: string;
	/** Public origin of the links in QR codes, such as `https://addr.example`; the origin of the request when unset. */
	WEB_URL?: string;
	/** What the registry is called on its pages and signs, such as `Lagos Address Registry`. */
	REGISTRY_NAME?: string;
	REGISTRY_CREST?: string;
	/** Who runs it, where they can be reached (a mailto: or https: URL), and their postal address. */
	OPERATOR_NAME?: string;
	OPERATOR_CONTACT?: string;
	OPERATOR_ADDRESS?: string;
	/** The operator's own privacy notice, which takes the place of the one at /privacy. */
	PRIVACY_URL?: string;
	/** The identity provider whose tokens operators carry, such as `https://team.cloudflareaccess.com`; without it, there are none. */
	OPERATORS_ISSUER?: string;
	/** What its tokens are for. */
	OPERATORS_AUDIENCE?: string;
	/** Its keys: a URL, or the JWKS itself. */
	OPERATORS_JWKS?: string;
	/** E-mail addresses of operators, separated by commas. */
	OPERATORS?: string;
	/** `off` where every address is to be public. */
	PRIVATE_ADDRESSES?: string;
	/** `off` where no browser is to keep pages for when there is no network. */
	OFFLINE_PAGES?: string;
	/** Where to report a weakness: a mailto: or https: URL, which /.well-known/security.txt names. */
	SECURITY_CONTACT?: string;
	/** Secret. Where incidents are posted as JSON. */
	ALERT_URL?: string;
	/** Where each request is counted by route, status, country, error and time (Workers Analytics Engine). */
	METRICS?: AnalyticsEngineDataset;
	/** Share of requests that are logged, from 0 to 1; none when unset, because lines of the log cost more than the requests. */
	LOG_REQUESTS?: string | number;
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

/** Who stands behind a registry, as its pages say. Undefined is what the operator has not said. */
export interface Identity {
	registryName?: string | undefined;
	/** The key of an SVG file in the bucket. */
	crest?: string | undefined;
	operatorName?: string | undefined;
	/** A mailto: or https: URL. */
	operatorContact?: string | undefined;
	operatorAddress?: string | undefined;
	/** An https: URL. */
	privacyUrl?: string | undefined;
}

/** How operators are known. */
export interface OperatorSettings {
	/** The `iss` of tokens, such as https://team.cloudflareaccess.com. */
	issuer: string;
	/** The `aud` of tokens. */
	audience: string;
	/** The provider's keys (RFC 7517), or the URL that answers them. */
	keys: JSONWebKeySet | URL;
	/** E-mail addresses of operators, in lower case; undefined where the provider's own policy decides, as with Cloudflare Access. */
	admitted: ReadonlySet<string> | undefined;
	/** Whether it is Cloudflare Access, which verifies every address itself and says how long a session lasts. */
	isCloudflareAccess: boolean;
}

/** The issuer of the tokens that `npm run registry -- operator-token` makes. They count on a developer's machine alone. */
export const LOCAL_ISSUER = "local";

/** Settings, read and proved before any request is answered. */
export type Config = ReturnType<typeof proveConfig>;

/** A setting that is missing or unusable. The message names it and never holds its value. */
export class ConfigError extends Error {
	override name = "ConfigError";
}

/** The secret of `.dev.vars.example`, which everybody can read. The "Deploy to Cloudflare" button offers it as the value to replace. */
const EXAMPLE_SECRET = "replace-this-by-the-output-of-openssl-rand-base64-48";

/** HMAC-SHA-256 wants a key at least as long as its output, 32 bytes (RFC 7518 section 3.2). */
const SECRET_BYTES_MIN = 32;

/** Reads signing secrets as `id:secret`, separated by commas. @throws ConfigError for a list that is missing or unusable. */
export function readSigningSecrets(text: string | undefined): SigningSecrets {
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

const CONTACT_PROTOCOLS = /^(mailto|https):$/;

/** Whether a text says where people may write to: a mailto or https URL. */
export function isContact(text: string, protocols = CONTACT_PROTOCOLS): boolean {
	return URL.canParse(text) && protocols.test(new URL(text).protocol);
}

function readContact(
	name: "SECURITY_CONTACT" | "OPERATOR_CONTACT" | "PRIVACY_URL",
	text: string | undefined,
	protocols = CONTACT_PROTOCOLS,
): string | undefined {
	if (!text) return undefined;
	if (!isContact(text, protocols)) {
		const example = protocols.test("mailto:") ? "mailto:office@addr.example" : "https://addr.example/privacy";
		throw new ConfigError(`${name} is not a URL such as ${example}`);
	}
	return text;
}

function readSwitch(name: string, text = "on"): boolean {
	if (!/^(on|off)$/.test(text)) throw new ConfigError(`${name} is neither on nor off`);
	return text === "on";
}

/** Longest name or address of an operator, in UTF-16 units. */
const IDENTITY_CHARACTERS_MAX = 200;

function readIdentity(env: Bindings): Identity {
	const line = (name: "REGISTRY_NAME" | "OPERATOR_NAME" | "OPERATOR_ADDRESS") => {
		const text = env[name]?.trim().normalize("NFC") || undefined;
		if (text && (text.length > IDENTITY_CHARACTERS_MAX || /\p{Cc}/u.test(text))) {
			throw new ConfigError(`${name} is not one line of at most ${IDENTITY_CHARACTERS_MAX} characters`);
		}
		return text;
	};
	const crest = env.REGISTRY_CREST || undefined;
	if (crest && !/^[\w-]{1,100}\.svg$/.test(crest)) {
		throw new ConfigError("REGISTRY_CREST is not the name of an SVG file in the bucket, such as crest-1.svg");
	}
	return {
		registryName: line("REGISTRY_NAME"),
		crest,
		operatorName: line("OPERATOR_NAME"),
		operatorAddress: line("OPERATOR_ADDRESS"),
		operatorContact: readContact("OPERATOR_CONTACT", env.OPERATOR_CONTACT),
		privacyUrl: readContact("PRIVACY_URL", env.PRIVACY_URL, /^https:$/),
	};
}

function proveShare(name: string, value: string | number | undefined): void {
	if (value !== undefined && !(/^[\d.]+$/.test(String(value)) && Number(value) <= 1)) {
		throw new ConfigError(`${name} is not a number from 0 to 1`);
	}
}

/** Whose access policy decides who is an operator. */
const CLOUDFLARE_ACCESS = /^https:\/\/[\w-]+\.cloudflareaccess\.com$/;

function readProviderKeys(issuer: string, text: string | undefined): JSONWebKeySet | URL {
	if (text?.startsWith("{")) {
		let set: { keys?: unknown } = {};
		try {
			set = JSON.parse(text) as typeof set;
		} catch {}
		if (!Array.isArray(set.keys) || set.keys.length === 0)
			throw new ConfigError("OPERATORS_JWKS is not a JWKS with keys");
		return set as JSONWebKeySet;
	}
	const url = text ?? `${issuer}/cdn-cgi/access/certs`;
	if (!URL.canParse(url) || new URL(url).protocol !== "https:") {
		throw new ConfigError("OPERATORS_JWKS is neither an https URL nor a JWKS");
	}
	return new URL(url);
}

function readOperators(env: Bindings): OperatorSettings | undefined {
	const { OPERATORS_ISSUER: issuer, OPERATORS_AUDIENCE: audience, OPERATORS_JWKS, OPERATORS } = env;
	if (!issuer) return undefined;
	if (!audience) throw new ConfigError("OPERATORS_ISSUER is set and OPERATORS_AUDIENCE is not");
	if (!OPERATORS && !CLOUDFLARE_ACCESS.test(issuer)) {
		throw new ConfigError("OPERATORS is not set, so everyone whom OPERATORS_ISSUER knows would be an operator");
	}
	const admitted = OPERATORS ? readList(OPERATORS.toLowerCase()) : undefined;
	if (admitted?.some((email) => !/^[^@\s]+@[^@\s]+$/.test(email))) {
		throw new ConfigError("OPERATORS is not a list of e-mail addresses separated by commas");
	}
	const keys = readProviderKeys(issuer, OPERATORS_JWKS || undefined);
	const isCloudflareAccess = CLOUDFLARE_ACCESS.test(issuer);
	return { issuer, audience, keys, admitted: admitted && new Set(admitted), isCloudflareAccess };
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
	if (!isProtected(url)) throw new ConfigError("OTP_GATEWAY_URL is not an https URL");
	return { url, token };
}

/** Whether what is posted to a URL stays secret on its way: by TLS, or because it stays on this machine. */
function isProtected(url: string): boolean {
	const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "" };
	return protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1");
}

function readAlertUrl(url: string | undefined): string | undefined {
	if (url && !isProtected(url)) throw new ConfigError("ALERT_URL is not an https URL");
	return url || undefined;
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

/** The bindings of the rate limits that the platform keeps. */
export const rateLimitNames = Object.keys(perMinute) as (keyof typeof perMinute)[];

/** The name of a database that holds the addresses of a country or, by the first digits of their numbers, of some of its zones. */
const ADDRESSES_DATABASE = /^DB_([A-Z]{2})(?:_(\d{1,10}))?$/;

/**
 * Which binding holds the addresses of a country, such as `NG`, or of its zones whose numbers begin with a digit, such as `NG0`. All others
 * lie in `DB`.
 * @param bindings Names of bindings; those of other things count for nothing.
 * @throws ConfigError for a name that is none of a database, or two that claim the same.
 */
export function readDatabases(bindings: readonly string[]): ReadonlyMap<string, string> {
	const names = new Map<string, string>();
	for (const name of bindings.filter((key) => key.startsWith("DB_"))) {
		const [, country, digits] = ADDRESSES_DATABASE.exec(name) ?? [];
		if (!country)
			throw new ConfigError(
				`The binding ${name} is not named as a database: DB_NG or, for numbers by their first digits, DB_NG_01234`,
			);
		if (country === SANDBOX_COUNTRY)
			throw new ConfigError(`The binding ${name} names the sandbox, whose addresses stay in DB: take it away`);
		for (const prefix of digits ? Array.from(digits, (digit) => country + digit) : [country]) {
			const other = names.get(prefix);
			if (other) throw new ConfigError(`The bindings ${other} and ${name} both claim ${prefix}: name each prefix once`);
			names.set(prefix, name);
		}
	}
	return names;
}

function proveConfig(env: Bindings) {
	for (const name of ["DB", "ZONES", "ASSETS", ...rateLimitNames] as const) {
		if (!env[name]) throw new ConfigError(`The binding ${name} is missing`);
	}
	proveShare("LOG_REQUESTS", env.LOG_REQUESTS);
	return {
		/** The bindings of databases that hold addresses, by the country or the country and first digit; empty where all lie in DB. */
		databases: readDatabases(Object.keys(env)),
		/** Newest first: the first signs. */
		signingSecrets: readSigningSecrets(env.JWT_SECRETS),
		/** Without a trailing slash. */
		webUrl: readWebUrl(env.WEB_URL),
		limits: readLimits(env),
		identity: readIdentity(env),
		/** Undefined while nobody operates the registry by its API and pages. */
		operators: readOperators(env),
		/** Whether holders may make an address private. Those that are stay so. */
		hasPrivateAddresses: readSwitch("PRIVATE_ADDRESSES", env.PRIVATE_ADDRESSES),
		/** Whether browsers keep pages for when there is no network. */
		hasOfflinePages: readSwitch("OFFLINE_PAGES", env.OFFLINE_PAGES),
		/** A mailto: or https: URL. */
		securityContact: readContact("SECURITY_CONTACT", env.SECURITY_CONTACT),
		/** Where incidents are posted; they are logged alone when undefined. */
		alertUrl: readAlertUrl(env.ALERT_URL),
		apiKeyPrefix: readApiKeyPrefix(env.API_KEY_PREFIX),
		/** Undefined while one-time codes are disabled. */
		otpGateway: readOtpGateway(env.OTP_GATEWAY_URL, env.OTP_GATEWAY_TOKEN),
		smsNumbers: readSmsNumbers(env.OTP_CALLING_CODES, env.OTP_NUMBER_TYPES),
	};
}

const proved = new WeakMap<Bindings, Config>();

/**
 * The settings that the runtime binds to the Worker. They are read once: an isolate keeps one `env` for life, and a change of a setting
 * starts new isolates.
 * @throws ConfigError that names the binding, secret or setting which is missing or wrong.
 */
export function readConfig(env: Bindings): Config {
	const config = proved.get(env) ?? proveConfig(env);
	proved.set(env, config);
	return config;
}
