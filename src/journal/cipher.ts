/** Encrypts what the journal holds, and signs its record and backups, under keys that are derived from the secrets of the journal. */
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";

/** Bytes of an initialisation vector of AES-GCM (NIST SP 800-38D section 8.2.1). */
const IV_BYTES = 12;

/** The `info` of HKDF that separates the journal's keys from others of the same secret (RFC 5869 section 3.2). */
const PURPOSE = new TextEncoder().encode("address-registry journal");

const keys = new WeakMap<Uint8Array, Promise<CryptoKey>>();

async function deriveKey(secret: Uint8Array): Promise<CryptoKey> {
	const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
	const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: PURPOSE };
	return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

function keyOf({ secret }: SigningSecret): Promise<CryptoKey> {
	const key = keys.get(secret) ?? deriveKey(secret);
	keys.set(secret, key);
	return key;
}

/** A text encrypted under a secret, with the address as additional authenticated data. */
export interface Encrypted {
	/** The initialisation vector, then AES-256-GCM's output. */
	bytes: Uint8Array;
	/** Names the secret. */
	keyId: string;
}

/** Encrypts a text for an address, under the newest secret. */
export async function encrypt([newest]: SigningSecrets, canonical: string, text: string): Promise<Encrypted> {
	const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
	const additionalData = new TextEncoder().encode(canonical);
	const sealed = await crypto.subtle.encrypt(
		{ name: "AES-GCM", iv, additionalData },
		await keyOf(newest),
		new TextEncoder().encode(text),
	);
	const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
	bytes.set(iv);
	bytes.set(new Uint8Array(sealed), IV_BYTES);
	return { bytes, keyId: newest.id };
}

/** Decrypts the text of an address; undefined if its secret is missing or authentication fails. */
export async function decrypt(
	secrets: SigningSecret[],
	canonical: string,
	{ bytes, keyId }: Encrypted,
): Promise<string | undefined> {
	if (bytes.length <= IV_BYTES) return undefined;
	const additionalData = new TextEncoder().encode(canonical);
	// A secret of before 1.0.0, when tokens and the journal had the same, may have the id of one of the journal's.
	for (const secret of secrets.filter(({ id }) => id === keyId)) {
		try {
			const text = await crypto.subtle.decrypt(
				{ name: "AES-GCM", iv: bytes.subarray(0, IV_BYTES), additionalData },
				await keyOf(secret),
				bytes.subarray(IV_BYTES),
			);
			return new TextDecoder().decode(text);
		} catch {}
	}
	return undefined;
}

/** The `info` of HKDF that separates the keys of signatures from those of the cipher. */
const SIGNING = new TextEncoder().encode("address-registry signature");

const signingKeys = new WeakMap<Uint8Array, Promise<CryptoKey>>();

async function deriveSigningKey(secret: Uint8Array): Promise<CryptoKey> {
	const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
	const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: SIGNING };
	const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
	return crypto.subtle.deriveKey(derivation, material, hmac, false, ["sign", "verify"]);
}

function signingKeyOf({ secret }: SigningSecret): Promise<CryptoKey> {
	const key = signingKeys.get(secret) ?? deriveSigningKey(secret);
	signingKeys.set(secret, key);
	return key;
}

const bytesOf = (purpose: string, text: string) => new TextEncoder().encode(`${purpose}\n${text}`);

/** Signs a text for a purpose by HMAC-SHA-256 (RFC 2104) under the newest secret: `id:` and 64 hexadecimal digits. */
export async function sign([newest]: SigningSecrets, purpose: string, text: string): Promise<string> {
	const code = await crypto.subtle.sign("HMAC", await signingKeyOf(newest), bytesOf(purpose, text));
	return `${newest.id}:${Array.from(new Uint8Array(code), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Whether a text was signed for a purpose under one of the secrets. */
export async function isSigned(
	secrets: SigningSecret[],
	purpose: string,
	text: string,
	signature = "",
): Promise<boolean> {
	const [, id, digits = ""] = /^([\w-]+):([0-9a-f]{64})$/.exec(signature) ?? [];
	const code = Uint8Array.from(digits.match(/../g) ?? [], (digit) => Number.parseInt(digit, 16));
	for (const secret of secrets.filter((one) => one.id === id))
		if (await crypto.subtle.verify("HMAC", await signingKeyOf(secret), code, bytesOf(purpose, text))) return true;
	return false;
}
