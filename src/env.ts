import type { JSONWebKeySet } from "jose";
import * as z from "zod/mini";
import { SANDBOX_COUNTRY } from "./codes/sandbox.ts";
import { limitSettings, perMinute } from "./limits/policy.ts";
import { log } from "./logs/log.ts";
import { type LazySchema, lazy, type ValueOf } from "./schemas/lazy.ts";

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

/** A secret with a name, by which what it has signed or encrypted tells which one it was. */
export interface SigningSecret {
	/** The `kid` in a token's header, and the key of an entry of the journal. */
	id: string;
	secret: Uint8Array;
}

/** Newest first: the first signs or encrypts, all verify and decrypt. */
export type SigningSecrets = [SigningSecret, ...SigningSecret[]];

/** The issuer of the tokens that `npm run registry -- operator-token` makes. They count on a developer's machine alone. */
export const LOCAL_ISSUER = "local";

/** The bindings of the rate limits that the platform keeps. */
export const rateLimitNames = Object.keys(perMinute) as (keyof typeof perMinute)[];

/** A setting without which the registry cannot or must not serve. The message names it and never holds its value. */
export class ConfigError extends Error {
	override name = "ConfigError";
}

/** The secret of `.dev.vars.example`, which everybody can read. The "Deploy to Cloudflare" button offers it as the value to replace. */
const EXAMPLE_SECRET = "replace-this-by-the-output-of-openssl-rand-base64-48";
/** HMAC-SHA-256 wants a key at least as long as its output, 32 bytes (RFC 7518 section 3.2). */
const SECRET_BYTES_MIN = 32;

/** Signing secrets as `id:secret`, separated by commas. */
const signingSecrets = lazy(() =>
	z.pipe(
		z.string("is not set"),
		z.transform((text, { issues }) => {
			// Without an input: no error may hold a secret.
			const refuse = (message: string) => issues.push({ code: "custom", message, input: undefined });
			const secrets = text.split(",").map((entry): SigningSecret => {
				const [, id = "", secret = ""] = /^\s*([\w-]{1,32}):(\S+)\s*$/.exec(entry) ?? [];
				const bytes = new TextEncoder().encode(secret);
				if (!id) refuse("is not a list of id:secret separated by commas");
				else if (secret === EXAMPLE_SECRET) refuse(`has as ${id} the public example of .dev.vars.example`);
				else if (bytes.length < SECRET_BYTES_MIN) refuse(`has a secret ${id} of fewer than ${SECRET_BYTES_MIN} bytes`);
				return { id, secret: bytes };
			});
			if (new Set(secrets.map(({ id }) => id)).size < secrets.length) refuse("has one id twice");
			return secrets as SigningSecrets;
		}),
	),
);

/** The names of secrets that each have a use of their own, so that whoever has one has nothing of the others. */
export const SECRET_NAMES = ["JWT_SECRETS", "SHARE_SECRETS", "JOURNAL_SECRETS"] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/** Reads secrets for a command. @throws ConfigError for a list that is missing or unusable. */
export function readSigningSecrets(text: string | undefined, name: SecretName = "JWT_SECRETS"): SigningSecrets {
	const { data, error } = signingSecrets().safeParse(text || undefined);
	if (!data) throw new ConfigError(`${name} ${error.issues[0]?.message}`);
	return data;
}

/**
 * A variable: text, without spaces around it.
 * @param fault What is wrong with one that cannot be used. It completes a sentence that begins with the variable's name.
 * @param read Makes its value of it; undefined where it cannot be used.
 */
const variable = <Value>(fault: string, read: (text: string) => Value | undefined) =>
	lazy(() =>
		z.transform((text: unknown, { issues }): Value => {
			const value = typeof text === "string" ? read(text) : undefined;
			const message = typeof text === "string" ? fault : "is not a text";
			if (value === undefined) issues.push({ code: "custom", message, input: undefined });
			return value as Value;
		}),
	);

/** Texts separated by commas. */
const listOf = (pattern: RegExp, fault: string, spell = (entry: string) => entry) =>
	variable(fault, (text) => {
		const entries = text.split(",").map((entry) => spell(entry.trim()));
		return entries.every((entry) => pattern.test(entry)) ? entries : undefined;
	});

const matching = (pattern: RegExp, fault: string) => variable(fault, (text) => (pattern.test(text) ? text : undefined));

