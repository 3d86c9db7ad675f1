import { type PendingPhone, waitingPhones } from "../accounts/operator-actions.ts";
import { sessionRecord } from "../accounts/record.ts";
import { privateReadRecord, visitRecord } from "../addresses/address-record.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { keyRecord } from "../keys/key-record.ts";
import { keyParameterSchema } from "../keys/schemas.ts";
import type { ValueOf } from "../lazy.ts";
import { timestamp, timestampOrNull } from "../time.ts";
import { act, actRecord, OPERATE_TAG } from "./acting.ts";
import {
	type AccountView,
	accountFor,
	actOnAccount,
	agentsAtWork,
	allow,
	findAccount,
	giveRole,
	grantScopes,
} from "./actions.ts";
import { operator } from "./operator-access.ts";
import {
	accountParameterSchema,
	accountSchema,
	actRequestSchema,
	agentListSchema,
	allowanceRequestSchema,
	findRequestSchema,
	pendingPhoneListSchema,
	type pendingPhoneSchema,
	roleRequestSchema,
	scopesRequestSchema,
} from "./schemas.ts";

/** The record of a number that an agent attested for an account that has another one. */
function pendingPhoneRecord(pending: PendingPhone): ValueOf<typeof pendingPhoneSchema> {
	const { userId, phone, agentId, holderId, attestedAt, acceptedAt, objectedAt } = pending;
	return {
		account: userId,
		phone,
		agent: agentId,
		held_by: holderId,
		attested_at: timestamp(attestedAt),
		accepted_at: timestampOrNull(acceptedAt),
		objected_at: timestampOrNull(objectedAt),
	};
}

/** The record of an account as operators see it, without secrets. */
function accountViewRecord(view: AccountView): ValueOf<typeof accountSchema> {
	const { user, pending, claim, allowance, sessions, keys, addresses, attested, reads, acts } = view;
	return {
		id: user.id,
		phone: user.phone,
		phone_verified: user.phoneVerified,
		pending_phone: pending ? pendingPhoneRecord(pending) : null,
		phone_claimed: claim ? pendingPhoneRecord(claim) : null,
		role: user.role,
		created_at: timestamp(user.createdAt),
		suspended_at: timestampOrNull(user.suspendedAt),
		erase_at: timestampOrNull(user.eraseAt),
		allowance: {
			new_addresses_per_day: allowance?.newAddressesPerDay ?? null,
			unknown_codes_per_minute: allowance?.unknownCodesPerMinute ?? null,
		},
		sessions: sessions.map(sessionRecord),
		keys: keys.map(keyRecord),
		addresses: addresses.map(({ canonical, label, createdAt, hiddenAt }) => ({
			canonical,
			label,
			created_at: timestamp(createdAt),
			hidden_at: timestampOrNull(hiddenAt),
		})),
		attested: attested.map(visitRecord),
		private_reads: reads.map(privateReadRecord),
		acts: acts.map(actRecord),
	};
}

