/** What operators do to accounts. */
import * as z from "zod/mini";
import type { PendingPhone } from "../accounts/phone-pending-store.ts";
import { agentNamed, askingRecovery, noticeRecovery, pendingRecoveryOf } from "../accounts/recovery-actions.ts";
import * as accountStore from "../accounts/store.ts";
import type { User } from "../accounts/user-store.ts";
import { countAddresses } from "../addresses/actions.ts";
import { newId } from "../crypto/random.ts";
import { assertChanged } from "../db/refusal.ts";
import { inOneTrip, ofAccounts, type Statements } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { json } from "../http/answer.ts";
import { setAllowance } from "../limits/daily-limits.ts";
import type { Allowance } from "../limits/store.ts";
import type { Registry } from "../registry.ts";
import { answered, described, identifier, sent, timeSchema } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";
import { recovery } from "../settings/limits.ts";
import { timestamp } from "../time/time.ts";
import { type Act, type ActContext, act, answering, reason, type Target } from "./act.ts";

/** The highest limit that an operator can set for an account. */
const ALLOWANCE_MAX = 10_000_000;

/** Statements that refuse if there is no such account, followed by what is done to it. */
export function provingAccount(userId: string, done: Statements = {}): Statements {
	return { isAccount: accountStore.assertAccount({ userId }), ...done };
}

/** Refuses unless one account is missing, and the other exists and is not closed. */
export function provingHeir(missingId: string, userId: string): Statements {
	return { isHeir: ofAccounts(accountStore.assertHeir({ missingId, userId })) };
}

/** An account by its id. The statements of each act prove that it exists. */
const byId = {
	name: "account",
	path: "accounts/{id}",
	params: lazy(() => z.object({ id: identifier("usr", "The id of the account.") })),
	example: "usr_7dN3kq0vXW2mZrB8cT5yLa",
	printedBy: "find",
	find: async ({ database }: Registry, { id }: { id: string }) => ({ subject: id, userId: id, db: database }),
} as const;

/** An account, as operators act on it. */
export const account: Target<ActContext, { id: string }, { user: User; allowance: Allowance | undefined }> = {
	...byId,
	idOf: ({ user }) => user.id,
};

/** An account with a pending phone number. */
export const pendingAccount: Target<ActContext, { id: string }, PendingPhone> = {
	...byId,
	idOf: ({ userId }) => userId,
};

const allowance = (description: string, example: number) =>
	described(
		z.nullable(z.int().with(z.gte(0), z.lte(ALLOWANCE_MAX))),
		`${description} Without a number (null), the limit of every account applies.`,
		example,
	);

const roleRequest = sent("RoleRequest", () => ({ role: z.enum(["user", "agent"]), reason: reason() }));

const allowanceRequest = sent("AllowanceRequest", () => ({
	new_addresses_per_day: allowance("Addresses that it may create in a day (UTC).", 50_000),
	unknown_codes_per_minute: z._default(
		allowance("A number over 300 lifts the limits on codes that do not exist for the account.", 3_000),
		null,
	),
	reason: reason(),
}));

const recoveryRequest = sent("RecoveryRequest", () => ({
	agent: described(
		z.string().with(z.maxLength(64)),
		"The agent who is to meet the holder, by account id or by phone number with its country code. Another operator must have made them one.",
		"+2348031234567",
	),
	evidence: described(
		z.enum(["pin_on_site", "number_called"]),
		"How you know the holder: somebody met them at the pin, or the number of the account was called.",
		"pin_on_site",
	),
	reason: reason(),
}));

const recoveryAsked = answered("RecoveryAsked", () => ({
	account: identifier("usr", "The account."),
	agent: identifier("usr", "The agent whom you named."),
	available_at: described(
		timeSchema(),
		"From when on that agent is shown the code at a pin of the account, for 30 days.",
	),
}));

