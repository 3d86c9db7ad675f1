/**
 * Recovery in person, for a holder who has neither password, recovery code nor SMS. An operator asks for it with a reason. Seven days later
 * an agent, who is another person, stands at a pin of the account and is shown a recovery code to hand over. Any use of a session or key of
 * the account in between ends the recovery, so that nobody takes over an account in use. For 15 minutes the same agent can get another
 * code, which replaces the first, because an answer can be lost on the line.
 */
import type { Caller } from "../db/caller.ts";
import type { Statements } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { newRecoveryCode } from "./recovery-code.ts";
import * as recoveryStore from "./recovery-store.ts";

/**
 * Records that an operator asks for the recovery of an account. Refuses if the account is in use, or the operator has asked for too many.
 */
export function askingRecovery({ now }: Registry, userId: string, operator: string): Statements {
	return {
		isFew: recoveryStore.assertFewAsked({ operator, now }),
		isUnused: recoveryStore.assertUnused({ userId, now }),
		asked: recoveryStore.ask({ userId, now }),
	};
}

/**
 * Makes a recovery code for an account whose recovery is due. Only this call returns it.
 * @param agent An agent who stands at a pin of the account.
 * @throws AppError NOT_FOUND if none is due, FORBIDDEN if the caller is not an agent.
 */
export async function giveRecoveryCode(registry: Registry, agent: Caller, userId: string): Promise<string> {
	const { code, hash: recoveryHash } = newRecoveryCode();
	await agent.run(registry.database, (agentId) => ({
		isDue: recoveryStore.assertDue({ userId, agentId, now: registry.now }),
		given: recoveryStore.give({ userId, recoveryHash, agentId, now: registry.now }),
	}));
	registry.log("warn", "recovery_code_given", { user: userId, agent: agent.userId });
	return code;
}