const limitOf = ({ min, max }: { min: number; max: number }) =>
	variable(`is not an integer from ${min} to ${max}`, (text) =>
		/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
	);

const binding = <Bound>() => lazy(() => z.custom<Bound>(Boolean, "is a binding that is missing"));

const EMAIL = /^[^@\s]+@[^@\s]+$/;

/** The URL that is meant by a text: people also write a domain or an e-mail address, without a protocol. */
function readLink(text: string, protocols: RegExp): string | undefined {
	const isDomain = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/\S*)?$/.test(text);
	const link = isDomain ? `https://${text}` : /^[^@\s:/]+@[^@\s:/]+$/.test(text) ? `mailto:${text}` : text;
	return protocols.test(URL.parse(link)?.protocol ?? "") ? link : undefined;
}

const linkOf = (protocols: RegExp, example: string) =>
	variable(`is not a URL such as ${example}`, (text) => readLink(text, protocols));

const contact = () => linkOf(/^(mailto|https):$/, "mailto:office@addr.example");

/** A URL to which what is posted stays secret on its way: by TLS, or because it stays on this machine. */
const protectedUrl = () =>
	matching(/^(https:\/\/[^\s/]+|http:\/\/127\.0\.0\.1(:\d+)?)(\/\S*)?$/, "is not an https URL");

/** A name or a postal address, on one line. */
const nameOf = () =>
	variable("is longer than 200 characters", (text) => {
		const line = text
			.replace(/\s*[\r\n]\s*/g, ", ")
			.replace(/\p{Cc}+/gu, " ")
			.normalize("NFC");
		return line.length > 200 ? undefined : line;
	});

const onOrOff = () =>
	variable("is neither on nor off", (text) =>
		/^(on|true|yes|1)$/i.test(text) ? true : /^(off|false|no|0)$/i.test(text) ? false : undefined,
	);

/** Types of phone numbers, as libphonenumber names them, and that of a number which it does not know. */
const NUMBER_TYPES =
	/^(MOBILE|FIXED_LINE_OR_MOBILE|FIXED_LINE|VOIP|PERSONAL_NUMBER|PAGER|UAN|VOICEMAIL|TOLL_FREE|SHARED_COST|PREMIUM_RATE|UNKNOWN)$/;

/** Whose access policy decides who is an operator. */
const CLOUDFLARE_ACCESS = /^https:\/\/[\w-]+\.cloudflareaccess\.com$/;

function readProviderKeys(text: string): JSONWebKeySet | URL | undefined {
	if (text.startsWith("https:") && URL.canParse(text)) return new URL(text);
	try {
		const set = JSON.parse(text) as Partial<JSONWebKeySet>;
		return set.keys?.length ? (set as JSONWebKeySet) : undefined;
	} catch {
		return undefined;
	}
}

const each = <Key extends string, Value>(names: Key[], make: (name: Key) => Value) =>
	Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Key, Value>;

const limitNames = Object.keys(limitTable) as LimitName[];

/** What nothing can be served without. */
const required = {
	DB: binding<D1Database>(),
	ZONES: binding<R2Bucket>(),
	/** What .dev/build.ts deploys beside the Worker: the documentation, and a copy of the zone index for a bucket that has none. */
	ASSETS: binding<Fetcher>(),
	...each(rateLimitNames, () => binding<RateLimit>()),
	/** Secrets as `id:secret`, separated by commas; the first signs, all verify. Of access tokens, and of hashes that nobody is to guess. */
	JWT_SECRETS: signingSecrets,
	/** Of links to private addresses. */
	SHARE_SECRETS: signingSecrets,
	/** The first encrypts the journal and signs its record, and backups; the Worker reads none of that. */
	JOURNAL_SECRETS: signingSecrets,
};

