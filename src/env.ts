import { ConfigError } from "./errors.ts";
import { log } from "./logs/log.ts";
import type { LazySchema, ValueOf } from "./schemas/lazy.ts";
import { readDatabases } from "./settings/database-bindings.ts";
import { goneSettings } from "./settings/gone-settings.ts";
import { rateLimitBindings } from "./settings/limits.ts";
import { erasingNumbers, type NumberSettings, numberNames, numberSettings } from "./settings/number-settings.ts";
import { type SecretName, sharingSecrets, signingSecrets } from "./settings/signing-secrets.ts";
import {
	anyText,
	binding,
	callingCodes,
	contact,
	countryCode,
	emails,
	type Fault,
	fileOfBucket,
	integer,
	keyPrefix,
	linkOf,
	onOrOff,
	origin,
	protectedUrl,
	providerKeys,
	readVariables,
	singleLine,
} from "./settings/variables.ts";

/** An issuer whose own access policy decides who is an operator. */
const CLOUDFLARE_ACCESS = /^https:\/\/[\w-]+\.cloudflareaccess\.com$/;

const each = <Key extends string, Value>(names: Key[], make: (name: Key) => Value) =>
	Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Key, Value>;

/** The bindings and secrets without which the registry does not serve. */
const required = {
	DB: binding<D1Database>(),
	ZONES: binding<R2Bucket>(),
	/** The files that .dev/build.ts deploys beside the Worker: the documentation, and a copy of the zone index for a bucket that has none. */
	ASSETS: binding<Fetcher>(),
	...each(rateLimitBindings, () => binding<RateLimit>()),
	/**
	 * The secrets of access tokens and of hashes that must not be guessable, as `id:secret`, separated by commas. The first signs, all
	 * verify.
	 */
	JWT_SECRETS: signingSecrets,
	/** The secrets of links to private addresses. */
	SHARE_SECRETS: signingSecrets,
	/** The secrets of the journal: the first encrypts it and signs its record, and backups. The Worker reads none of that. */
	JOURNAL_SECRETS: signingSecrets,
};

/** The settings that may be left out. */
const optional = {
	...each(numberNames, (name) => integer(numberSettings[name])),
	/** Public origin of the links in QR codes, such as `https://addr.example`; the origin of the request if unset. */
	WEB_URL: origin(),
	/** The name of the registry on its pages and signs, such as `Lagos Address Registry`. */
	REGISTRY_NAME: singleLine(),
	REGISTRY_CREST: fileOfBucket(),
	/** The country that numbers and codes belong to if people name none (ISO 3166-1 alpha-2). */
	REGISTRY_COUNTRY: countryCode(),
	/** Who runs the registry, where they can be reached (a mailto: or https: URL), and their postal address. */
	OPERATOR_NAME: singleLine(),
	OPERATOR_CONTACT: contact(),
	OPERATOR_ADDRESS: singleLine(),
	/** The operator's own privacy notice, which replaces the one at /privacy. */
	PRIVACY_URL: linkOf(/^https:$/, "https://addr.example/privacy"),
	/** The identity provider of operators' tokens, such as `https://team.cloudflareaccess.com`; if unset, there are no operators. */
	OPERATORS_ISSUER: anyText(),
	/** The audience that its tokens must have. */
	OPERATORS_AUDIENCE: anyText(),
	/** The keys of the identity provider: a URL, or the JWKS itself. */
	OPERATORS_JWKS: providerKeys(),
	/** E-mail addresses of operators, separated by commas. */
	OPERATORS: emails(),
	/** `off` if every address is to be public. */
	PRIVATE_ADDRESSES: onOrOff(),
	/** `off` if browsers are not to store pages for use without a network. */
	OFFLINE_PAGES: onOrOff(),
	/** Where to report a weakness: a mailto: or https: URL, which /.well-known/security.txt names. */
	SECURITY_CONTACT: contact(),
	/** Secret. The URL to which incidents are posted as JSON. */
	ALERT_URL: protectedUrl(),
	/** The start of API keys, such as `addr` in `addr_live_...`. */
	API_KEY_PREFIX: keyPrefix(),
	/** The URL to which one-time codes are posted to be sent as SMS. They are disabled while it is unset. */
	OTP_GATEWAY_URL: protectedUrl(),
	/** Secret. The bearer token of the SMS gateway. */
	OTP_GATEWAY_TOKEN: anyText(),
	/** Country calling codes to which one-time codes are sent, such as `234,254`; those of all countries if unset. */
	OTP_CALLING_CODES: callingCodes(),
};

