/** What the endpoints of operators have in common. */

import type { ValueOf } from "../schemas/lazy.ts";
import { timestamp } from "../time/time.ts";
import type { OperatorAct } from "./operate-store.ts";
import { operator } from "./operator-access.ts";
import type { actSchema } from "./schemas.ts";

/** What each of them says: a path behind `/v1/operator/` for operators alone, in their chapter of the documentation. */
export function forOperators<Method extends "get" | "post">(method: Method, path: string) {
	return { method, path: `/v1/operator/${path}`, tag: "Operate", access: operator };
}

/** The record of an act. */
export function actRecord({ at, userId, requestId, ...recorded }: OperatorAct): ValueOf<typeof actSchema> {
	const { id, operator, act, detail, subject, reason } = recorded;
	const account = userId || null;
	return { id, at: timestamp(at), operator, act, detail, subject, account, reason, request_id: requestId };
}
