/** The endpoints for signed-in people and their systems. Those for anyone are in public-endpoints.ts. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { agent } from "../accounts/authentication.ts";
import type { Caller } from "../db/caller.ts";
import { openAddressesDatabase } from "../db/open.ts";
import { json, noContent } from "../http/answer.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { securityLog } from "../http/security-log.ts";
import { userOrKey, userOrWritingKey } from "../keys/authentication.ts";
import { lazy } from "../lazy.ts";
import { rateLimitHeaders } from "../limits/rate-limit-headers.ts";
import { type WriteLimits, writeLimits } from "../limits/write-limits.ts";
import { openZoneLocator } from "../zones/open.ts";
import { changedEntry, purgeAddress, RECORD_FORMAT, retiredEntry } from "./address-cache.ts";
import { type AttestationRequest, attestAddress } from "./attest.ts";
import { attestationSchema, newAttestationSchema } from "./attestation-schemas.ts";
import { type AddressCode, parseCode } from "./code.ts";
import { CODE_ERRORS, canonicalParameterSchema } from "./code-schemas.ts";
import { parseCursor, writeCursor } from "./cursor.ts";
import { recordIssuedCode } from "./issued-codes.ts";
import { addressStores, allAddressStores, lookUpAddress, withinLookups } from "./look-up.ts";
import { type MintRequest, mintAddress } from "./mint.ts";
import { addressHistory, changeAddress, listAddresses, retireAddress } from "./own-addresses.ts";
import { addressRecord, attestationRecord, historyRecord } from "./record.ts";
import {
	addressChangeSchema,
	addressListSchema,
	addressSchema,
	historySchema,
	idempotencyHeaderSchema,
	listQuerySchema,
	newAddressSchema,
	retirementSchema,
} from "./schemas.ts";
import type { Address, AddressChange } from "./store.ts";

/**
 * Mints an address for a caller, and drops what caches hold of its code.
 * @returns The address, and, unless it was a retry, what is left of the caller's quota; `now` in milliseconds since the epoch.
 * @throws AppError As mintAddress does.
 */
export async function mintForCaller(
	c: Context<AppEnv>,
	caller: Caller,
	address: Omit<MintRequest, "idempotencyKey">,
	idempotencyKey: string | undefined,
) {
	const now = Date.now();
	const userId = await caller.user();
	const minted = await mintAddress(
		{
			caller,
			storeOf: addressStores(c.env),
			stores: allAddressStores(c.env),
			locator: openZoneLocator(c.env),
			limitsIn: (country) => writeLimits(c, openAddressesDatabase(c.env, country), "new-addresses", userId, now),
			now,
		},
		{ ...address, idempotencyKey },
	);
	const { canonical, createdAt } = minted.address;
	// If somebody asked for this code a moment ago, the cache holds that nothing is there.
	await purgeAddress(c, canonical, undefined, [RECORD_FORMAT]);
	c.executionCtx.waitUntil(recordIssuedCode(c.env.ZONES, canonical, createdAt));
	return { ...minted, now };
}

/** The limits on what a caller writes to the database of a code's address. */
async function limitsOn(
	c: Context<AppEnv>,
	kind: "changes" | "attestations",
	caller: Caller,
	{ country }: AddressCode,
): Promise<WriteLimits> {
	return writeLimits(c, openAddressesDatabase(c.env, country), kind, await caller.user(), Date.now());
}

/**
 * Changes an address of a caller, and drops what caches hold of its code.
 * @throws AppError As changeAddress does.
 */
export async function changeForCaller(
	c: Context<AppEnv>,
	caller: Caller,
	code: AddressCode,
	change: AddressChange,
): Promise<Address> {
	const limits = await limitsOn(c, "changes", caller, code);
	const address = await withinLookups(c, caller, code, () =>
		changeAddress(addressStores(c.env), openZoneLocator(c.env), caller, limits, code, change),
	);
	await purgeAddress(c, code.canonical, changedEntry(address));
	return address;
}

/**
 * Keeps what an agent attests of an address, and drops what caches hold of its code.
 * @throws AppError As attestAddress does.
 */
export async function attestForCaller(c: Context<AppEnv>, caller: Caller, request: AttestationRequest) {
	const { code } = request;
	const limits = await limitsOn(c, "attestations", caller, code);
	const attest = () => attestAddress(addressStores(c.env), caller, limits, request, Date.now());
	const attested = await withinLookups(c, caller, code, attest, false);
	await purgeAddress(c, code.canonical, changedEntry(attested.address));
	const log = securityLog(c);
	const { agentId, level } = attested.attestation;
	log("info", "address_attested", { agent: agentId, user: attested.address.ownerId }, { verification_level: level });
	return attested;
}

const tag = "Addresses";