/** What may be set besides. */
const optional = {
	...each(limitNames, (name) => limitOf(limitTable[name])),
	/** Public origin of the links in QR codes, such as `https://addr.example`; the origin of the request when unset. */
	WEB_URL: variable("is not an origin such as https://addr.example", (text) => {
		const link = readLink(text.replace(/\/$/, ""), /^https?:$/);
		return link && new URL(link).origin;
	}),
	/** What the registry is called on its pages and signs, such as `Lagos Address Registry`. */
	REGISTRY_NAME: nameOf(),
	REGISTRY_CREST: matching(/^[\w-]{1,100}\.svg$/, "is not the name of an SVG file in the bucket, such as crest-1.svg"),
	/** Whose numbers and codes people mean where they name no country (ISO 3166-1 alpha-2). */
	REGISTRY_COUNTRY: variable("is not the two letters of a country, such as NG", (text) =>
		/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : undefined,
	),
	/** Who runs it, where they can be reached (a mailto: or https: URL), and their postal address. */
	OPERATOR_NAME: nameOf(),
	OPERATOR_CONTACT: contact(),
	OPERATOR_ADDRESS: nameOf(),
	/** The operator's own privacy notice, which takes the place of the one at /privacy. */
	PRIVACY_URL: linkOf(/^https:$/, "https://addr.example/privacy"),
	/** The identity provider whose tokens operators carry, such as `https://team.cloudflareaccess.com`; without it, there are none. */
	OPERATORS_ISSUER: variable("", (text) => text),
	/** What its tokens are for. */
	OPERATORS_AUDIENCE: variable("", (text) => text),
	/** Its keys: a URL, or the JWKS itself. */
	OPERATORS_JWKS: variable("is neither an https URL nor a JWKS with keys", readProviderKeys),
	/** E-mail addresses of operators, separated by commas. */
	OPERATORS: listOf(EMAIL, "is not a list of e-mail addresses separated by commas", (email) => email.toLowerCase()),
	/** `off` where every address is to be public. */
	PRIVATE_ADDRESSES: onOrOff(),
	/** `off` where no browser is to keep pages for when there is no network. */
	OFFLINE_PAGES: onOrOff(),
	/** Where to report a weakness: a mailto: or https: URL, which /.well-known/security.txt names. */
	SECURITY_CONTACT: contact(),
	/** Secret. Where incidents are posted as JSON. */
	ALERT_URL: protectedUrl(),
	/** Share of requests that are logged, from 0 to 1; none when unset, because lines of the log cost more than the requests. */
	LOG_REQUESTS: variable("is not a number from 0 to 1", (text) =>
		/^[\d.]+$/.test(text) && Number(text) <= 1 ? Number(text) : undefined,
	),
	/** What API keys start with, such as `addr` in `addr_live_...`. */
	API_KEY_PREFIX: matching(
		/^[a-z][a-z0-9]{1,15}$/,
		"is not 2 to 16 lower-case letters and digits that start with a letter",
	),
	/** Where one-time codes are posted to be sent as SMS; one-time codes are disabled while it is unset. */
	OTP_GATEWAY_URL: protectedUrl(),
	/** Secret. The bearer token of the gateway. */
	OTP_GATEWAY_TOKEN: variable("", (text) => text),
	/** Country calling codes to which one-time codes are sent, such as `234,254`; those of all countries when unset. */
	OTP_CALLING_CODES: listOf(/^[1-9]\d{0,2}$/, "is not a list of country calling codes such as 234,254", (code) =>
		code.replace(/^\+/, ""),
	),
	/** Types of numbers to which one-time codes are sent, such as `MOBILE,UNKNOWN`. */
	OTP_NUMBER_TYPES: listOf(NUMBER_TYPES, "is not a list of types of numbers such as MOBILE,UNKNOWN"),
};

const variables: Record<string, LazySchema> = { ...required, ...optional };

/** The settings as they were read. */
type Settings = { [Name in keyof typeof required]: ValueOf<(typeof required)[Name]> } & {
	[Name in keyof typeof optional]?: ValueOf<(typeof optional)[Name]>;
};

/** What the runtime binds to the Worker (wrangler.toml). */
export interface Bindings
	extends Omit<Settings, keyof typeof optional | SecretName>,
		Partial<Record<keyof typeof optional, string | number | boolean> & Record<SecretName, string>> {
	/** The version of the Worker. */
	VERSION?: WorkerVersionMetadata;
	/** Where each request is counted by route, status, country, error and time (Workers Analytics Engine). */
	METRICS?: AnalyticsEngineDataset;
}

/** Variables without which something is erased earlier than was meant, and for good. */
const ERASING = /^(PHONE_RESERVED|ACCOUNT_ERASURE|RETIRED_ADDRESSES_KEPT|REVOKED_KEYS_KEPT)_DAYS$/;

/** What is left out with a variable, where it would reach more people without it. */
const STANDS_FOR: Partial<Record<string, keyof typeof optional>> = {
	OPERATORS: "OPERATORS_ISSUER",
	OPERATORS_AUDIENCE: "OPERATORS_ISSUER",
	OPERATORS_JWKS: "OPERATORS_ISSUER",
	OTP_CALLING_CODES: "OTP_GATEWAY_URL",
};

