/**
 * What an agent's word on a number is good for: it verifies the number that an account has, and any other waits for the holder of the
 * account. Whoever has the number set on an account can set its password by SMS, so no agent may do that alone.
 */
import { explaining, refusalOf } from "../db/refusal.ts";
import { retryIdempotent } from "../db/retry.ts";
import { inOneTrip } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { withinWrites } from "../limits/daily-limits.ts";
import { newId } from "../random.ts";
import type { Registry } from "../registry.ts";
import { confirmNewNumber, passwordRefusals } from "./actions.ts";
import type { SignedInCaller } from "./caller.ts";
import { parsePhone } from "./phone.ts";
import { OTHER_PHONE_PENDING, PHONE_CHANGED } from "./phone-pending-store.ts";
import { passPhone, phoneRefusals, reservedSince } from "./phone-proof.ts";
import type { OwnAccount } from "./record.ts";
import { accountStore } from "./store.ts";

/** What an agent attests: that the person they met, who has this account, holds a phone. */
interface PhoneAttestation {
	phone: string;
	userId: string;
}

/**
 * Verifies the phone of an account because an agent met the person who holds it. A number that is not the account's own waits until its
 * holder accepts it, as `isPending` says. Whether another account has it makes no difference to the answer.
 * @throws AppError INVALID_PHONE, PHONE_TAKEN; FORBIDDEN while another number waits; NOT_FOUND when there is no such account;
 * QUOTA_EXCEEDED.
 */
export async function attestPhone(
	registry: Registry,
	caller: SignedInCaller,
	attestation: PhoneAttestation,
): Promise<PhoneAttestation & { isPending: boolean }> {
	const { userId } = attestation;
	const store = accountStore(registry);
	const { now } = registry;
	const { userId: agentId } = caller.claims;
	const phone = parsePhone(attestation.phone);
	const [holder] = await caller.run(store.userById({ id: userId }));
	if (!holder) throw new AppError("NOT_FOUND", "No account has this id.");
	if (userId === agentId) throw new AppError("FORBIDDEN", "Agents cannot attest their own phone number.");
	const isPending = holder.phone !== phone;
	const attesting = isPending
		? {
				isFree: store.assertNotReserved({ phone, userId, reservedSince: reservedSince(registry) }),
				isAlone: store.assertNoOther({ userId, phone }),
				held: store.hold({ userId, phone, agentId, attestedAt: now }),
			}
		: {
				isOwn: store.assertPhoneOf({ userId, phone }),
				...passPhone(store, { userId, phone, method: "agent", agentId, provedAt: now }),
			};
	try {
		await withinWrites(registry, caller, "attestations", registry.database, (_, spend) => ({ ...attesting, ...spend }));
	} catch (error) {
		if (refusalOf(error) === PHONE_CHANGED) return attestPhone(registry, caller, attestation);
		const detail = "Another number waits for the holder of this account. Ask them to decline that one first.";
		const isWaiting = () => new AppError("FORBIDDEN", detail);
		return explaining({ ...phoneRefusals(), [OTHER_PHONE_PENDING]: isWaiting })(error);
	}
	const concerned = { user: userId, phone, agent: agentId };
	if (isPending) registry.log("warn", "phone_pending", concerned, { by: "agent" });
	else registry.log("info", "phone_verified", concerned, { by: "agent", replaced: false });
	return { userId, phone, isPending };
}

/** Reads an account with what waits for its phone. */
export function readingOwnAccount(registry: Registry, userId: string) {
	const store = accountStore(registry);
	return {
		users: store.userById({ id: userId }),
		pendings: store.pendingOf({ userId }),
		claims: store.claimOn({ userId }),
	};
}

/** An account with what waits for its phone, in a trip that `run` makes; undefined where there is none. */
export async function ownAccountOf(
	registry: Registry,
	userId: string,
	run = inOneTrip,
): Promise<OwnAccount | undefined> {
	const { users, pendings, claims } = await run(readingOwnAccount(registry, userId));
	return users[0] && { user: users[0], pending: pendings[0], claim: claims[0] };
}