export const addressEndpoints: Endpoint[] = [
	endpoint(
		{
			method: "post",
			path: "/v1/addresses",
			id: "createAddress",
			tag,
			summary: "Create an address",
			description:
				"Finds the zone of the coordinate and creates an address there, under a random code that is free. The exact point and the label are public: everyone who has the code can read them.",
			access: userOrWritingKey,
			headers: idempotencyHeaderSchema,
			body: newAddressSchema,
			answer: json(201, addressSchema, "The new address.", {
				headers: { Location: "The URL of the new address." },
				// A retry under an Idempotency-Key spends nothing.
				occasionalHeaders: {
					RateLimit: "How many addresses you can still create today.",
					"RateLimit-Policy": "How many addresses you can create per day.",
				},
			}),
			errors: ["OUTSIDE_ZONES", "ZONE_FULL", "IDEMPOTENCY_CONFLICT", "ADDRESS_RETIRED", "QUOTA_EXCEEDED"],
		},
		async ({ c, caller, headers, body }) => {
			const { address, quota, now } = await mintForCaller(c, caller, body, headers["idempotency-key"]);
			if (quota) for (const [name, value] of Object.entries(rateLimitHeaders(quota, now))) c.header(name, value);
			c.header("Location", `${webUrl(c)}/v1/addresses/${address.canonical}`);
			return addressRecord(address, caller.userId, webUrl(c));
		},
	),
	endpoint(
		{
			method: "get",
			path: "/v1/addresses",
			id: "listAddresses",
			tag,
			summary: "List your addresses",
			description: "Lists the addresses that you own, newest first, without retired ones.",
			access: userOrWritingKey,
			query: listQuerySchema,
			answer: json(200, addressListSchema, "One page of your addresses."),
		},
		async ({ c, caller, query: { limit, cursor } }) => {
			const after = cursor === undefined ? undefined : parseCursor(cursor);
			const { addresses, next } = await listAddresses(allAddressStores(c.env), caller, limit, after);
			return {
				data: addresses.map((address) => addressRecord(address, caller.userId, webUrl(c))),
				next_cursor: next ? writeCursor(next) : null,
			};
		},
	),
	endpoint(
		{
			method: "get",
			path: "/v1/addresses/{canonical}",
			id: "getAddress",
			tag,
			summary: "Read an address",
			description: "Always returns the current state, unlike the public view, which may be cached.",
			access: userOrKey,
			params: canonicalParameterSchema,
			answer: json(200, addressSchema, "The address."),
			errors: CODE_ERRORS,
		},
		async ({ c, caller, params }) => {
			const address = await lookUpAddress(c, params.canonical, caller);
			return addressRecord(address, caller.userId, webUrl(c));
		},
	),
	endpoint(
		{
			method: "patch",
			path: "/v1/addresses/{canonical}",
			id: "changeAddress",
			tag,
			summary: "Change the label or move the pin",
			description:
				"Only the owner can do this. The pin moves within the zone of the address, because the zone is part of the code. A new label or point sets the verification level to 0.",
			access: userOrWritingKey,
			params: canonicalParameterSchema,
			body: addressChangeSchema,
			answer: json(200, addressSchema, "The changed address."),
			errors: [...CODE_ERRORS, "FORBIDDEN", "OUTSIDE_ZONES", "OUTSIDE_ITS_ZONE", "QUOTA_EXCEEDED"],
		},
		async ({ c, caller, params: { canonical: code }, body }) => {
			const address = await changeForCaller(c, caller, code, body);
			return addressRecord(address, caller.userId, webUrl(c));
		},
	),
	endpoint(
		{
			method: "delete",
			path: "/v1/addresses/{canonical}",
			id: "retireAddress",
			tag,
			summary: "Retire an address",
			description:
				"Only the owner can do this, and it cannot be undone. The code answers 410 from then on and is never used again. The body can name the address to go to instead. Retiring it again answers 204 and changes nothing.",
			access: userOrWritingKey,
			params: canonicalParameterSchema,
			body: lazy(() => z.optional(retirementSchema())),
			answer: noContent("The address has been retired."),
			errors: [...CODE_ERRORS, "FORBIDDEN"],
		},
		async ({ c, caller, params: { canonical: code }, body }) => {
			const successor = body?.successor === undefined ? undefined : parseCode(body.successor);
			await withinLookups(c, caller, code, () =>
				retireAddress(addressStores(c.env), caller, code, successor, Date.now()),
			);
			await purgeAddress(c, code.canonical, retiredEntry(code.canonical, successor?.canonical ?? null));
		},
	),
	endpoint(
		{
			method: "get",
			path: "/v1/addresses/{canonical}/history",
			id: "getAddressHistory",
			tag,
			summary: "Read the history of an address",
			description:
				"Lists what happened to an address, oldest first. Only the owner can do this, even for a retired address until it is erased.",
			access: userOrWritingKey,
			params: canonicalParameterSchema,
			answer: json(200, historySchema, "What happened, oldest first."),
			errors: [...CODE_ERRORS, "FORBIDDEN"],
		},
		async ({ c, caller, params: { canonical: code } }) => {
			const events = await withinLookups(c, caller, code, () => addressHistory(addressStores(c.env), caller, code));
			return { data: events.map(historyRecord) };
		},
	),
	endpoint(
		{
			method: "post",
			path: "/v1/addresses/{canonical}/attestations",
			id: "attestAddress",
			tag: "Attest",
			summary: "Attest an address",
			description:
				"Records what an agent saw on the spot. If the attested level is higher, the address is raised to it.",
			access: agent,
			params: canonicalParameterSchema,
			body: newAttestationSchema,
			answer: json(201, attestationSchema, "The attestation."),
			errors: [...CODE_ERRORS, "QUOTA_EXCEEDED"],
		},
		async ({ c, caller, params: { canonical: code }, body: { level, note } }) => {
			const { attestation, address } = await attestForCaller(c, caller, { code, level, note });
			return attestationRecord(attestation, address);
		},
	),
];
