import type { SigningSecrets } from "./accounts/access-token.ts";

/** What the runtime binds to the Worker (wrangler.toml), as text where it is a setting. */
export interface Bindings {
	DB: D1Database;
	ZONES: R2Bucket;
	/** Secret. Signing secrets as `id:secret`, separated by commas; the first signs, all verify. */
	JWT_SECRETS?: string;
	/** Public origin of the links in QR codes, such as `https://addr.example`; the origin of the request when unset. */
	WEB_URL?: string;
}

/** Settings, read and proved at the door of every request. */
export interface Config {
	/** Newest first: the first signs. */
	signingSecrets: SigningSecrets;
	/** Without a trailing slash. */
	webUrl: string | undefined;
}

/** A setting that is missing or unusable. The message names it and never holds its value. */
export class ConfigError extends Error {
	override name = "ConfigError";
}

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

/**
 * Reads and proves the settings.
 * @throws ConfigError that names the binding, secret or setting which is missing or wrong.
 */
export function readConfig(env: Bindings): Config {
	if (!env.DB) throw new ConfigError("The D1 binding DB is missing");
	if (!env.ZONES) throw new ConfigError("The R2 binding ZONES is missing");
	return { signingSecrets: readSigningSecrets(env.JWT_SECRETS), webUrl: readWebUrl(env.WEB_URL) };
}