/** The account of a signed-in user. @throws AppError INVALID_TOKEN when their session has ended. */
export async function ownAccount(registry: Registry, caller: SignedInCaller): Promise<OwnAccount> {
	const account = await ownAccountOf(registry, caller.claims.userId, caller.run);
	if (!account) throw new Error("A session was proved whose user does not exist");
	return account;
}

const nothingPending = () => new AppError("NOT_FOUND", "No phone number waits for your answer.");

/** Under which terms a number passes now without an operator. */
function termsOf(registry: Registry) {
	return { now: registry.now, reservedSince: reservedSince(registry), isDecided: 0 as const };
}

/**
 * Answers whether the number that an agent attested is the signed-in user's own. It then replaces the one that they sign in with, so they
 * prove their password too. Where another account has the number, it passes later, or not.
 * @throws AppError NOT_FOUND, INVALID_CREDENTIALS, RATE_LIMITED; INVALID_REQUEST when the password is missing.
 */
export async function answerPendingPhone(
	registry: Registry,
	caller: SignedInCaller,
	{ accepts, password }: { accepts: boolean; password: string | undefined },
): Promise<OwnAccount> {
	const store = accountStore(registry);
	const { userId } = caller.claims;
	const { user, pending } = await ownAccount(registry, caller);
	if (!pending) throw nothingPending();
	const { phone, agentId: agent } = pending;
	if (!accepts) {
		await caller.run(store.forget({ userId }));
		registry.log("warn", "phone_declined", { user: userId, phone, agent });
		return ownAccount(registry, caller);
	}
	await confirmNewNumber(registry, caller, password);
	const passing = { userId, proofId: newId("prf"), ...termsOf(registry) };
	const accepting = retryIdempotent(() =>
		caller.run({
			isSamePassword: store.assertPassword(userId, user.passwordHash),
			accepted: store.accept({ userId, phone, now: registry.now }),
			...store.passPending(passing),
		}),
	);
	const { holders } = await accepting.catch(explaining(passwordRefusals()));
	const concerned = { user: userId, phone, agent };
	if (holders.length > 0) registry.log("info", "phone_verified", concerned, { by: "agent", replaced: true });
	else registry.log("warn", "phone_claimed", concerned);
	return ownAccount(registry, caller);
}

/**
 * Objects to the number of the signed-in user passing to another account. An operator then decides.
 * @throws AppError NOT_FOUND where nobody else has accepted it.
 */
export async function objectToClaim(registry: Registry, caller: SignedInCaller): Promise<OwnAccount> {
	const { userId } = caller.claims;
	const { user, claim } = await ownAccount(registry, caller);
	if (!claim) throw new AppError("NOT_FOUND", "No other account has claimed your phone number.");
	await retryIdempotent(() => caller.run(accountStore(registry).object({ userId, now: registry.now })));
	registry.log("warn", "phone_claim_objected", { user: userId, phone: user.phone ?? undefined });
	return ownAccount(registry, caller);
}

/** Passes up to `count` numbers whose notice is over, at most two at once. Returns how many passed. */
export async function passDuePhones(registry: Registry, count: number): Promise<number> {
	const store = accountStore(registry);
	const terms = termsOf(registry);
	const due = await inOneTrip(store.duePhones({ ...terms, limit: Math.min(count, 2) }));
	let passed = 0;
	for (const { userId } of due) {
		const passing = { ...terms, userId, proofId: newId("prf") };
		const { holders } = await inOneTrip(store.passPending(passing));
		for (const { phone } of holders) {
			passed += 1;
			const concerned = { user: userId, phone: phone ?? undefined };
			registry.log("info", "phone_verified", concerned, { by: "agent", replaced: true });
		}
	}
	return passed;
}
