import { displayCode, partsOf } from "../codes/code.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import type { Caller } from "../db/caller.ts";
import { AppError } from "../errors.ts";
import type { Registry } from "../registry.ts";
import type { Address, Issued } from "./store.ts";

/** The error of a well-formed code under which nothing has been issued. */
export function addressNotFound(): AppError {
	return new AppError("ADDRESS_NOT_FOUND", "The code is well formed, but no address has been created with it.");
}

/** The error of a code that may have an address in another database than the one that is bound for it. */
function addressElsewhere(): AppError {
	return new AppError(
		"UNAVAILABLE",
		"Whether this code has an address cannot be told right now, because the database of codes that begin so is being set up. Try again in a minute.",
		{ headers: { "Retry-After": "60" } },
	);
}

/**
 * The error of a code whose address was retired. It names the successor, where there is one.
 * @param isClosed Whether it is so only while its owner's account is closed and not erased.
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

/** Whether the owner of an address shows it to nobody without a right to it. */
export function isPrivate({ visibility }: Pick<Address, "visibility">): boolean {
	return visibility === "private";
}

/**
 * Whether an address may be private from now on: all that are stay so, and the settings say whether others become so. They are asked
 * nowhere else, so that what is private is private whatever they say: to `isWithheld`, and to the trigger that writes the feed.
 */
export function mayBePrivate({ settings }: Pick<Registry, "settings">, now: Address["visibility"] = "public"): boolean {
	return now === "private" || settings.hasPrivateAddresses;
}

/** Tells of any address whether a reader has it as its owner. */
type IsOwn = (address: Pick<Address, "canonical" | "ownerId">) => boolean;

/** Whoever reads without a credential. */
const ownsNothing: IsOwn = () => false;

/**
 * What a proved caller reads as its owner, even where it is withheld from others: a person all that is theirs, a key what it may also
 * change. So whoever finds a key that only reads learns nobody's private home.
 */
export async function ownershipOf(caller: Caller): Promise<IsOwn> {
	const isSandbox = await caller.isSandbox();
	const { userId, keyId, scopes } = caller;
	const isWriting = keyId === undefined || scopes.includes("addresses:write");
	return ({ canonical, ownerId }) => isWriting && ownerId === userId && (!isSandbox || isSandboxCode(canonical));
}

/** Whether a live address is private, or an operator hides it, and the reader is not its owner: nothing else decides what a reader sees. */
export function isWithheld<Read extends Pick<Address, "visibility" | "hiddenAt">>(
	address: Read,
	isOwn: (address: Read) => boolean = () => false,
): boolean {
	return (address.hiddenAt !== null || isPrivate(address)) && !isOwn(address);
}

/**
 * The live address among what stands under a code, for somebody who may read it.
 * @param isOwn As `ownedBy` tells it; without it, for anyone.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, ADDRESS_PRIVATE.
 */
export function readableBy(issued: Issued | undefined, isOwn: IsOwn = ownsNothing): Address {
	const address = assertLive(issued);
	if (isWithheld(address, isOwn)) throw addressPrivate(address);
	return address;
}

/**
 * The error of an address that is private or hidden by an operator, for whoever has no right to it. It tells the zone, which the code tells
 * already, its name and its region: nothing that depends on the point.
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
 * The live address among what is under a code.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED; UNAVAILABLE where the database cannot tell.
 */
export function assertLive(issued: Issued | undefined): Address {
	if (!issued) throw addressNotFound();
	if (issued.burnt) throw addressRetired(issued.burnt.successor);
	if (!issued.address) throw addressElsewhere();
	if (issued.address.retiredAt !== null)
		throw addressRetired(issued.address.successor, issued.address.closedWithAccount);
	return issued.address;
}

/**
 * The error for somebody who may not do what only the owner of a live address may: it follows from what stands under the code.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, where that is why.
 */
export function notTheOwner(issued: Issued | undefined): AppError {
	assertLive(issued);
	return new AppError("FORBIDDEN", "This address belongs to another account. Only its owner can do this.");
}
