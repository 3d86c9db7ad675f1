/**
 * The country of sandbox addresses, which test keys create: ISO 3166 leaves `ZZ` to its users, so no country ever has it. Their zone
 * numbers are those of the real zones.
 */
export const SANDBOX_COUNTRY = "ZZ";

/** Whether a canonical code is that of a sandbox address. */
export function isSandboxCode(canonical: string): boolean {
	return canonical.startsWith(SANDBOX_COUNTRY);
}
