import { Buffer } from "node:buffer";
import { AppError } from "../errors.ts";
import { nodeCrypto } from "../platform/node.ts";
import { isCommonPassword, type PasswordFilter } from "./common-passwords.ts";

/** Password length, in Unicode code points. */
export const PASSWORD_CHARACTERS_MIN = 8;
const PASSWORD_CHARACTERS_MAX = 256;

/**
 * The cost of scrypt (RFC 7914): N = 2^logN, memory 128 * N * r bytes = 16 MiB. OWASP lists these parameters as equal in strength to
 * N=2^17, p=1. They fit an isolate of 128 MB.
 */
interface ScryptCost {
	logN: number;
	r: number;
	p: number;
}

export const PASSWORD_COST: ScryptCost = { logN: 14, r: 8, p: 5 };

/** The most memory that stored parameters may ask for: 32 MiB. A planted hash thus cannot exhaust the isolate. */
const MEMORY_BYTES_MAX = 32 * 1024 * 1024;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Normalises a password, as NIST SP 800-63B asks before hashing. Otherwise it is used as it is, spaces included. */
function normalize(password: string): string {
	return password.normalize("NFC");
}

function derive(password: string, salt: Uint8Array, { logN, r, p }: ScryptCost): Buffer {
	const N = 2 ** logN;
	// Synchronous on purpose: parallel asynchronous hashes would add up their memory in one isolate.
	return nodeCrypto().scryptSync(normalize(password), salt, HASH_BYTES, { N, r, p, maxmem: 128 * r * (N + p + 2) });
}

function base64(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}

/** The PHC string (`$scrypt$ln=..,r=..,p=..$salt$hash`) of a password with a random salt. It takes about 0.14 s and blocks the isolate. */
export function hashPassword(password: string, cost: ScryptCost = PASSWORD_COST): string {
	const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
	return `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${base64(salt)}$${base64(derive(password, salt, cost))}`;
}

/** A hash that no password has, at the current cost. A login for an unknown phone is checked against it, so that it takes as long. */
export const UNMATCHABLE_HASH = `$scrypt$ln=${PASSWORD_COST.logN},r=${PASSWORD_COST.r},p=${PASSWORD_COST.p}$${base64(new Uint8Array(SALT_BYTES))}$${base64(new Uint8Array(HASH_BYTES))}`;

function parsePhc(phc: string): { cost: ScryptCost; salt: Buffer; hash: Buffer } {
	const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/.exec(phc);
	const [, logN, r, p, salt = "", hash = ""] = match ?? [];
	const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
	if (!match || 128 * 2 ** cost.logN * cost.r > MEMORY_BYTES_MAX)
		throw new Error("A stored password hash is not readable");
	return { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}

/**
 * Whether a password belongs to a PHC string, compared in constant time.
 * @throws Error if the stored string is not a scrypt PHC string, or asks for too much memory.
 */
export function verifyPassword(password: string, phc: string): boolean {
	const { cost, salt, hash } = parsePhc(phc);
	return nodeCrypto().timingSafeEqual(derive(password, salt, cost), hash);
}

/** Whether a stored hash is cheaper than today's cost. It should then be made again while its password is at hand. */
export function needsRehash(phc: string): boolean {
	const work = ({ logN, r, p }: ScryptCost) => 2 ** logN * r * p;
	return work(parsePhc(phc).cost) < work(PASSWORD_COST);
}

/** Rows of keys, forwards and backwards: the digits, and the letters of QWERTY, AZERTY and QWERTZ. */
const KEY_ROWS = ["1234567890", "qwertyuiop", "asdfghjkl", "azertyuiop", "qsdfghjklm", "qwertzuiop"].flatMap((row) => [
	row,
	Array.from(row).reverse().join(""),
]);

/** Whether a text is one run of neighbouring characters or keys, up or down, such as `12345678`, `hgfedcba` or `poiuytre`. */
function isRun(text: string): boolean {
	if (KEY_ROWS.some((row) => row.includes(text.toLowerCase()))) return true;
	const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
	const step = (characters[1] ?? 0) - (characters[0] ?? 0);
	return (
		Math.abs(step) <= 1 &&
		characters.every((value, index) => index === 0 || value - (characters[index - 1] ?? 0) === step)
	);
}

/** Whether a text only repeats one group of at most 10 characters, such as `aaaaaaaa` or `12341234`. */
function isRepeated(text: string): boolean {
	return /^(.{1,10})\1+$/su.test(text);
}

/** The fewest digits that a person would call their phone number. */
const PHONE_DIGITS_MIN = 7;

/**
 * Refuses a password that is easy to guess: a short, simple or common one, or the phone number.
 * @throws AppError WEAK_PASSWORD, which tells the reason but never the password.
 */
export function assertStrongPassword(password: string, phone: string, common: PasswordFilter): void {
	const weak = (detail: string) => new AppError("WEAK_PASSWORD", detail);
	const text = normalize(password);
	const { length } = Array.from(text);
	if (length < PASSWORD_CHARACTERS_MIN) throw weak(`Use at least ${PASSWORD_CHARACTERS_MIN} characters.`);
	if (length > PASSWORD_CHARACTERS_MAX) throw weak(`Use at most ${PASSWORD_CHARACTERS_MAX} characters.`);
	if (isRepeated(text)) throw weak("Do not use the same few characters again and again.");
	if (isRun(text)) throw weak("Do not use a run such as 12345678 or qwertyui.");
	if (isCommonPassword(text, common))
		throw weak("This password is one of the most common ones, which are tried first. Choose another.");
	const digits = password.replace(/\D/g, "").replace(/^0+/, "");
	const isPhone = /^[\s+\d().-]+$/.test(password) && digits.length >= PHONE_DIGITS_MIN && phone.endsWith(digits);
	if (isPhone) throw weak("Do not use your phone number.");
}
