import type { PendingPhone } from "../accounts/phone-pending-store.ts";
import { sessionRecord } from "../accounts/record.ts";
import { account } from "../acts/account-acts.ts";
import { privateReadRecord, visitRecord } from "../addresses/address-record.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { keyRecord } from "../keys/key-record.ts";
import type { ValueOf } from "../schemas/lazy.ts";
import { timestamp, timestampOrNull } from "../time/time.ts";
import { type AccountView, accountFor, agentsAtWork, findAccount, pendingPhonesFor } from "./actions.ts";
import { actRecord, forOperators } from "./operator-endpoint.ts";
import {
	accountSchema,
	agentListSchema,
	findRequestSchema,
	pendingPhoneListSchema,
	type pendingPhoneSchema,
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
	const { user, pending, claim, recovery, allowance, sessions, keys, addresses, attested, reads, acts } = view;
	return {
		id: user.id,
		phone: user.phone,
		phone_verified: user.phoneVerified,
		pending_phone: pending ? pendingPhoneRecord(pending) : null,
		phone_claimed: claim ? pendingPhoneRecord(claim) : null,
		recovery: recovery
			? {
					agent: recovery.agentId,
					asked_at: timestamp(recovery.askedAt),
					available_at: timestamp(recovery.availableAt),
					lapses_at: timestamp(recovery.lapsesAt),
					shown_at: timestampOrNull(recovery.shownAt),
				}
			: null,
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
		...forOperators("post", "accounts/find"),
		id: "findAccount",
		summary: "Find a person",
		description:
			"Finds an account by its phone number, its id or the code of an address. The search is recorded as an act.",
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
			"Returns what the registry holds of an account, without secrets. That you looked is recorded, once an hour, and the person sees it in their export.",
		params: account.params,
		answer: json(200, accountSchema, "The account."),
		handle: async ({ registry, caller, params }) => accountViewRecord(await accountFor(registry, caller, params.id)),
	}),
	endpoint({
		...forOperators("get", "pending-phones"),
		id: "listPendingPhones",
		summary: "List phone numbers that two accounts claim",
		description:
			"Lists up to 100 numbers that agents attested and holders have accepted, and that need your decision, mostly because another account has them. The oldest come first. The account that has the number is shown the claim. Its silence is not consent.",
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
];
