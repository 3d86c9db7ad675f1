import type { PendingPhone } from "../accounts/operator-actions.ts";
import { sessionRecord } from "../accounts/record.ts";
import { privateReadRecord, visitRecord } from "../addresses/address-record.ts";
import { CODE_ERRORS } from "../addresses/code-schemas.ts";
import { parseCode } from "../codes/code.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { keyRecord } from "../keys/key-record.ts";
import { keyParameterSchema } from "../keys/schemas.ts";
import type { ValueOf } from "../lazy.ts";
import { timestamp, timestampOrNull } from "../time.ts";
import { actEndpoint, actRecord, forOperators } from "./acting.ts";
import {
	type AccountAct,
	type AccountView,
	accountFor,
	actOnAccount,
	agentsAtWork,
	allow,
	findAccount,
	giveRole,
	grantScopes,
	handOver,
	pendingPhonesFor,
	recover,
	revokeKey,
} from "./actions.ts";
import {
	accountParameterSchema,
	accountSchema,
	actRequestSchema,
	agentListSchema,
	allowanceRequestSchema,
	findRequestSchema,
	handOverRequestSchema,
	pendingPhoneListSchema,
	type pendingPhoneSchema,
	recoveryAskedSchema,
	recoveryRequestSchema,
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

/** Acts on an account that need nothing but its id. */
const ACTS: [name: AccountAct, id: string, summary: string, description: string][] = [
	[
		"suspend",
		"suspendAccount",
		"Suspend an account",
		"Its holder can no longer sign in, and its sessions and keys stop. Exporting and deleting their own data still work. Its addresses stay.",
	],
	["restore", "restoreAccount", "Restore a suspended account", "Its sessions and keys work again."],
	["sign-out", "signAccountOut", "End all sessions of an account", "Signs every device out. Its keys keep working."],
	[
		"pass-phone",
		"passPhone",
		"Give an account the number that waits for it",
		"The holder has accepted it. An account that has the number loses it, and its holder can no longer sign in with it.",
	],
	[
		"refuse-phone",
		"refusePhone",
		"Refuse the number that waits for an account",
		"Forgets the number. No account changes its number.",
	],
];

export const operatorAccountEndpoints: Endpoint[] = [
	endpoint({
		...forOperators("post", "accounts/find"),
		id: "findAccount",
		summary: "Find a person",
		description:
			"Finds an account by its phone number, its id or the code of an address. The search is kept as an act.",
		body: findRequestSchema,
		answer: json(200, accountSchema, "The account."),
		errors: ["INVALID_PHONE", "ADDRESS_NOT_FOUND", "ADDRESS_RETIRED"],
		handle: async ({ registry, caller, body: { reason, ...search } }) =>
			accountViewRecord(await findAccount(registry, { operator: caller, reason }, search)),
	}),
	endpoint({
		...forOperators("get", "accounts/{id}"),
		id: "getAccount",
		summary: "Read an account",
		description:
			"Returns what the registry holds of an account, without secrets. That you looked is kept, once an hour, and the person sees it in their export.",
		params: accountParameterSchema,
		answer: json(200, accountSchema, "The account."),
		handle: async ({ registry, caller, params }) => accountViewRecord(await accountFor(registry, caller, params.id)),
	}),
	...ACTS.map(([name, id, summary, description]) =>
		actEndpoint({
			path: `accounts/{id}/${name}`,
			id,
			summary,
			description,
			params: accountParameterSchema,
			body: actRequestSchema,
			act: (registry, mandate, { id: userId }) => actOnAccount(registry, mandate, name, userId),
		}),
	),
	endpoint({
		...forOperators("get", "pending-phones"),
		id: "listPendingPhones",
		summary: "List phone numbers that two accounts claim",
		description:
			"Lists up to 100 numbers that agents attested and holders have accepted, and that wait for your decision, mostly because another account has them. Those that wait longest come first. The account that has the number is shown the claim. That it says nothing is no consent.",
		answer: json(200, pendingPhoneListSchema, "The numbers."),
		handle: async ({ registry, caller }) => ({
			data: (await pendingPhonesFor(registry, caller)).map(pendingPhoneRecord),
			next_cursor: null,
		}),
	}),
	endpoint({
		...forOperators("get", "agents"),
		id: "listAgents",
		summary: "List agents",
		description: "Lists up to 1,000 agents with what they did last, whoever attested last first.",
		answer: json(200, agentListSchema, "The agents."),
		handle: async ({ registry, caller }) => ({
			data: (await agentsAtWork(registry, caller)).map(
				({ id, phone, suspendedAt, attested, attestedAt, lately, readAt }) => ({
					account: id,
					phone,
					suspended_at: timestampOrNull(suspendedAt),
					last_attested: attested,
					last_attested_at: timestampOrNull(attestedAt),
					attested_last_day: lately,
					last_private_read_at: timestampOrNull(readAt),
				}),
			),
			next_cursor: null,
		}),
	}),
	actEndpoint({
		path: "accounts/{id}/role",
		id: "setAccountRole",
		summary: "Change whether somebody is an agent",
		description: "An agent can attest addresses and phone numbers.",
		params: accountParameterSchema,
		body: roleRequestSchema,
		act: (registry, mandate, { id }, { role }) => giveRole(registry, mandate, id, role),
	}),
	actEndpoint({
		path: "accounts/{id}/allowance",
		id: "setAccountAllowance",
		summary: "Set what an account may do in a day",
		description: "Gives the account limits of its own, in place of those that it had.",
		params: accountParameterSchema,
		body: allowanceRequestSchema,
		act: (registry, mandate, { id }, { new_addresses_per_day, unknown_codes_per_minute }) =>
			allow(registry, mandate, id, {
				newAddressesPerDay: new_addresses_per_day,
				unknownCodesPerMinute: unknown_codes_per_minute,
			}),
	}),
	endpoint({
		...forOperators("post", "accounts/{id}/recovery"),
		id: "recoverAccount",
		summary: "Let a holder back in who has lost everything",
		description:
			"For a holder without password, recovery code and SMS. Seven days later an agent, whom another operator made one, is shown a recovery code at a pin of the account, to hand over. Any use of a session or key ends it. An account that was used in the last 30 days, or that has more than 20 addresses, is refused. You may ask for 5 a day.",
		params: accountParameterSchema,
		body: recoveryRequestSchema,
		answer: json(202, recoveryAskedSchema, "It waits."),
		errors: ["QUOTA_EXCEEDED"],
		handle: async ({ registry, caller, params, body: { evidence, reason } }) => {
			const availableAt = await recover(registry, { operator: caller, reason }, params.id, evidence);
			return { account: params.id, available_at: timestamp(availableAt) };
		},
	}),
	actEndpoint({
		path: "accounts/{id}/hand-over",
		id: "handOverAddress",
		summary: "Give an account an address that waits for its holder",
		description:
			"Gives it a live address whose account is missing, as after a restore. No other address changes hands.",
		errors: CODE_ERRORS,
		params: accountParameterSchema,
		body: handOverRequestSchema,
		act: (registry, mandate, { id }, { code }) => handOver(registry, mandate, id, parseCode(code)),
	}),
	actEndpoint({
		path: "keys/{id}/revoke",
		id: "revokeKeyOfAccount",
		summary: "Revoke a key",
		description: "It stops at once and for good. The other keys of its account keep working.",
		errors: ["KEY_NOT_FOUND"],
		params: keyParameterSchema,
		body: actRequestSchema,
		act: (registry, mandate, { id }) => revokeKey(registry, mandate, id),
	}),
	actEndpoint({
		path: "keys/{id}/scopes",
		id: "setKeyScopes",
		summary: "Set what a key may do",
		description: "Replaces the scopes of a live key. `changes:read` is given nowhere else.",
		errors: ["KEY_NOT_FOUND"],
		params: keyParameterSchema,
		body: scopesRequestSchema,
		act: (registry, mandate, { id }, { scopes }) => grantScopes(registry, mandate, id, scopes),
	}),
];
