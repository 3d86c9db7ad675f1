/** The endpoints for signed-in people and their systems. Those for anyone are in public-endpoints.ts. */

import { agent } from "../accounts/bearer-auth.ts";
import { recoveryCodeSchema } from "../accounts/schemas.ts";
import { parseCode } from "../codes/code.ts";
import { invalidField } from "../errors.ts";
import { json, noContent } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { userOrKeyForRecord, userOrWritingKey } from "../keys/key-auth.ts";
import { timestamp } from "../time/time.ts";
import {
	addressHistory,
	changeAddress,
	endShares,
	listAddresses,
	lookUpAddress,
	mintAddress,
	ownByExternalId,
	retireAddress,
	shareAddress,
} from "./actions.ts";
import { addressRecord, attestationRecord, recordTag } from "./address-record.ts";
import { attestAddress, recoverAtPin } from "./attestation-actions.ts";
import { attestationSchema, newAttestationSchema, recoveryAtPinSchema } from "./attestation-schemas.ts";
import { CODE_ERRORS, canonicalParameterSchema } from "./code-schemas.ts";
import { ifMatchHeaderSchema, RECORD_TAG } from "./entity-tag.ts";
import {
	addressChangeSchema,
	addressListSchema,
	addressSchema,
	historySchema,
	idempotencyHeaderSchema,
	listQuerySchema,
	newAddressSchema,
	newShareSchema,
	retirementQuerySchema,
	retirementSchema,
	shareSchema,
} from "./schemas.ts";
import { SHARE_DAYS } from "./share-link.ts";

const tag = "Addresses";

