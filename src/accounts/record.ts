import type { ValueOf } from "../lazy.ts";
import type { userSchema } from "./schemas.ts";
import type { User } from "./user-store.ts";

/** The record of an account, as its owner sees it. */
export function userRecord(user: User): ValueOf<typeof userSchema> {
	return {
		id: user.id,
		phone: user.phone,
		phone_verified: user.phoneVerified,
		created_at: new Date(user.createdAt).toISOString(),
	};
}
