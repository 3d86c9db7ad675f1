import type { ValueOf } from "../schemas/lazy.ts";
import { timestamp } from "../time/time.ts";
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

/** An account as its holder sees it, with the number that is pending for it and the claim on its own number. */
export interface OwnAccount {
	user: User;
	pending: PendingPhone | undefined;
	claim: PendingPhone | undefined;
}

/** The record of an account as its holder sees it, with its pending number and the claim on its own number. */
export function ownAccountRecord({ user, pending, claim }: OwnAccount): ValueOf<typeof ownAccountSchema> {
	return {
		...userRecord(user),
		pending_phone: pending?.phone ?? null,
		phone_claimed: claim ? { objected: claim.objectedAt !== null } : null,
	};
}

/** The record of a session. It does not say whether the session is the caller's own. */
export function sessionRecord(session: Pick<Session, "id" | "device" | "createdAt" | "lastSeenAt">) {
	const { id, device, createdAt, lastSeenAt } = session;
	return {
		id,
		device: device || null,
		created_at: timestamp(createdAt),
		last_used_at: timestamp(lastSeenAt ?? createdAt),
	};
}
