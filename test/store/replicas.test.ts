/** Reads of the public go through D1's Sessions API. The replicas that production has are stood in for, because workerd has none. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { entryPath } from "../../src/addresses/address-cache.ts";
import { call, json, ORIGIN, patch, post } from "../support/client.ts";
import { LAGOS, newOwner } from "../support/people.ts";

/** A database whose replica still is as it was before everything: it answers from an empty database, and says that it is no primary. */
function withReplicaBehind(): { DB: D1Database; sessions: string[] } {
	const sessions: string[] = [];
	const ofReplica = <Row>(answer: D1Result<Row>) => ({ ...answer, meta: { ...answer.meta, served_by_primary: false } });
	const replica = {
		prepare: (query: string) => {
			const empty = query.replace('join "addresses"', 'join (select * from addresses where 0) as "addresses"');
			const bind = (...values: unknown[]) => ({
				all: async () =>
					ofReplica(
						await env.DB.prepare(empty)
							.bind(...values)
							.all(),
					),
			});
			return { bind };
		},
	};
	const withSession = (constraint: string) => {
		sessions.push(constraint);
		return replica;
	};
	const DB = { prepare: env.DB.prepare.bind(env.DB), batch: env.DB.batch.bind(env.DB), withSession };
	return { DB: DB as unknown as D1Database, sessions };
}

it("a public read takes the nearest replica, and a code that it does not know is asked for at the primary", async () => {
	const { canonical } = await newOwner();
	const { DB, sessions } = withReplicaBehind();
	const settings = { DB };
	expect(await json(call(`/v1/public/addresses/${canonical}`, { settings }))).toMatchObject({ canonical });
	await json(call("/v1/public/addresses/NG-0421-58212", { settings }), 404);
	expect(sessions).toEqual(["first-unconstrained"]);
});

it("who has a credential or a link reads at the primary, so that a link that was ended shows nothing", async () => {
	const { access, canonical } = await newOwner({ ...LAGOS, visibility: "private" });
	const { url } = await json<{ url: string }>(post(`/v1/addresses/${canonical}/share`, {}, { token: access }), 201);
	const { DB, sessions } = withReplicaBehind();
	await json(call(`/v1/addresses/${canonical}`, { token: access, settings: { DB } }));
	await json(call("/v1/addresses", { token: access, settings: { DB } }));
	await json(call(`/v1/public/addresses/${canonical}${new URL(url).search}`, { settings: { DB } }));
	expect(sessions).toEqual([]);
});

it("who changes an address sees the change at once, though replicas are behind", async () => {
	const { access, canonical } = await newOwner();
	const path = `/v1/addresses/${canonical}`;
	await json(patch(path, { label: "Green gate" }, { token: access }));
	const prepare = vi.spyOn(env.DB, "prepare");
	expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ label: "Green gate" });
	expect((await call(path, { method: "DELETE", token: access })).status).toBe(204);
	prepare.mockClear();
	await json(call(`/v1/public/addresses/${canonical}`), 410);
	// The journal is written after the answer to the change.
	expect(prepare.mock.calls.filter(([query]) => !query.includes("journal_queue"))).toEqual([]);
	prepare.mockRestore();
	expect((await caches.default.match(ORIGIN + entryPath(canonical)))?.status).toBe(410);
});
