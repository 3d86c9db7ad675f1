/** What is held on a person: their copy of it, and its end. */
import { confirmPassword } from "../accounts/actions.ts";
import type { SignedInCaller } from "../accounts/caller.ts";
import { ownAccountOf } from "../accounts/phone-pending-actions.ts";
import { allAddressesOf, announceChange, listAddresses } from "../addresses/actions.ts";
import { allVisitsOf } from "../addresses/attestation-actions.ts";
import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import { reportsAbout } from "../reports/actions.ts";
import { DAY } from "../time.ts";
import { exportDocument } from "./export.ts";
import { createPersonalDataStore } from "./store.ts";

/** Far more than limits let anyone send about the addresses of one account; it only bounds the document. */
const EXPORTED_REPORTS_MAX = 10_000;

/** Addresses of a closed account that are purged from caches; what those hold of others expires within a minute. */
const PURGED_MAX = 100;

/**
 * Everything that the registry holds about a user.
 * @throws AppError INVALID_TOKEN when the account is gone.
 */
export async function exportOf(registry: Registry, userId: string): Promise<ReturnType<typeof exportDocument>> {
	const [data, account, addresses, visits] = await Promise.all([
		createPersonalDataStore(registry.database).allOf(userId),
		ownAccountOf(registry, userId),
		allAddressesOf(registry, userId),
		allVisitsOf(registry, userId),
	]);
	if (!data || !account) throw new AppError("INVALID_TOKEN", "The account of this token is gone.");
	const codes = addresses.map(({ address }) => address.canonical);
	const reports = await reportsAbout(registry, codes, EXPORTED_REPORTS_MAX);
	return exportDocument(data, { account, addresses, visits, reports }, registry.now);
}

/**
 * Closes the account of a signed-in user: its sessions end, its keys are refused and its addresses are hidden at once, in caches too.
 * Signing in before it is erased opens it again, with its keys and addresses.
 * @returns When it is erased, in milliseconds since the epoch.
 * @throws AppError INVALID_CREDENTIALS, RATE_LIMITED; INVALID_TOKEN when the account is gone.
 */
export async function closeAccount(registry: Registry, caller: SignedInCaller, password: string): Promise<number> {
	const { database, now, settings } = registry;
	const { addresses } = await listAddresses(registry, caller, { limit: PURGED_MAX });
	const user = await confirmPassword(registry, caller, password);
	const eraseAt = now + settings.limits.ACCOUNT_ERASURE_DAYS * DAY;
	const isClosed = await createPersonalDataStore(database).close(user.id, user.passwordHash, eraseAt, now);
	if (!isClosed) throw new AppError("INVALID_CREDENTIALS", "The password is wrong.");
	registry.log("info", "account_closed", { user: user.id });
	const codes = addresses.map(({ canonical }) => canonical);
	await announceChange(registry, codes);
	return eraseAt;
}