/** The schema of the settings that are there, and of those that must be: an isolate reads it in 3.3 ms, and a schema of all in 8.5. */
function settingsAmong(given: object): z.ZodMiniType<Settings> {
	const names = Object.keys(variables).filter((name) => name in given || name in required);
	const schema = z.object(Object.fromEntries(names.map((name) => [name, variables[name]!()])));
	const operated = (name: string, error: string, holds: (settings: Partial<Settings>, issuer: string) => unknown) =>
		z.refine<Partial<Settings>>(
			(settings) => !settings.OPERATORS_ISSUER || holds(settings, settings.OPERATORS_ISSUER),
			{
				path: [name],
				error,
			},
		);
	/** The texts of secrets, since bytes are compared by their place in memory. */
	const textsOf = (secrets: SigningSecret[] = []) => secrets.map(({ secret }) => String(secret));
	const apart = (name: SecretName) =>
		z.refine<Partial<Settings>>(
			(settings) => {
				const others = SECRET_NAMES.filter((other) => other !== name).flatMap((other) => textsOf(settings[other]));
				return !textsOf(settings[name]).some((text) => others.includes(text));
			},
			{ path: [name], error: "has a secret that another one has too, and each needs its own" },
		);
	return schema.check(
		apart("SHARE_SECRETS"),
		apart("JOURNAL_SECRETS"),
		operated("OPERATORS_AUDIENCE", "is not set, and OPERATORS_ISSUER is", (settings) => settings.OPERATORS_AUDIENCE),
		operated(
			"OPERATORS",
			"is not set, so everyone whom OPERATORS_ISSUER knows would be an operator",
			({ OPERATORS }, issuer) => OPERATORS || CLOUDFLARE_ACCESS.test(issuer),
		),
		operated(
			"OPERATORS_JWKS",
			"is not set, and OPERATORS_ISSUER is no https URL",
			({ OPERATORS_JWKS }, issuer) => OPERATORS_JWKS || /^https:/.test(issuer),
		),
	) as unknown as z.ZodMiniType<Settings>;
}

/** Says what is wrong with a setting, and what the registry does about it. */
function faultIn(name: string, message = ""): string {
	const stops = name in required || ERASING.test(name);
	const consequence = stops
		? "does not serve until that is mended"
		: `serves as if ${STANDS_FOR[name] ?? name} were not set`;
	return `${name} ${message}. The registry ${consequence}.`;
}

/** What is wrong with a variable by itself, as a sentence; undefined where nothing is. */
export function faultOf(name: string, value: unknown): string | undefined {
	const text = String(value).trim();
	const error = text ? variables[name]?.().safeParse(text).error : undefined;
	return error && faultIn(name, error.issues[0]?.message);
}

/**
 * Reads the settings, and leaves out what cannot be used. It is logged, and so is what was taken to mean something else.
 * @throws ConfigError that names each binding, secret or setting which the registry cannot serve without.
 */