/** The settings, as read. */
type Settings = { [Name in keyof typeof required]: ValueOf<(typeof required)[Name]> } & {
	[Name in keyof typeof optional]?: ValueOf<(typeof optional)[Name]>;
};

/** The bindings of the Worker (wrangler.toml). */
export interface Bindings
	extends Omit<Settings, keyof typeof optional | SecretName>,
		Partial<Record<keyof typeof optional, string | number | boolean> & Record<SecretName, string>> {
	/** The version of the Worker. */
	VERSION?: WorkerVersionMetadata;
	/** Counts each request by route, status, country, error and time (Workers Analytics Engine). */
	METRICS?: AnalyticsEngineDataset;
}

/** For a variable that restricts another: the other one, which is left out with it. Without the restriction, it would reach more people. */
const STANDS_FOR: Partial<Record<string, keyof typeof optional>> = {
	OPERATORS: "OPERATORS_ISSUER",
	OPERATORS_AUDIENCE: "OPERATORS_ISSUER",
	OPERATORS_JWKS: "OPERATORS_ISSUER",
	OTP_CALLING_CODES: "OTP_GATEWAY_URL",
};

/** The conflicts among settings that are each valid on their own. */
function conflictsIn(settings: Settings): Fault[] {
	const { OPERATORS_ISSUER: issuer, OPERATORS_AUDIENCE, OPERATORS, OPERATORS_JWKS } = settings;
	const faults: Fault[] = sharingSecrets(settings).map((name) => ({
		name,
		message: "has a secret that another one has too, and each needs its own",
	}));
	if (issuer && !OPERATORS_AUDIENCE)
		faults.push({ name: "OPERATORS_AUDIENCE", message: "is not set, and OPERATORS_ISSUER is" });
	if (issuer && !OPERATORS && !CLOUDFLARE_ACCESS.test(issuer))
		faults.push({
			name: "OPERATORS",
			message: "is not set, so everyone whom OPERATORS_ISSUER knows would be an operator",
		});
	if (issuer && !OPERATORS_JWKS && !/^https:/.test(issuer))
		faults.push({ name: "OPERATORS_JWKS", message: "is not set, and OPERATORS_ISSUER is no https URL" });
	return faults;
}

/** Whether nothing may be served while a setting cannot be used. */
const isVital = (name: string) => name in required || erasingNumbers.includes(name);

/** A sentence on what is wrong with a setting, and what the registry does about it. */
function sentenceOf({ name, message }: Fault): string {
	const consequence = isVital(name)
		? "does not serve until that is mended"
		: `serves as if ${STANDS_FOR[name] ?? name} were not set`;
	return `${name} ${message}. The registry ${consequence}.`;
}

/** What is wrong with a variable on its own, as a sentence; undefined if nothing is. */
export function faultOf(name: string, value: unknown): string | undefined {
	const schema = ({ ...required, ...optional } as Record<string, LazySchema>)[name];
	const [fault] = schema ? readVariables({ [name]: value }, {}, { [name]: schema }).faults : [];
	return fault && sentenceOf(fault);
}

/**
 * Leaves out settings that cannot be used, and logs why.
 * @throws ConfigError that names each of them without which the registry cannot serve.
 */
function leaveOut(settings: Partial<Settings>, faults: readonly Fault[]): void {
	const vital = faults.filter(({ name }) => isVital(name));
	if (vital.length > 0) throw new ConfigError(vital.map(sentenceOf).join(" "));
	for (const fault of faults) {
		log("error", "setting_left_out", { message: sentenceOf(fault) });
		const name = fault.name as keyof Settings;
		delete settings[name];
		delete settings[STANDS_FOR[name] ?? name];
	}
}

/**
 * Reads the settings, without those that cannot be used. Logs what was left out, what was read differently from how it was written, and
 * what is no setting any more.
 * @throws ConfigError that names each binding, secret or setting without which the registry cannot serve.
 */
