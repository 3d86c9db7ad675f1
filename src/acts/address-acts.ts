/** What operators do to addresses. */
import * as z from "zod/mini";
import { recordingDatabase } from "../accounts/address-database-actions.ts";
import { announceChange } from "../addresses/address-cache.ts";
import { publicRecord, visitRecord } from "../addresses/address-record.ts";
import { attestedRecordSchema } from "../addresses/attestation-schemas.ts";
import { CODE_ERRORS, codeInBody, codeParameterSchema } from "../addresses/code-schemas.ts";
import { liveAddress } from "../addresses/retired-or-withheld.ts";
import { publicAddressSchema } from "../addresses/schemas.ts";
import type { Address } from "../addresses/store.ts";
import * as addressStore from "../addresses/store.ts";
import { type AddressCode, parseCode, partsOf } from "../codes/code.ts";
import { NOBODY } from "../codes/demo.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { assertChanged, nothingChanged, StaleRead } from "../db/refusal.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import { json } from "../http/answer.ts";
import type { Registry } from "../registry.ts";
import { arrayOf, described, identifier, named, sent, timeOrNullSchema } from "../schemas/common.ts";
import { timestampOrNull } from "../time/time.ts";
import { account, provingHeir } from "./account-acts.ts";
import { type Act, type ActContext, act, answering, type Deed, reason, type Target } from "./act.ts";

/** The live address with a given code, hidden or not. @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED. */
export async function addressOfCode(registry: Registry, code: AddressCode): Promise<Address> {
	return liveAddress(await inOneTrip(registry.databaseOf(code), addressStore.byOneCode(code.canonical)));
}

/** The id of the owner of the address with a given code, live or retired; empty where there is none or it is erased. */
export async function ownerOfCode(registry: Registry, code: AddressCode): Promise<string> {
	const issued = await inOneTrip(registry.databaseOf(code), addressStore.byOneCode(code.canonical));
	return issued?.address?.ownerId ?? "";
}

/** Refuses to change an example of the documentation. @throws AppError INVALID_REQUEST. */
function assertNoExample({ ownerId }: Address): void {
	if (ownerId !== NOBODY) return;
	const detail = "This is an example of the documentation, which every registry has. It cannot be changed.";
	throw new AppError("INVALID_REQUEST", detail);
}

/**
 * The error for an address that was live when it was read and no longer is. It is read again to tell whether it is retired, and its
 * successor.
 */
async function whyNotLive(registry: Registry, canonical: string): Promise<Error> {
	try {
		await addressOfCode(registry, parseCode(canonical));
	} catch (error) {
		if (error instanceof AppError) return error;
	}
	return new StaleRead();
}

/** The address and account that an act concerns, and the database of the address. */
function concernedBy(registry: Registry, { canonical, ownerId }: Address): ActContext {
	return { subject: canonical, userId: ownerId, db: registry.databaseOf(partsOf(canonical)) };
}

/** Hides an address from everyone but its owner, or shows it again. The statements refuse if it has been retired in the meantime. */
export function hiding(registry: Registry, address: Address, isHidden: boolean): Deed {
	assertNoExample(address);
	const { now } = registry;
	const { canonical } = address;
	const hiddenAt = isHidden ? now : null;
	return {
		...concernedBy(registry, address),
		statements: {
			isLive: addressStore.assertStillLive({ canonical }, () => whyNotLive(registry, canonical)),
			hidden: addressStore.setHidden({ canonical, isHidden, now }),
		},
		announce: () =>
			announceChange(registry, [canonical], { ...address, version: address.version + 1, updatedAt: now, hiddenAt }),
	};
}

/**
 * Retires an address on its owner's behalf, with a successor if one is named. The statements refuse if somebody else has retired it first,
 * or if the successor is not another live address.
 * @throws AppError INVALID_REQUEST where the successor is not live, or only one of the two is a sandbox address.
 */
export async function retiring(registry: Registry, address: Address, named: string | undefined): Promise<Deed> {
	assertNoExample(address);
	const { canonical, ownerId } = address;
	const successor = named === undefined ? undefined : parseCode(named);
	if (successor && isSandboxCode(successor.canonical) !== isSandboxCode(canonical))
		throw invalidField("successor", "Sandbox addresses, whose codes begin with ZZ, lead only to each other.");
	const concerned = concernedBy(registry, address);
	const dbOfSuccessor = successor && registry.databaseOf(successor);
	const proof = successor && {
		isSuccessor: addressStore.assertStillLive({ canonical: successor.canonical }, () =>
			invalidField("successor", "Name another address that is not retired."),
		),
	};
	const isBeside = dbOfSuccessor === concerned.db;
	if (dbOfSuccessor && proof && !isBeside) await inOneTrip(dbOfSuccessor, proof);
	const { now } = registry;
	const retired = { canonical, ownerId, now, successor: successor?.canonical ?? null };
	return {
		...concerned,
		detail: successor?.canonical ?? "",
		statements: {
			retired: addressStore.retire(retired),
			isRetired: addressStore.assertRetired(retired, () => whyNotLive(registry, canonical)),
			// After the retirement, so that an address cannot name itself.
			...(isBeside ? proof : {}),
		},
		announce: () => announceChange(registry, [canonical], { ...address, retiredAt: now, successor: retired.successor }),
	};
}