export const accountActs: Act[] = [
	act({
		name: "suspend",
		on: account,
		id: "suspendAccount",
		summary: "Suspend an account",
		description:
			"Its holder can no longer sign in, and its sessions and keys stop. Exporting and deleting their own data still work. Its addresses stay.",
		button: "Suspend this account",
		done: "Account suspended.",
		offer: ({ user }) => (user.suspendedAt === null ? {} : undefined),
		plan: ({ now }, { userId }) => ({
			statements: provingAccount(userId, {
				suspended: accountStore.setSuspension({ userId, at: now }),
				isChanged: assertChanged({}),
			}),
		}),
	}),
	act({
		name: "restore",
		// `restore` takes a registry back to a backup.
		command: "unsuspend",
		on: account,
		id: "restoreAccount",
		summary: "Restore a suspended account",
		description: "Its sessions and keys work again.",
		button: "Restore this account",
		done: "Account restored.",
		offer: ({ user }) => (user.suspendedAt === null ? undefined : {}),
		plan: (_, { userId }) => ({
			statements: provingAccount(userId, {
				restored: accountStore.setSuspension({ userId, at: null }),
				isChanged: assertChanged({}),
			}),
		}),
	}),
	act({
		name: "sign-out",
		on: account,
		id: "signAccountOut",
		summary: "End all sessions of an account",
		description: "Signs every device out. Its keys keep working.",
		button: "End all sessions of this account",
		done: "All sessions of the account ended.",
		plan: ({ now }, { userId }) => ({
			statements: provingAccount(userId, {
				...accountStore.revokeSessions({ userId, now, exceptId: "" }),
				isChanged: assertChanged({}),
			}),
		}),
	}),
	act({
		name: "pass-phone",
		on: pendingAccount,
		id: "passPhone",
		summary: "Give an account its pending phone number",
		description:
			"The holder has accepted it. An account that has the number loses it, and its holder can no longer sign in with it.",
		button: "Give the number to this account",
		done: "Number given to the account.",
		offer: ({ acceptedAt }) => (acceptedAt === null ? undefined : {}),
		async plan({ database, now }, { userId }) {
			const [pending] = await inOneTrip(database, accountStore.pendingOf({ userId }));
			const passing = { userId, now, reservedSince: 0, isDecided: 1 as const, proofId: newId("prf") };
			return {
				// Refuses if the holder has accepted no number.
				statements: provingAccount(userId, {
					mayPass: accountStore.assertMayPass(passing),
					...accountStore.passPending(passing),
				}),
				also: pending?.holderId ? { userId: pending.holderId, detail: "lost its number" } : undefined,
			};
		},
	}),
	act({
		name: "refuse-phone",
		on: pendingAccount,
		id: "refusePhone",
		summary: "Refuse the pending phone number of an account",
		description: "Forgets the number. No account changes its number.",
		button: "Refuse the number",
		done: "Number refused.",
		plan: (_, { userId }) => ({
			// Refuses if no number is pending, for example because it has passed already.
			statements: provingAccount(userId, {
				isPending: accountStore.assertPending({ userId }),
				forgotten: accountStore.deletePending({ userId }),
			}),
		}),
	}),
	act({
		name: "role",
		on: account,
		id: "setAccountRole",
		summary: "Change whether somebody is an agent",
		description: "An agent can attest addresses and phone numbers.",
		button: (filled) =>
			filled.get("role") === "agent" ? "Make this account an agent" : "End this account's role as an agent",
		done: "Role changed.",
		body: roleRequest,
		offer: ({ user }) => ({ role: user.role === "agent" ? "user" : "agent" }),
		plan: (_, { userId }, { role }) => ({
			detail: role,
			statements: provingAccount(userId, {
				given: accountStore.setRole({ userId, role }),
				isChanged: assertChanged({}),
			}),
		}),
	}),
	act({
		name: "allowance",
		on: account,
		id: "setAccountAllowance",
		summary: "Set what an account may do in a day",
		description: "Gives the account limits of its own, in place of those that it had.",
		button: "Set the limits of this account",
		done: "Limits of the account set.",
		body: allowanceRequest,
		offer: ({ allowance }) => ({
			new_addresses_per_day: String(allowance?.newAddressesPerDay ?? ""),
			unknown_codes_per_minute: String(allowance?.unknownCodesPerMinute ?? ""),
		}),
		plan(
			_,
			{ userId },
			{ new_addresses_per_day: newAddressesPerDay, unknown_codes_per_minute: unknownCodesPerMinute },
		) {
			return {
				detail: `${newAddressesPerDay ?? "usual"} new addresses a day, ${unknownCodesPerMinute ?? "usual"} unknown codes a minute`,
				statements: provingAccount(userId, {
					allowed: setAllowance({ userId, newAddressesPerDay, unknownCodesPerMinute }),
				}),
			};
		},
	}),
	act({
		name: "recovery",
		on: account,
		id: "recoverAccount",
		summary: "Let a holder who has lost everything back in",
		description:
			"For a holder without password, recovery code and SMS. Seven days later the agent whom you name is shown a recovery code at a pin of the account, to hand over. Where SMS are on, the number of the account is told at once. Any use of a session or key ends it. An account that was used in the last 30 days, or that has more than 20 addresses, is refused. You may ask for 5 a day.",
		button: "Let the holder back in",
		done: "Recovery requested. In seven days the agent whom you named is shown a recovery code at a pin of the account.",
		body: recoveryRequest,
		errors: ["QUOTA_EXCEEDED"],
		async plan(registry, { userId }, { agent, evidence }, { operator }) {
			const count = await countAddresses(registry, userId);
			if (count === 0 || count > recovery.addressesMax) {
				const detail = `Only an account with 1 to ${recovery.addressesMax} addresses is recovered in person. This one has ${count}.`;
				throw new AppError("INVALID_REQUEST", detail);
			}
			const agentId = await agentNamed(registry, agent, { holderId: userId, operator: operator.name });
			return {
				detail: `${evidence}, by ${agentId}`,
				statements: provingAccount(userId, askingRecovery(registry, userId, agentId, operator.name)),
				announce: async () => noticeRecovery(registry, userId),
			};
		},
		answers: answering(json(202, recoveryAsked, "It waits."), async ({ database, now }, { userId }) => {
			const [user] = await inOneTrip(database, accountStore.userById({ id: userId }));
			const pending = user && pendingRecoveryOf(user, now);
			if (!pending) throw new Error("A recovery was asked for and is not pending");
			return { account: userId, agent: pending.agentId, available_at: timestamp(pending.availableAt) };
		}),
	}),
];