function readSettings(env: Bindings): Settings {
	const given: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(env)) {
		const text = /^(string|number|boolean)$/.test(typeof value) ? String(value).trim() : value;
		if (text !== "" && text !== undefined) given[name] = text;
	}
	for (;;) {
		const { data, error } = settingsAmong(given).safeParse(given);
		for (const [name, value] of Object.entries(data ?? {})) {
			const text = String(given[name]).normalize().replace(/\/$/, "");
			if (typeof value === "string" && value.replace(/\/$/, "") !== text)
				log("warn", "setting_mended", { message: `${name} was read as ${value}. Write it like that.` });
		}
		if (data) return data;
		const faults = error.issues.map(({ path, message }) => ({ name: String(path[0]), message }));
		const stops = faults.filter(({ name }) => name in required || ERASING.test(name));
		if (stops.length > 0) throw new ConfigError(stops.map(({ name, message }) => faultIn(name, message)).join(" "));
		for (const { name, message } of faults) {
			log("error", "setting_left_out", { message: faultIn(name, message) });
			delete given[name];
			delete given[STANDS_FOR[name] ?? name];
		}
	}
}

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
	const data = readSettings(env);
	const { OPERATORS_ISSUER: issuer, OPERATORS_AUDIENCE: audience } = data;
	return {
		/** The bindings of databases that hold addresses, by the country or the country and first digit; empty where all lie in DB. */
		databases: readDatabases(Object.keys(env)),
		/** Of access tokens and keyed hashes. Newest first: the first signs. */
		signingSecrets: data.JWT_SECRETS,
		/** Of links to private addresses. */
		shareSecrets: data.SHARE_SECRETS,
		/** Of the journal. */
		journalSecrets: data.JOURNAL_SECRETS,
		/** Without a trailing slash. */
		webUrl: data.WEB_URL,
		limits: each(limitNames, (name) => data[name] ?? limitTable[name].default) as Limits,
		/** Who stands behind the registry, as its pages say. Undefined is what the operator has not said. */
		identity: {
			registryName: data.REGISTRY_NAME,
			country: data.REGISTRY_COUNTRY,
			/** The key of an SVG file in the bucket. */
			crest: data.REGISTRY_CREST,
			operatorName: data.OPERATOR_NAME,
			/** A mailto: or https: URL. */
			operatorContact: data.OPERATOR_CONTACT,
			operatorAddress: data.OPERATOR_ADDRESS,
			/** An https: URL. */
			privacyUrl: data.PRIVACY_URL,
		},
		/** How operators are known; undefined while nobody operates the registry by its API and pages. */
		operators:
			issuer && audience
				? {
						/** The `iss` of tokens, such as https://team.cloudflareaccess.com, and their `aud`. */
						issuer,
						audience,
						/** The provider's keys (RFC 7517), or the URL that answers them. */
						keys: data.OPERATORS_JWKS ?? new URL(`${issuer}/cdn-cgi/access/certs`),
						/** E-mail addresses of operators, in lower case; undefined where the provider's own policy decides, as with Cloudflare Access. */
						admitted: data.OPERATORS && (new Set(data.OPERATORS) as ReadonlySet<string>),
						/** Whether it is Cloudflare Access, which verifies every address itself and says how long a session lasts. */
						isCloudflareAccess: CLOUDFLARE_ACCESS.test(issuer),
					}
				: undefined,
		/** Whether holders may make an address private. Those that are stay so. */
		hasPrivateAddresses: data.PRIVATE_ADDRESSES ?? true,
		/** Whether browsers keep pages for when there is no network. */
		hasOfflinePages: data.OFFLINE_PAGES ?? true,
		/** A mailto: or https: URL. */
		securityContact: data.SECURITY_CONTACT,
		/** Where incidents are posted; they are logged alone when undefined. */
		alertUrl: data.ALERT_URL,
		/** From 0 to 1. */
		shareLogged: data.LOG_REQUESTS ?? 0,
		apiKeyPrefix: data.API_KEY_PREFIX ?? "addr",
		/**
		 * The service that sends one-time codes as SMS, and its bearer token; undefined while they are disabled. A variable and a secret
		 * are never set in the same instant: half a gateway is none, and must not stop the rest.
		 */
		otpGateway:
			data.OTP_GATEWAY_URL && data.OTP_GATEWAY_TOKEN
				? { url: data.OTP_GATEWAY_URL, token: data.OTP_GATEWAY_TOKEN }
				: undefined,
		/** The numbers to which one-time codes are sent. */
		smsNumbers: {
			/** Country calling codes without the plus sign; undefined for those of all countries. */
			callingCodes: data.OTP_CALLING_CODES && new Set(data.OTP_CALLING_CODES),
			types: new Set(data.OTP_NUMBER_TYPES ?? ["MOBILE", "FIXED_LINE_OR_MOBILE", "UNKNOWN"]),
		},
	};
}

/** Settings, read and proved before any request is answered. */
export type Config = ReturnType<typeof proveConfig>;
export type Identity = Partial<Record<keyof Config["identity"], string | undefined>>;
export type OperatorSettings = NonNullable<Config["operators"]>;
export type OtpGateway = NonNullable<Config["otpGateway"]>;
export type SmsNumbers = Config["smsNumbers"];

const proved = new WeakMap<Bindings, Config>();

/**
 * The settings that the runtime binds to the Worker. They are read once: an isolate keeps one `env` for life, and a change of a setting
 * starts new isolates. What was mended or left out is logged then.
 * @throws ConfigError that names the bindings, secrets or settings which are missing or wrong, and without which nothing may be served.
 */
export function readConfig(env: Bindings): Config {
	const config = proved.get(env) ?? proveConfig(env);
	proved.set(env, config);
	return config;
}
