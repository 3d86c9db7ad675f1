import crypto from "node:crypto";
import { vi } from "vitest";

/** The costs of the password hashes that the Worker computed meanwhile, in order: what a sign-in takes nearly all of its time for. */
export async function hashesDuring(work: () => Promise<unknown>): Promise<{ N: number; r: number; p: number }[]> {
	const scrypt = vi.spyOn(crypto, "scryptSync");
	try {
		await work();
		return scrypt.mock.calls.map(([, , , { N = 0, r = 0, p = 0 } = {}]) => ({ N, r, p }));
	} finally {
		scrypt.mockRestore();
	}
}