/** The fields of a request that retires an address. */
export const retirement = () => ({
	successor: described(z.optional(codeInBody()), "The code of the address to go to instead."),
	reason: reason(),
});

/** A live address by its code, whether or not it is private or hidden. */
export const address: Target<
	ActContext & { address: Address },
	{ code: AddressCode },
	{ canonical: string; hiddenAt: number | null | undefined }
> = {
	name: "address",
	path: "addresses/{code}",
	params: codeParameterSchema,
	example: "NG-1377-48215",
	printedBy: "find",
	errors: CODE_ERRORS,
	async find(registry, { code }) {
		const found = await addressOfCode(registry, code);
		return { ...concernedBy(registry, found), address: found };
	},
	idOf: ({ canonical }) => canonical,
};

const retireRequest = sent("OperatorRetirement", retirement);

const handOverRequest = sent("HandOver", () => ({ code: codeInBody(), reason: reason() }));

const addressForOperators = named("AddressForOperators", () =>
	z.extend(publicAddressSchema(), {
		account: identifier("usr", "The account that it belongs to."),
		hidden_at: timeOrNullSchema(),
		attested: arrayOf(z.extend(attestedRecordSchema(), { agent: identifier("usr", "The agent.") }), 10_000),
	}),
);

export const addressActs: Act[] = [
	act({
		name: "read",
		on: address,
		id: "readAddressForOperators",
		summary: "Read an address",
		description:
			"Returns an address as its owner has it, even if it is private or hidden, and what agents attested of it. The reading is recorded as an act.",
		button: "Read this address",
		plan: () => ({ statements: {} }),
		answers: answering(
			json(200, addressForOperators, "The address."),
			async (_, { address, db }: ActContext & { address: Address }) => {
				const visits = await inOneTrip(db, addressStore.attestationsOf({ canonical: address.canonical }));
				return {
					...publicRecord(address),
					account: address.ownerId,
					hidden_at: timestampOrNull(address.hiddenAt),
					attested: visits.map((visit) => ({ agent: visit.agentId, ...visitRecord(visit) })),
				};
			},
		),
	}),
	act({
		name: "retire",
		on: address,
		id: "retireAddressForHolder",
		summary: "Retire an address",
		description: "Retires it as its owner could, which cannot be undone. Any other live address can be its successor.",
		button: "Retire this address",
		done: "Address retired.",
		body: retireRequest,
		plan: (registry, { address }, { successor }) => retiring(registry, address, successor),
	}),
	act({
		name: "hide",
		on: address,
		id: "hideAddress",
		summary: "Hide an address",
		description: "Only its owner and operators can read it until it is shown again. Its owner reads the reason.",
		button: "Hide this address",
		done: "Address hidden.",
		offer: ({ hiddenAt }) => (hiddenAt ? undefined : {}),
		plan(registry, { address }) {
			if (address.hiddenAt !== null) throw nothingChanged();
			return hiding(registry, address, true);
		},
	}),
	act({
		name: "show",
		on: address,
		id: "showAddress",
		summary: "Show a hidden address",
		description: "Anyone who has its code can read it again.",
		button: "Show this address again",
		done: "Address shown again.",
		offer: ({ hiddenAt }) => (hiddenAt === null ? undefined : {}),
		plan(registry, { address }) {
			if (address.hiddenAt === null) throw nothingChanged();
			return hiding(registry, address, false);
		},
	}),
	act({
		name: "hand-over",
		on: account,
		id: "handOverAddress",
		summary: "Assign an unclaimed address to an account",
		description:
			"Gives the account a live address whose own account is missing, as after a restore. No other address can be assigned.",
		button: "Assign an unclaimed address",
		done: "Address assigned to the account.",
		body: handOverRequest,
		errors: CODE_ERRORS,
		async plan(registry, { userId }, { code }) {
			const address = await addressOfCode(registry, parseCode(code));
			assertNoExample(address);
			const { canonical, ownerId } = address;
			const concerned = { ...concernedBy(registry, address), userId };
			return {
				...concerned,
				statements: {
					...provingHeir(ownerId, userId),
					// The new owner's list must find the address as soon as it is theirs.
					...recordingDatabase(userId, concerned.db),
					handedOver: addressStore.handOver({ canonical, ownerId, newOwnerId: userId }),
					isHandedOver: assertChanged({}),
				},
				announce: () => announceChange(registry, [canonical]),
			};
		},
	}),
];
