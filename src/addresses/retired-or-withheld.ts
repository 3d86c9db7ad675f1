import { displayCode, partsOf } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import type { Caller } from "../db/caller.ts";
import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import type { Address, Issued } from "./store.ts";

/** The error for a well-formed code under which nothing has been issued. */
export function addressNotFound(): AppError {
	return new AppError("ADDRESS_NOT_FOUND", "The code is well formed, but no address has been created with it.");
}

/** The error for a code whose address may still be in another database than the one now bound for it. */
function addressElsewhere(): AppError {
	return new AppError(
		"UNAVAILABLE",
		"Whether this code has an address cannot be told right now, because the database of codes that begin so is being set up. Try again in a minute.",
		{ headers: { "Retry-After": "60" } },
	);
}

/**
 * The error for a code whose address was retired. It names the successor, if there is one.
 * @param isClosed Whether it is retired only while its owner's account is closed and not yet erased.
 */
export function addressRetired(successor: string | null, isClosed = false): AppError {
	if (isClosed) {
		const detail =
			"The owner has closed their account. The address comes back if they sign in before the account is erased.";
		return new AppError("ADDRESS_RETIRED", detail, { isClosed });
	}
	return successor === null
		? new AppError("ADDRESS_RETIRED", "This address has been retired. Its code is never used again.")
		: new AppError(
				"ADDRESS_RETIRED",
				`This address has been retired. Its successor is ${displayCode(successor)}. The old code is never used again.`,
				{ successor },
			);
}

/**
 * Whether an address may be private from now on: private ones may stay so, and the settings decide about others. Nothing else asks these
 * settings, so that what is private stays private whatever they say, both for `isWithheld` and for the trigger that writes the feed.
 */
export function mayBePrivate({ settings }: Pick<Registry, "settings">, now: Address["visibility"] = "public"): boolean {
	return now === "private" || settings.hasPrivateAddresses;
}

/**
 * Returns a test for the addresses that a proved caller reads as their owner, even if they are withheld from others. A person has all
 * their own addresses; a key has those that it may also change. So whoever finds a key that can only read learns of nobody's private home.
 */
export async function ownershipOf(caller: Caller) {
	const isSandbox = await caller.isSandbox();
	const { userId, keyId, scopes } = caller;
	const isWriting = keyId === undefined || scopes.includes("addresses:write");
	return ({ canonical, ownerId }: Pick<Address, "canonical" | "ownerId">) =>
		isWriting && ownerId === userId && (!isSandbox || isSandboxCode(canonical));
}

/**
 * Whether a live address is private or hidden by an operator, and so withheld from everybody but its owner (`ownershipOf`). Nothing else
 * decides what a reader sees.
 */
export function isWithheld({ visibility, hiddenAt }: Pick<Address, "visibility" | "hiddenAt">): boolean {
	return hiddenAt !== null || visibility === "private";
}

/**
 * The error for an address that is private or hidden by an operator, for a reader who has no right to it. It gives the zone, which the
 * code gives anyway, with its name and region: nothing that depends on the point.
 */
export function addressPrivate(address: Pick<Address, "canonical" | "zoneName" | "zoneRegion" | "hiddenAt">): AppError {
	const { country, zone } = partsOf(address.canonical);
	const detail =
		address.hiddenAt === null
			? "The owner shows this address only to people who have a link. Ask them for one."
			: "The operator of the registry has hidden this address while looking into it.";
	return new AppError("ADDRESS_PRIVATE", detail, {
		zone: { country, zone, zone_name: address.zoneName, region: address.zoneRegion },
	});
}

/**
 * The live address issued under a code.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED; UNAVAILABLE if the database cannot tell.
 */
export function liveAddress(issued: Issued | undefined): Address {
	if (!issued) throw addressNotFound();
	if (issued.burnt) throw addressRetired(issued.burnt.successor);
	if (!issued.address) throw addressElsewhere();
	if (issued.address.retiredAt !== null)
		throw addressRetired(issued.address.successor, issued.address.closedWithAccount);
	return issued.address;
}
