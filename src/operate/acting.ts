/** What the endpoints of all acts have in common. */

import type { ProblemCode } from "../errors.ts";
import { json } from "../http/answer.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { LazySchema, ValueOf } from "../lazy.ts";
import { timestamp } from "../time.ts";
import type { Operator } from "./identity.ts";
import type { OperatorAct } from "./operate-store.ts";
import { operator } from "./operator-access.ts";
import { actSchema } from "./schemas.ts";

/** The chapter of the documentation. */
export const OPERATE_TAG = "Operate";

/** The record of an act. */
export function actRecord(act: OperatorAct): ValueOf<typeof actSchema> {
	const { id, at, operator, act: name, detail, subject, userId, reason, requestId } = act;
	const account = userId || null;
	return {
		id,
		at: timestamp(at),
		operator,
		act: name,
		detail,
		subject,
		account,
		reason,
		request_id: requestId,
	};
}

/** What every act's endpoint is: a POST by an operator, answered by the record of the act. */
export function act<Params, Body>(
	path: string,
	id: string,
	texts: { summary: string; description: string; errors?: ProblemCode[] },
	params: LazySchema<Params>,
	body: LazySchema<Body>,
) {
	return {
		method: "post",
		path: `/v1/operator/${path}`,
		id,
		tag: OPERATE_TAG,
		access: operator,
		params,
		body,
		answer: json(200, actSchema, "The act, as it is kept."),
		...texts,
	} satisfies Omit<Endpoint<Operator, Params, unknown, unknown, Body>, "handle">;
}
