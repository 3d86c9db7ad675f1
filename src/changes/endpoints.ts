import { representations } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { userOrKey } from "../keys/authentication.ts";
import { readChanges } from "./actions.ts";
import { changesQuerySchema, changesSchema, PAGE_CHANGES_MAX } from "./schemas.ts";

const tag = "Follow";

export const changeEndpoints: Endpoint[] = [
	endpoint(
		{
			method: "get",
			path: "/v1/changes",
			id: "listChanges",
			tag,
			summary: "Read what has changed",
			description:
				"Answers the changes after a cursor, oldest first, each with the address as it is now. Send `Next-Cursor` as `after` in the next call. Call again at once while the answer has a `Link` to the next page, and otherwise when you want to know what is new. Needs a key with the scope `changes:read`, or `mine=1`.",
			access: userOrKey,
			query: changesQuerySchema,
			answer: representations({ "application/x-ndjson": changesSchema }, "Changes, one on each line.", {
				headers: { "Next-Cursor": "Where to go on: the `after` of the next call." },
			}),
			errors: ["FORBIDDEN", "FEED_RESET"],
		},
		async ({ registry, caller, query: { after, limit, mine } }) => {
			const { lines, cursor, hasMore } = await readChanges(registry, caller, { after, limit, isOwn: mine === "1" });
			const next = new URLSearchParams({
				after: cursor,
				...(limit === PAGE_CHANGES_MAX ? {} : { limit: String(limit) }),
				...(mine ? { mine } : {}),
			});
			return new Response(lines.join(""), {
				headers: {
					"Content-Type": "application/x-ndjson",
					"Next-Cursor": cursor,
					...(hasMore ? { Link: `<${registry.webUrl}/v1/changes?${next}>; rel="next"` } : {}),
				},
			});
		},
	),
];
