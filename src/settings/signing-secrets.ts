import * as z from "zod/mini";
import { ConfigError } from "../errors.ts";
import { lazy } from "../schemas/lazy.ts";

/** A secret that signs or encrypts, with an id. */
export interface SigningSecret {
	/** The `kid` in the header of a token, and the key id of a journal entry. */
	id: string;
	secret: Uint8Array;
}

/** Newest first: the first signs or encrypts, all verify and decrypt. */
export type SigningSecrets = [SigningSecret, ...SigningSecret[]];

/** The secret of `.dev.vars.example`, which everybody can read. The "Deploy to Cloudflare" button offers it as the value to replace. */
const EXAMPLE_SECRET = "replace-this-by-the-output-of-openssl-rand-base64-48";
/** HMAC-SHA-256 requires a key at least as long as its output, 32 bytes (RFC 7518 section 3.2). */
const SECRET_BYTES_MIN = 32;

/** Signing secrets as `id:secret`, separated by commas. */
export const signingSecrets = lazy(() =>
	z.pipe(
		z.string("is not set"),
		z.transform((text, { issues }) => {
			// Without the input, because no error may hold a secret.
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

/** The names of the secrets. Each has a use of its own, so that whoever has one has nothing of the others. */
export const SECRET_NAMES = ["JWT_SECRETS", "SHARE_SECRETS", "JOURNAL_SECRETS"] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/** Reads secrets for a command. @throws ConfigError if the list is missing or unusable. */
export function readSigningSecrets(text: string | undefined, name: SecretName = "JWT_SECRETS"): SigningSecrets {
	const { data, error } = signingSecrets().safeParse(text || undefined);
	if (!data) throw new ConfigError(`${name} ${error.issues[0]?.message}`);
	return data;
}

/** The names of those that have a secret which another one has too. */
export function sharingSecrets(secrets: Readonly<Record<SecretName, SigningSecrets>>): SecretName[] {
	// As texts, since byte arrays are compared by identity.
	const textsOf = (name: SecretName) => secrets[name].map(({ secret }) => String(secret));
	return SECRET_NAMES.slice(1).filter((name) => {
		const others = SECRET_NAMES.filter((other) => other !== name).flatMap(textsOf);
		return textsOf(name).some((text) => others.includes(text));
	});
}
