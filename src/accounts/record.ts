import type { ValueOf } from "../lazy.ts";
import { PENDING_PHONE_NOTICE } from "../limits/policy.ts";
import { timestamp } from "../time.ts";
import type { PendingPhone } from "./phone-pending-store.ts";
import type { ownAccountSchema, userSchema } from "./schemas.ts";
import type { Session } from "./session-store.ts";
import type { User } from "./user-store.ts";

export type { PendingPhone };

/** The record of an account, as its owner sees it. */
export function userRecord(user: User): ValueOf<typeof userSchema> {
	return {
		id: user.id,
		phone: user.phone,
		phone_verified: user.phoneVerified,
		created_at: timestamp(user.createdAt),
	};
}

/** An account as its holder sees it: with the number that waits for it, and what waits for its own number. */
export interface OwnAccount {
	user: User;
	pending: PendingPhone | undefined;
	claim: PendingPhone | undefined;
}

/** When a number passes to whoever accepted it; undefined while that is not known: before they accept, or where an operator decides. */
export function passesAt({ holderId, noticeSince, objectedAt }: PendingPhone, now: number): number | undefined {
	const at = (noticeSince ?? 0) + PENDING_PHONE_NOTICE;
	return holderId !== null && noticeSince !== null && objectedAt === null && at > now ? at : undefined;
}

/** The same with what waits for its phone. `now` is in milliseconds since the epoch. */
export function ownAccountRecord({ user, pending, claim }: OwnAccount, now: number): ValueOf<typeof ownAccountSchema> {
	const passing = (phone: NonNullable<typeof pending>) => {
		const at = passesAt(phone, now);
		return at === undefined ? null : timestamp(at);
	};
	return {
		...userRecord(user),
		pending_phone: pending?.phone ?? null,
		pending_phone_passes_at: pending ? passing(pending) : null,
		phone_claimed: claim ? { passes_at: passing(claim), objected: claim.objectedAt !== null } : null,
	};
}

/** The record of a session, without whether it is the caller's own. */
export function sessionRecord(session: Pick<Session, "id" | "device" | "createdAt" | "lastSeenAt">) {
	const { id, device, createdAt, lastSeenAt } = session;
	return {
		id,
		device: device || null,
		created_at: timestamp(createdAt),
		last_used_at: timestamp(lastSeenAt ?? createdAt),
	};
}