export const operatorAccountEndpoints: Endpoint[] = [
	endpoint({
		method: "post",
		path: "/v1/operator/accounts/find",
		id: "findAccount",
		tag: OPERATE_TAG,
		summary: "Find a person",
		description:
			"Finds an account by its phone number, its id or the code of an address. That somebody looked is kept.",
		access: operator,
		body: findRequestSchema,
		answer: json(200, accountSchema, "The account."),
		errors: ["INVALID_PHONE", "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED"],
		handle: async ({ registry, caller, body: { reason, ...search } }) =>
			accountViewRecord(await findAccount(registry, { operator: caller, reason }, search)),
	}),
	endpoint({
		method: "get",
		path: "/v1/operator/accounts/{id}",
		id: "getAccount",
		tag: OPERATE_TAG,
		summary: "Read an account",
		description: "Returns what the registry holds of an account, without secrets.",
		access: operator,
		params: accountParameterSchema,
		answer: json(200, accountSchema, "The account."),
		handle: async ({ registry, params }) => accountViewRecord(await accountFor(registry, params.id)),
	}),
	endpoint({
		...act(
			"accounts/{id}/suspend",
			"suspendAccount",
			{
				summary: "Suspend an account",
				description:
					"Its holder can no longer sign in, and its sessions and keys stop. Exporting and deleting their own data still work. Its addresses stay.",
			},
			accountParameterSchema,
			actRequestSchema,
		),
		handle: async ({ registry, caller, params, body }) =>
			actRecord(await actOnAccount(registry, { operator: caller, ...body }, "suspend", params.id)),
	}),
	endpoint({
		...act(
			"accounts/{id}/restore",
			"restoreAccount",
			{ summary: "Restore a suspended account", description: "Its sessions and keys work again." },
			accountParameterSchema,
			actRequestSchema,
		),
		handle: async ({ registry, caller, params, body }) =>
			actRecord(await actOnAccount(registry, { operator: caller, ...body }, "restore", params.id)),
	}),
	endpoint({
		...act(
			"accounts/{id}/sign-out",
			"signAccountOut",
			{ summary: "End all sessions of an account", description: "Signs every device out. Its keys go on working." },
			accountParameterSchema,
			actRequestSchema,
		),
		handle: async ({ registry, caller, params, body }) =>
			actRecord(await actOnAccount(registry, { operator: caller, ...body }, "sign-out", params.id)),
	}),
	endpoint({
		...act(
			"accounts/{id}/pass-phone",
			"passPhone",
			{
				summary: "Give an account the number that waits for it",
				description:
					"The holder has accepted it. An account that has the number loses it, and its holder can no longer sign in with it.",
			},
			accountParameterSchema,
			actRequestSchema,
		),
		handle: async ({ registry, caller, params, body }) =>
			actRecord(await actOnAccount(registry, { operator: caller, ...body }, "pass-phone", params.id)),
	}),
	endpoint({
		...act(
			"accounts/{id}/refuse-phone",
			"refusePhone",
			{ summary: "Refuse the number that waits for an account", description: "Forgets the number. Nothing passes." },
			accountParameterSchema,
			actRequestSchema,
		),
		handle: async ({ registry, caller, params, body }) =>
			actRecord(await actOnAccount(registry, { operator: caller, ...body }, "refuse-phone", params.id)),
	}),
	endpoint({
		method: "get",
		path: "/v1/operator/pending-phones",
		id: "listPendingPhones",
		tag: OPERATE_TAG,
		summary: "List numbers that wait",
		description:
			"Lists up to 100 numbers that agents attested and holders have accepted while another account has them, longest first. Decide on those whose account objected, or was not signed in to for seven days.",
		access: operator,
		answer: json(200, pendingPhoneListSchema, "The numbers."),
		handle: async ({ registry }) => ({
			data: (await waitingPhones(registry, 100)).map(pendingPhoneRecord),
			next_cursor: null,
		}),
	}),
	endpoint({
		method: "get",
		path: "/v1/operator/agents",
		id: "listAgents",
		tag: OPERATE_TAG,
		summary: "List agents",
		description: "Lists up to 1,000 agents with what they did last, whoever attested last first.",
		access: operator,
		answer: json(200, agentListSchema, "The agents."),
		handle: async ({ registry }) => ({
			data: (await agentsAtWork(registry)).map(({ id, phone, suspendedAt, attested, attestedAt, lately, readAt }) => ({
				account: id,
				phone,
				suspended_at: timestampOrNull(suspendedAt),
				last_attested: attested,
				last_attested_at: timestampOrNull(attestedAt),
				attested_last_day: lately,
				last_private_read_at: timestampOrNull(readAt),
			})),
			next_cursor: null,
		}),
	}),
	endpoint({
		...act(
			"accounts/{id}/role",
			"setAccountRole",
			{ summary: "Make or unmake an agent", description: "An agent can attest addresses and phone numbers." },
			accountParameterSchema,
			roleRequestSchema,
		),
		handle: async ({ registry, caller, params, body: { role, reason } }) =>
			actRecord(await giveRole(registry, { operator: caller, reason }, params.id, role)),
	}),
	endpoint({
		...act(
			"accounts/{id}/allowance",
			"setAccountAllowance",
			{
				summary: "Set what an account may do in a day",
				description: "Replaces the limits of every account by its own. Null returns to the limit of every account.",
			},
			accountParameterSchema,
			allowanceRequestSchema,
		),
		handle: async ({ registry, caller, params, body }) => {
			const {
				reason,
				new_addresses_per_day: newAddressesPerDay,
				unknown_codes_per_minute: unknownCodesPerMinute,
			} = body;
			const wanted = { newAddressesPerDay, unknownCodesPerMinute };
			return actRecord(await allow(registry, { operator: caller, reason }, params.id, wanted));
		},
	}),
	endpoint({
		...act(
			"keys/{id}/scopes",
			"setKeyScopes",
			{
				summary: "Set what a key may do",
				description: "Replaces the scopes of a live key. `changes:read` is given nowhere else.",
				errors: ["KEY_NOT_FOUND"],
			},
			keyParameterSchema,
			scopesRequestSchema,
		),
		handle: async ({ registry, caller, params, body: { scopes, reason } }) =>
			actRecord(await grantScopes(registry, { operator: caller, reason }, params.id, scopes)),
	}),
];
