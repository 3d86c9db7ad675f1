/** The endpoints by which holders look after their account: where it is signed in, and how they get back in. */
import type * as z from "zod";
import { json, noContent } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { accountStore, authCallLimit, user } from "./authentication.ts";
import { sessionListSchema, sessionParameterSchema, type sessionSchema } from "./schemas.ts";
import { endOwnSession } from "./session.ts";
import type { Session } from "./store.ts";

/** The record of a session, as its holder sees it. */
export function sessionRecord(session: Session, currentId: string): z.infer<typeof sessionSchema> {
	const { id, device, createdAt, lastSeenAt } = session;
	return {
		id,
		device: device || null,
		created_at: new Date(createdAt).toISOString(),
		last_used_at: new Date(lastSeenAt ?? createdAt).toISOString(),
		current: id === currentId,
	};
}

const tag = "Accounts";
const limits = [authCallLimit];

export const holderEndpoints: Endpoint[] = [
	endpoint(
		{
			method: "get",
			path: "/v1/auth/sessions",
			id: "listSessions",
			tag,
			summary: "List your sessions",
			description: "Lists where your account is signed in, newest first.",
			access: user,
			limits,
			answer: json(200, sessionListSchema, "Your live sessions."),
		},
		async ({ c, caller: { userId, sessionId } }) => {
			const sessions = await accountStore(c).liveSessions(userId, Date.now());
			return { data: sessions.map((session) => sessionRecord(session, sessionId)) };
		},
	),
	endpoint(
		{
			method: "delete",
			path: "/v1/auth/sessions/{id}",
			id: "endSession",
			tag,
			summary: "End a session",
			description: "Signs one device out at once. You may end the session that you call with, too.",
			access: user,
			limits,
			params: sessionParameterSchema,
			answer: noContent("The session has ended."),
			errors: ["NOT_FOUND"],
		},
		({ c, caller, params }) => endOwnSession(accountStore(c), params.id, caller.userId, Date.now()),
	),
];