export const addressEndpoints: Endpoint[] = [
	endpoint({
		method: "post",
		path: "/v1/addresses",
		id: "createAddress",
		tag,
		summary: "Create an address",
		description:
			"Finds the zone of the coordinate and creates an address there, under a random free code. Everyone who has the code can read the exact point and the texts, unless you make the address private.",
		access: userOrWritingKey,
		headers: idempotencyHeaderSchema,
		body: newAddressSchema,
		answer: json(201, addressSchema, "The new address.", {
			headers: { Location: "The URL of the new address.", ...RECORD_TAG },
		}),
		errors: ["OUTSIDE_ZONES", "TOO_FAR", "ZONE_FULL", "IDEMPOTENCY_CONFLICT", "ADDRESS_RETIRED", "QUOTA_EXCEEDED"],
		handle: async ({ registry, c, caller, headers, body }) => {
			const request = { ...body, idempotencyKey: headers["idempotency-key"] };
			const address = await mintAddress(registry, caller, request);
			c.header("Location", `${registry.webUrl}/v1/addresses/${address.canonical}`);
			c.header("ETag", await recordTag(address, caller.userId, registry.webUrl));
			return addressRecord(address, caller.userId, registry.webUrl);
		},
	}),
	endpoint({
		method: "get",
		path: "/v1/addresses",
		id: "listAddresses",
		tag,
		summary: "List your addresses",
		description:
			"Lists the addresses that you own, newest first, without retired ones. A test key lists sandbox addresses, and any other credential the rest.",
		access: userOrWritingKey,
		query: listQuerySchema,
		answer: json(200, addressListSchema, "One page of your addresses."),
		handle: async ({ registry, caller, query: { external_id, ...page } }) => {
			const { addresses, nextCursor } =
				external_id === undefined
					? await listAddresses(registry, caller, page)
					: { addresses: await ownByExternalId(registry, caller, external_id), nextCursor: undefined };
			const { userId } = caller;
			return {
				data: addresses.map((address) => addressRecord(address, userId, registry.webUrl)),
				next_cursor: nextCursor ?? null,
			};
		},
	}),
	endpoint({
		method: "get",
		path: "/v1/addresses/{canonical}",
		id: "getAddress",
		tag,
		summary: "Read an address",
		description:
			"Always returns the current state, unlike the public view, which may be cached. Only its owner can read a private address, with an access token or a key that has the scope `addresses:write`, and agents before a visit, which its history shows. An agent may read 50 a day.",
		access: userOrKeyForRecord,
		params: canonicalParameterSchema,
		answer: json(200, addressSchema, "The address.", { headers: RECORD_TAG }),
		errors: [...CODE_ERRORS, "ADDRESS_PRIVATE", "QUOTA_EXCEEDED"],
		handle: async ({ registry, c, caller, params }) => {
			const address = await lookUpAddress(registry, caller, params.canonical);
			c.header("ETag", await recordTag(address, caller.userId, registry.webUrl));
			return addressRecord(address, caller.userId, registry.webUrl);
		},
	}),
	endpoint({
		method: "patch",
		path: "/v1/addresses/{canonical}",
		id: "changeAddress",
		tag,
		summary: "Change the texts or the entrance, or move the pin",
		description:
			"Only the owner can do this. The pin moves within the zone of the address, because the zone is part of the code. A new text, entrance or point sets the verification level to 0.",
		access: userOrWritingKey,
		params: canonicalParameterSchema,
		headers: ifMatchHeaderSchema,
		body: addressChangeSchema,
		answer: json(200, addressSchema, "The changed address.", { headers: RECORD_TAG }),
		errors: [
			...CODE_ERRORS,
			"FORBIDDEN",
			"PRECONDITION_FAILED",
			"OUTSIDE_ZONES",
			"OUTSIDE_ITS_ZONE",
			"TOO_FAR",
			"QUOTA_EXCEEDED",
		],
		handle: async ({ registry, c, caller, params: { canonical: code }, headers, body: change }) => {
			const address = await changeAddress(registry, caller, { code, change, ifMatch: headers["if-match"] });
			c.header("ETag", await recordTag(address, caller.userId, registry.webUrl));
			return addressRecord(address, caller.userId, registry.webUrl);
		},
	}),
	endpoint({
		method: "delete",
		path: "/v1/addresses/{canonical}",
		id: "retireAddress",
		tag,
		summary: "Retire an address",
		description:
			"Only the owner can do this, and it cannot be undone. The code answers 410 from then on and is never used again. The query or the body can name the address to go to instead. Retiring it again answers 204 and changes nothing.",
		access: userOrWritingKey,
		params: canonicalParameterSchema,
		headers: ifMatchHeaderSchema,
		query: retirementQuerySchema,
		body: retirementSchema,
		answer: noContent("The address has been retired."),
		errors: [...CODE_ERRORS, "FORBIDDEN", "PRECONDITION_FAILED"],
		handle: ({ registry, caller, params: { canonical: code }, headers, query, body }) => {
			const [successor, other] = [query.successor, body?.successor].flatMap((text) =>
				text === undefined ? [] : [parseCode(text)],
			);
			if (other && other.canonical !== successor?.canonical)
				throw invalidField("successor", "The query and the body name different codes. Send one of them.");
			return retireAddress(registry, caller, { code, ifMatch: headers["if-match"], successor });
		},
	}),
	endpoint({
		method: "post",
		path: "/v1/addresses/{canonical}/share",
		id: "shareAddress",
		tag,
		summary: "Make a link to a private address",
		description:
			"Whoever has the link sees the address until the link expires. It ends earlier if the password of the account changes, if all sessions of the account are ended, or if the key that made it is revoked. The history of the address shows that it was made. On a public address the link adds nothing. Only the owner can do this.",
		access: userOrWritingKey,
		params: canonicalParameterSchema,
		headers: ifMatchHeaderSchema,
		body: newShareSchema,
		answer: json(201, shareSchema, "The link.", { headers: RECORD_TAG }),
		errors: [...CODE_ERRORS, "FORBIDDEN", "PRECONDITION_FAILED", "QUOTA_EXCEEDED"],
		handle: async ({ registry, c, caller, params: { canonical: code }, headers, body }) => {
			const request = { code, days: body?.days ?? SHARE_DAYS, ifMatch: headers["if-match"] };
			const { url, expiresAt, address } = await shareAddress(registry, caller, request);
			c.header("ETag", await recordTag(address, caller.userId, registry.webUrl));
			return { url, expires_at: timestamp(expiresAt) };
		},
	}),
	endpoint({
		method: "delete",
		path: "/v1/addresses/{canonical}/share",
		id: "endShares",
		tag,
		summary: "End all links to an address",
		description: "Links made so far no longer show the address. Only the owner can do this.",
		access: userOrWritingKey,
		params: canonicalParameterSchema,
		headers: ifMatchHeaderSchema,
		answer: noContent("The links have ended.", { headers: RECORD_TAG }),
		errors: [...CODE_ERRORS, "FORBIDDEN", "PRECONDITION_FAILED", "QUOTA_EXCEEDED"],
		handle: async ({ registry, c, caller, params: { canonical: code }, headers }) => {
			const address = await endShares(registry, caller, { code, ifMatch: headers["if-match"] });
			c.header("ETag", await recordTag(address, caller.userId, registry.webUrl));
		},
	}),
	endpoint({
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
		handle: async ({ registry, caller, params }) => ({
			data: await addressHistory(registry, caller, params.canonical),
		}),
	}),
	endpoint({
		method: "post",
		path: "/v1/addresses/{canonical}/attestations",
		id: "attestAddress",
		tag: "Attest",
		summary: "Attest an address",
		description:
			"Records what an agent saw at the address, and where they stood. A higher attested level becomes the address's level. An agent may read a private address first, which its history shows.",
		access: agent,
		params: canonicalParameterSchema,
		body: newAttestationSchema,
		answer: json(201, attestationSchema, "The attestation."),
		errors: [...CODE_ERRORS, "ADDRESS_CHANGED", "TOO_FAR", "QUOTA_EXCEEDED"],
		handle: async ({ registry, caller, params, body: { position: sent, updated_at: seenAt, ...body } }) => {
			const { accuracy_m: accuracy, ...point } = sent;
			const request = { code: params.canonical, seenAt, ...body, position: { ...point, accuracy } };
			const { attestation, address } = await attestAddress(registry, caller, request);
			return attestationRecord(attestation, address);
		},
	}),
	endpoint({
		method: "post",
		path: "/v1/addresses/{canonical}/recovery-code",
		id: "recoverAccountAtPin",
		tag: "Attest",
		summary: "Get the recovery code to hand over to a holder",
		description:
			"For an agent at a pin of an account whose holder cannot get in. An operator has asked for it seven days ago or more and named this agent, and nobody has used the account since. Anything else is 404. Each call counts as an attestation, and operators see those in vain. Only this answer shows the code: hand it over to the holder, who sets a new password with it and their phone number. If the answer is lost, ask again within 15 minutes: you get another code, which replaces the former.",
		access: agent,
		params: canonicalParameterSchema,
		body: recoveryAtPinSchema,
		answer: json(201, recoveryCodeSchema, "The recovery code."),
		errors: [...CODE_ERRORS, "NOT_FOUND", "ADDRESS_PRIVATE", "QUOTA_EXCEEDED"],
		handle: async ({ registry, caller, params, body: { position: sent } }) => {
			const { accuracy_m: accuracy, ...point } = sent;
			const request = { code: params.canonical, position: { ...point, accuracy } };
			return { recovery_code: await recoverAtPin(registry, caller, request) };
		},
	}),
];
