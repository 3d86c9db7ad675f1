/** Spares the tests of the Worker what password hashes cost, which is their purpose and most of what a sign-in takes. */
import crypto from "node:crypto";

const scrypt = crypto.scryptSync;

/** Costs N = 2^1 in the place of the 2^14 of a real hash: the same function, a thousandth of the time, and as different for different r and p. */
const CHEAPEST_N = 2;

const cheapScrypt: typeof crypto.scryptSync = (password, salt, length, options) =>
	scrypt(password, salt, length, { ...options, N: CHEAPEST_N });

/** From now on passwords are hashed cheaply, whatever cost is asked for and stored. */
export function hashCheaply(): void {
	crypto.scryptSync = cheapScrypt;
}
