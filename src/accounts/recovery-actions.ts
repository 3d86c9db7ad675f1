/**
 * How the holder of an account gets back in who has neither the password nor the recovery code nor SMS: an operator asks for it with a
 * reason, and seven days later an agent, another person, who stands at a pin of the account is shown a recovery code to hand over. Whoever
 * uses a session or a key of the account in between ends it, so that no account in use is taken by it. For a quarter of an hour the same
 * agent gets another code, which replaces the former, because an answer can be lost on the line.
 */
import type { Caller } from "../db/caller.ts";
import type { Statements } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import { newRecoveryCode } from "./recovery-code.ts";
import * as recoveryStore from "./recovery-store.ts";

/** Notes that an operator asks for the recovery of an account; refuses where it is in use, or the operator asked for too many. */
export function askingRecovery({ now }: Registry, userId: string, operator: string): Statements {
	return {
		isFew: recoveryStore.assertFewAsked({ operator, now }),
		isUnused: recoveryStore.assertUnused({ userId, now }),
		asked: recoveryStore.ask({ userId, now }),
	};
}

/**
 * Makes a recovery code of an account whose recovery is due, which is returned only here.
 * @param agent Stands at a pin of the account.
 * @throws AppError NOT_FOUND where none is due, FORBIDDEN for a caller who is no agent.
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
