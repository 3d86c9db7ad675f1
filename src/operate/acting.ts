/** What the endpoints of operators have in common. */

import type { ProblemCode } from "../errors.ts";
import { json } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import type { LazySchema, ValueOf } from "../lazy.ts";
import type { Registry } from "../registry.ts";
import { timestamp } from "../time.ts";
import type { Mandate } from "./identity.ts";
import type { OperatorAct } from "./operate-store.ts";
import { operator } from "./operator-access.ts";
import { actSchema } from "./schemas.ts";

/** What each of them says: a path behind `/v1/operator/` for operators alone, in their chapter of the documentation. */
export function forOperators<Method extends "get" | "post">(method: Method, path: string) {
	return { method, path: `/v1/operator/${path}`, tag: "Operate", access: operator };
}

/** The record of an act. */
export function actRecord({ at, userId, requestId, ...kept }: OperatorAct): ValueOf<typeof actSchema> {
	const { id, operator, act, detail, subject, reason } = kept;
	const account = userId || null;
	return { id, at: timestamp(at), operator, act, detail, subject, account, reason, request_id: requestId };
}

/** The endpoint of an act: a POST by an operator who gives a reason, answered by the record of the act. */
export function actEndpoint<Params, Body extends { reason: string }>({
	path,
	act,
	...described
}: {
	/** Behind `/v1/operator/`. */
	path: string;
	id: string;
	summary: string;
	description: string;
	params: LazySchema<Params>;
	body: LazySchema<Body>;
	errors?: readonly ProblemCode[];
	act(registry: Registry, mandate: Mandate, params: Params, body: Body): Promise<OperatorAct>;
}): Endpoint {
	return endpoint({
		...forOperators("post", path),
		...described,
		answer: json(200, actSchema, "The act, as it is kept."),
		handle: async ({ registry, caller, params, body }) =>
			actRecord(await act(registry, { operator: caller, reason: body.reason }, params, body)),
	});
}
