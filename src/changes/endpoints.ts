import { json, representations } from "../http/answer.ts";
import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { userOrAnyKey } from "../keys/key-auth.ts";
import { timestamp } from "../time/time.ts";
import { findSnapshot, findSnapshotPart, readChanges } from "./actions.ts";
import {
	changesQuerySchema,
	changesSchema,
	PAGE_CHANGES_MAX,
	snapshotPartParameterSchema,
	snapshotSchema,
} from "./schemas.ts";

const tag = "Follow";

/** Matches an Accept-Encoding that names gzip with a weight other than 0 (RFC 9110 section 12.5.3). */
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

export const changeEndpoints: Endpoint[] = [
	endpoint({
		method: "get",
		path: "/v1/changes",
		id: "listChanges",
		tag,
		summary: "Read what has changed",
		description:
			"Returns the changes after a cursor, oldest first, each with the address as it is now. Send `Next-Cursor` as `after` in the next call. While the answer has a `Link`, there is a next page. A key may read 60 pages per minute. Needs a key with the scope `changes:read`, or `mine=1`. By `mine=1`, the content of your private addresses wants an access token or a key with the scope `addresses:write`.",
		access: userOrAnyKey,
		query: changesQuerySchema,
		answer: representations({ "application/x-ndjson": changesSchema }, "Changes, one on each line.", {
			headers: {
				"Next-Cursor": "Where to go on: the `after` of the next call.",
				"Link?": 'The next page, as `<url>; rel="next"`. It is absent when there is none.',
			},
		}),
		errors: ["FORBIDDEN", "FEED_RESET"],
		handle: async ({ registry, c, caller, query: { after, limit, mine } }) => {
			const { lines, cursor, hasMore } = await readChanges(registry, caller, { after, limit, isMine: mine === "1" });
			const next = new URLSearchParams({
				after: cursor,
				...(limit === PAGE_CHANGES_MAX ? {} : { limit: String(limit) }),
				...(mine ? { mine } : {}),
			});
			return new Response(lines.join(""), {
				headers: {
					"Content-Type": "application/x-ndjson",
					// This header makes the runtime compress; the platform does so by itself for some types only.
					// What the client accepts is in `cf`, because the platform replaces Accept-Encoding.
					// A page without changes has no bytes, which some clients reject as gzip.
					...(lines.length > 0 &&
					ACCEPTS_GZIP.test(String(c.req.raw.cf?.clientAcceptEncoding ?? c.req.header("Accept-Encoding")))
						? { "Content-Encoding": "gzip" }
						: {}),
					"Next-Cursor": cursor,
					...(hasMore ? { Link: `<${registry.webUrl}/v1/changes?${next}>; rel="next"` } : {}),
				},
			});
		},
	}),
	endpoint({
		method: "get",
		path: "/v1/snapshots/latest",
		id: "getLatestSnapshot",
		tag,
		summary: "Find the newest snapshot",
		description:
			"A snapshot of all public addresses is made every night (UTC). Load its parts, then follow the feed from its cursor. Needs a key with the scope `changes:read`.",
		access: userOrAnyKey,
		answer: json(200, snapshotSchema, "What the snapshot holds."),
		errors: ["FORBIDDEN", "SNAPSHOT_BEING_MADE"],
		handle: async ({ registry, caller }) => {
			const { id, startedAt, cursor, parts, urlOf } = await findSnapshot(registry, caller);
			return {
				id,
				created_at: timestamp(startedAt),
				cursor,
				count: parts.reduce((sum, { count }) => sum + count, 0),
				parts: parts.map(({ name, count, bytes, sha256 }) => ({ url: urlOf(name), count, bytes, sha256 })),
			};
		},
	}),
	endpoint({
		method: "get",
		path: "/v1/snapshots/{snapshot}/{part}",
		id: "getSnapshotPart",
		tag,
		summary: "Load a part of a snapshot",
		description:
			"The file is gzip, and each line of it is the public record of an address as JSON. Only files that the newest snapshot names are served. While a file holds an address that is no longer public, the answer is 503 until it is written anew, within minutes, under another name. Needs a key with the scope `changes:read`.",
		access: userOrAnyKey,
		params: snapshotPartParameterSchema,
		answer: representations({ "application/gzip": "bytes" }, "The file."),
		errors: ["FORBIDDEN", "NOT_FOUND", "FEED_RESET", "SNAPSHOT_BEING_MADE"],
		handle: async ({ registry, caller, params: { snapshot, part } }) => {
			const { body, size } = await findSnapshotPart(registry, caller, snapshot, part);
			return new Response(body, { headers: { "Content-Type": "application/gzip", "Content-Length": String(size) } });
		},
	}),
];
