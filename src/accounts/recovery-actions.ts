/**
 * Recovery in person, for a holder who has neither password, recovery code nor SMS. An operator asks for it with a reason, and names an
 * agent, who is another person. Seven days later that agent stands at a pin of the account and is shown a recovery code to hand over. Any
 * use of a session or key of the account in between ends the recovery, so that nobody takes over an account in use. For 15 minutes the
 * agent can get another code, which replaces the first, because an answer can be lost on the line.
 */
import type { Caller } from "../db/caller.ts";
import { inOneTrip, type Statements } from "../db/statement.ts";
import { AppError, invalidField } from "../errors.ts";
import { spendingTry } from "../limits/daily-limits.ts";
import { showSuspicion } from "../limits/suspicious.ts";
import type { Registry } from "../registry.ts";
import { recovery } from "../settings/limits.ts";
import { DAY } from "../time/time.ts";
import { deliver } from "../verification/gateway.ts";
import { accountIdOfPhone } from "./actions.ts";
import { callingCodeForSms } from "./phone-reader.ts";
import { newRecoveryCode } from "./recovery-code.ts";
import * as recoveryStore from "./recovery-store.ts";
import * as accountStore from "./store.ts";
import type { User } from "./user-store.ts";

/** The account with an id or a phone number. @throws AppError INVALID_REQUEST if it is neither. */
async function accountIdOf(registry: Registry, named: string): Promise<string> {
	if (/^usr_/.test(named)) return named;
	try {
		return (await accountIdOfPhone(registry, named)) ?? "";
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		throw invalidField("agent", "Name the agent by account id or by phone number with its country code.");
	}
}

/**
 * The id of the agent whom an operator names to end a recovery.
 * @param named An account id, or a phone number.
 * @throws AppError INVALID_REQUEST for the holder, somebody who is no agent or whom the operator made one, and an agent who cannot sign in.
 */
export async function agentNamed(
	registry: Registry,
	named: string,
	{ holderId, operator }: { holderId: string; operator: string },
): Promise<string> {
	const agentId = await accountIdOf(registry, named);
	if (agentId === holderId) throw invalidField("agent", "This is the holder. Name another person, who is an agent.");
	const [agent] = await inOneTrip(registry.database, recoveryStore.candidate({ agentId, operator }));
	// Whether such an account exists is told by finding it, which is recorded.
	if (agent?.role !== "agent") throw invalidField("agent", "No agent has this account id or phone number.");
	if (agent.suspendedAt !== null) throw invalidField("agent", "This agent is suspended. Name another.");
	if (agent.eraseAt !== null) throw invalidField("agent", "This agent has closed their account. Name another.");
	if (agent.isOwn) throw invalidField("agent", "You made this account an agent. Name one whom another operator made.");
	return agentId;
}

/**
 * Records that an operator asks for the recovery of an account, and which agent may end it. Refuses if the account is in use, or the
 * operator has asked for too many.
 */
export function askingRecovery({ now }: Registry, userId: string, agentId: string, operator: string): Statements {
	return {
		isFew: recoveryStore.assertFewAsked({ operator, now }),
		isUnused: recoveryStore.assertUnused({ userId, now }),
		asked: recoveryStore.ask({ userId, agentId, now }),
	};
}

/** Tells the number of an account by SMS, after the answer, that somebody asked for its recovery. It is logged if that fails. */
export function noticeRecovery(registry: Registry, userId: string): void {
	const { settings, database, afterAnswer, log, webUrl } = registry;
	const gateway = settings.otpGateway;
	if (!gateway) return;
	const notice = async () => {
		const [{ phone } = { phone: null }] = await inOneTrip(database, accountStore.userById({ id: userId }));
		if (phone === null) return;
		await callingCodeForSms(settings.smsCallingCodes, phone);
		const days = recovery.wait / DAY;
		const text = `Somebody asked ${new URL(webUrl).host} to let them back into your account. If it was not you, sign in within ${days} days to stop it.`;
		const delivery = await deliver(gateway, phone, text);
		if (delivery !== "accepted") throw new Error(`The gateway did not accept it: ${delivery}`);
	};
	afterAnswer(notice().catch(() => log("warn", "recovery_notice_not_sent", { user: userId })));
}

/** A recovery that was asked for and has not lapsed. Times are milliseconds since the epoch. */
export interface PendingRecovery {
	agentId: string;
	askedAt: number;
	/** Between when the agent can be shown the code. */
	availableAt: number;
	lapsesAt: number;
	/** When the agent was first shown a code. */
	shownAt: number | null;
}

/** The recovery of an account that is pending. */
export function pendingRecoveryOf(user: User, now: number): PendingRecovery | undefined {
	const { recoveryRequestedAt: askedAt, recoveryAgentId: agentId, recoveryGivenAt: shownAt } = user;
	if (askedAt === null || agentId === null || askedAt <= now - recovery.lapse) return undefined;
	return { agentId, askedAt, availableAt: askedAt + recovery.wait, lapsesAt: askedAt + recovery.lapse, shownAt };
}

/**
 * Makes a recovery code for an account whose recovery is due. Only this call returns it. Each try counts as an attestation, so that an
 * agent who tries many accounts or positions is stopped, and a miss is shown to operators.
 * @param isAtPin Whether the agent stands at a pin of the account.
 * @throws AppError NOT_FOUND if none is due that this agent may end here, QUOTA_EXCEEDED, FORBIDDEN if the caller is not an agent.
 */
export async function giveRecoveryCode(
	registry: Registry,
	agent: Caller,
	userId: string,
	isAtPin: boolean,
): Promise<string> {
	const { code, hash: recoveryHash } = newRecoveryCode();
	const {
		given: [given],
	} = await agent.run(registry.database, (agentId) => ({
		tried: spendingTry(registry, "attestations", agentId),
		given: recoveryStore.give({ userId, agentId, isAtPin: isAtPin ? 1 : 0, recoveryHash, now: registry.now }),
	}));
	const who = { user: userId, agent: agent.userId };
	if (!given) {
		showSuspicion(registry, "recovery_code_refused", who);
		throw new AppError(
			"NOT_FOUND",
			"There is no recovery that you may end here. An operator must have asked for it at least 7 days ago and named you, and you must have been an agent ever since. The account must not have been used since, and you must be at the point of the address.",
		);
	}
	registry.log("warn", "recovery_code_given", who);
	return code;
}