function readSettings(env: Bindings): Settings {
	const { values, faults, mended } = readVariables(env, required, optional);
	const settings = values as Settings;
	leaveOut(settings, faults);
	leaveOut(settings, conflictsIn(settings));
	for (const message of mended) log("warn", "setting_mended", { message });
	for (const message of goneSettings(env)) log("warn", "setting_gone", { message });
	return settings;
}

function proveConfig(env: Bindings) {
	const data = readSettings(env);
	const { OPERATORS_ISSUER: issuer, OPERATORS_AUDIENCE: audience } = data;
	return {
		/** The bindings of databases that hold addresses, by country or by country and first digit; empty if all addresses are in DB. */
		databases: readDatabases(Object.keys(env)),
		/** The secrets of access tokens and keyed hashes, newest first: the first signs. */
		signingSecrets: data.JWT_SECRETS,
		/** The secrets of links to private addresses. */
		shareSecrets: data.SHARE_SECRETS,
		/** The secrets of the journal. */
		journalSecrets: data.JOURNAL_SECRETS,
		/** The public origin of links, without a trailing slash; undefined to use that of the request. */
		webUrl: data.WEB_URL,
		numbers: each(numberNames, (name) => data[name] ?? numberSettings[name].default) as NumberSettings,
		/** Who stands behind the registry, as its pages say. A field is undefined if the operator has not set it. */
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
		/** How operators are recognised; undefined if nobody operates the registry through its API and pages. */
		operators:
			issuer && audience
				? {
						/** The `iss` of tokens, such as https://team.cloudflareaccess.com, and their `aud`. */
						issuer,
						audience,
						/** The provider's keys (RFC 7517), or the URL that serves them. */
						keys: data.OPERATORS_JWKS ?? new URL(`${issuer}/cdn-cgi/access/certs`),
						/** E-mail addresses of operators, in lower case; undefined if the provider's own policy decides, as with Cloudflare Access. */
						admitted: data.OPERATORS && (new Set(data.OPERATORS) as ReadonlySet<string>),
						/** Whether it is Cloudflare Access, which verifies every e-mail address itself and says how long a session lasts. */
						isCloudflareAccess: CLOUDFLARE_ACCESS.test(issuer),
					}
				: undefined,
		/** Whether holders may make an address private. Existing private addresses stay so. */
		hasPrivateAddresses: data.PRIVATE_ADDRESSES ?? true,
		/** Whether browsers store pages for use without a network. */
		hasOfflinePages: data.OFFLINE_PAGES ?? true,
		/** A mailto: or https: URL. */
		securityContact: data.SECURITY_CONTACT,
		/** The URL to which incidents are posted; if undefined, they are only logged. */
		alertUrl: data.ALERT_URL,
		apiKeyPrefix: data.API_KEY_PREFIX ?? "addr",
		/**
		 * The service that sends one-time codes as SMS, and its bearer token; undefined while they are disabled. A variable and a secret are
		 * never set at the same instant, so a gateway with only one of them counts as none and does not stop the rest.
		 */
		otpGateway:
			data.OTP_GATEWAY_URL && data.OTP_GATEWAY_TOKEN
				? { url: data.OTP_GATEWAY_URL, token: data.OTP_GATEWAY_TOKEN }
				: undefined,
		/** The country calling codes, without the plus sign, to which one-time codes are sent; undefined for those of all countries. */
		smsCallingCodes: data.OTP_CALLING_CODES && (new Set(data.OTP_CALLING_CODES) as ReadonlySet<string>),
	};
}

/** The settings, read and checked before any request is answered. */
export type Config = ReturnType<typeof proveConfig>;
export type Identity = Partial<Record<keyof Config["identity"], string | undefined>>;
export type OperatorSettings = NonNullable<Config["operators"]>;
export type OtpGateway = NonNullable<Config["otpGateway"]>;

const proved = new WeakMap<Bindings, Config>();

/**
 * Reads the settings that the runtime binds to the Worker, once: an isolate has one `env` for life, and a changed setting starts new
 * isolates. Settings that were read differently or left out are logged then.
 * @throws ConfigError that names the missing or wrong bindings, secrets or settings without which nothing may be served.
 */
export function readConfig(env: Bindings): Config {
	const config = proved.get(env) ?? proveConfig(env);
	proved.set(env, config);
	return config;
}
