import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { cleanUp } from "../../src/jobs/clean-up.ts";
import { DAY, HOUR } from "../../src/time/time.ts";
import { call, json, post, problem } from "../support/client.ts";
import { becomeHolder, ConsoleVisitor } from "../support/console-visitor.ts";
import { allOfSuite, databasesThrough, rowsIn } from "../support/databases.ts";
import { acted, operate } from "../support/operators.ts";
import { LAGOS, mint, newKey, newOwner, type SignedInUser, signUp } from "../support/people.ts";
import { countOf, sql } from "../support/sql.ts";

const reason = "The pin is at the gate.";

interface Created {
	id: string;
	status_url: string;
}

const send = (code: string, body: object, headers: Record<string, string> = {}) =>
	post(`/v1/public/addresses/${code}/reports`, body, { headers });

async function report(code: string, body: object = { kind: "wrong_place" }): Promise<Created> {
	return json<Created>(send(code, body), 201);
}

async function ownAddress(body: object = LAGOS): Promise<{ owner: SignedInUser; canonical: string }> {
	const owner = await newOwner(body);
	return { owner, canonical: owner.canonical };
}

const statusOf = (id: string) => json(call(`/v1/public/reports/${id}`));
const held = async ({ access }: SignedInUser, code: string) =>
	(await json<{ data: object[] }>(call(`/v1/addresses/${code}/reports`, { token: access }))).data;

describe("a report", () => {
	it("that never was, or is erased while an operator acts on it, is said to be none", async () => {
		const detail = "There is no such report. Reports are erased after 90 days.";
		for (const act of ["text", "decide"]) {
			const body = act === "text" ? { reason } : { decision: "nothing", reason };
			const answer = operate(`reports/rpt_7dN3kq0vXW2mZrB8cT5yLa/${act}`, body);
			expect(await problem(answer, 404, "NOT_FOUND")).toMatchObject({ detail });
		}
		const { canonical } = await ownAddress();
		const { id } = await report(canonical, { kind: "wrong_place", text: "There is a bus stop." });
		const settings = databasesThrough(async (work, queries) => {
			if (queries.length > 1)
				await Promise.all(allOfSuite.map((db) => rowsIn(db, "delete from reports where id = ?", id)));
			return work();
		});
		const answer = operate(`reports/${id}/text`, { reason }, settings);
		expect(await problem(answer, 404, "NOT_FOUND")).toMatchObject({ detail });
	});

	it("is kept without an account, hides its text from the owner until let through, and tells of its decision", async () => {
		const { owner, canonical } = await ownAddress();
		const body = { kind: "wrong_place", text: "It is <b>behind</b> the mosque.", lat: 6.5246, lng: 3.3791 };
		const { id, status_url } = await report(canonical, body);
		expect(status_url).toBe(`https://registry.test/reports/${id}`);
		expect(await statusOf(id)).toEqual({ kind: "wrong_place", created_at: expect.any(String), state: "open" });

		const point = { lat: 6.5246, lng: 3.3791 };
		expect(await held(owner, canonical)).toMatchObject([{ id, kind: "wrong_place", point, text: null, state: "open" }]);
		const { data } = await acted<{ data: { id: string }[] }>("reports?waiting=1&limit=100");
		expect(data.find((row) => row.id === id)).toMatchObject({ canonical, text: body.text, text_shown_at: null });
		expect(await acted(`reports/${id}/text`, { reason })).toMatchObject({
			act: "report-text",
			subject: canonical,
			account: owner.user.id,
		});
		expect(await held(owner, canonical)).toMatchObject([{ text: body.text }]);

		const answer = (text: string, status = 200) =>
			json(post(`/v1/addresses/${canonical}/reports/${id}/answer`, { text }, { token: owner.access }), status);
		await answer("It is not.");
		expect(await answer("I have moved the pin.")).toMatchObject({ id, answer: "I have moved the pin." });

		expect(await acted(`reports/${id}/decide`, { decision: "nothing", reason })).toMatchObject({
			act: "decide",
			detail: `nothing ${id}`,
			reason,
			account: owner.user.id,
		});
		expect(await statusOf(id)).toMatchObject({ state: "decided", decision: "nothing", reason });
		expect(await held(owner, canonical)).toMatchObject([{ state: "decided", decision: "nothing", reason }]);
		await json(call(`/v1/public/addresses/${canonical}`));
		expect(await answer("Too late", 400)).toMatchObject({ detail: expect.stringContaining("decided this report") });
		expect(await json(operate(`reports/${id}/decide`, { decision: "hide", reason }), 400)).toMatchObject({
			detail: "This report has been decided already.",
		});
		await json(call(`/v1/public/addresses/${canonical}`));
		const waiting = await acted<{ data: { id: string }[] }>("reports?waiting=1&limit=100");
		expect(waiting.data.map((row) => row.id)).not.toContain(id);
		const all = await acted<{ data: { id: string }[] }>("reports?limit=100");
		expect(all.data.map((row) => row.id)).toContain(id);
		const exported = await json<{ reports: object[] }>(call("/v1/auth/me/export", { token: owner.access }));
		expect(exported.reports).toMatchObject([{ canonical, kind: "wrong_place", text: body.text, decision: "nothing" }]);
	});

	it.each([
		["hide", 403],
		["retire", 410],
	])("decided by %s makes the address answer %i, in the batch of the decision", async (decision, status) => {
		const [{ canonical }, { canonical: other }] = [await ownAddress(), await ownAddress()];
		const { id } = await report(canonical, { kind: "duplicate" });
		const successor = decision === "retire" ? { successor: other } : {};
		await acted(`reports/${id}/decide`, { decision, reason, ...successor });
		expect(await json(call(`/v1/public/addresses/${canonical}`), status)).toMatchObject(successor);
		expect(await statusOf(id)).toMatchObject({ state: "decided", decision, reason });
	});

	it("is not decided where the address cannot be retired so", async () => {
		const { canonical } = await ownAddress();
		const { id } = await report(canonical, { kind: "gone" });
		for (const [decision, successor] of [
			["retire", canonical],
			["hide", canonical],
		]) {
			const refusal = await json(operate(`reports/${id}/decide`, { decision, reason, successor }), 400);
			expect(JSON.stringify(refusal)).toContain("successor");
		}
		expect(await statusOf(id)).toMatchObject({ state: "open" });
		await json(operate("reports/rpt_x/decide", { decision: "hide", reason }), 404);
		await json(call("/v1/public/reports/rpt_x"), 404);
	});

	it("is decided once, where two operators decide it within a millisecond", async () => {
		const { canonical } = await ownAddress();
		const { id } = await report(canonical);
		const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now());
		const decide = (decision: string) => operate(`reports/${id}/decide`, { decision, reason });
		const both = await Promise.all([decide("hide"), decide("nothing")]).finally(() => clock.mockRestore());
		expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
		const { data } = await acted<{ data: object[] }>(`acts?subject=${canonical}&act=decide`);
		expect(data).toHaveLength(1);
	});

	it("is closed by deciding nothing when its owner has retired the address", async () => {
		const { owner, canonical } = await ownAddress();
		const { id } = await report(canonical);
		await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: owner.access });
		for (const decision of ["hide", "retire"]) {
			const refused = await problem(operate(`reports/${id}/decide`, { decision, reason }), 400, "INVALID_REQUEST");
			expect(refused.detail).toContain('To close the report, decide "nothing".');
		}
		await acted(`reports/${id}/decide`, { decision: "nothing", reason });
	});

	it("is the owner's alone to read and to answer", async () => {
		const [{ owner, canonical }, other] = [await ownAddress(), await ownAddress()];
		const { id } = await report(canonical);
		const { access: token } = other.owner;
		await json(call(`/v1/addresses/${canonical}/reports`, { token }), 403);
		const body = { text: "Mine" };
		const answer = (code: string, access: string) =>
			post(`/v1/addresses/${code}/reports/${id}/answer`, body, { token: access });
		await json(answer(canonical, token), 403);
		await json(answer(other.canonical, token), 404);
		expect(await held(owner, canonical)).toMatchObject([{ answer: "" }]);
		const { key } = await newKey(owner, { mode: "test", scopes: ["addresses:write"] });
		await json(answer(canonical, key), 403);
	});
});

describe("the pages, without a script", () => {
	it("lead from the page of an address to a decision", async () => {
		const holder = new ConsoleVisitor();
		const code = await becomeHolder(holder);
		expect(holder.html).not.toContain('id="reports"');

		const stranger = await new ConsoleVisitor().open(`/a/${code}?lang=en`);
		expect(stranger.text).toContain("Something wrong here?");
		const [, link = ""] = /href="(\/a\/\w+\/report[^"]*)"/.exec(stranger.html) ?? [];
		await stranger.open(link);
		expect(stranger.text).toContain("What is wrong with this address?");
		expect(stranger.html).not.toContain("<script");

		await stranger.send(link, { text: "Behind the mosque" });
		expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining("Choose what is wrong.")]);
		expect(stranger.html).toContain("Behind the mosque</textarea>");
		await stranger.send(link, { kind: "wrong_place", point: "95, 200" });
		expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining("These coordinates do not exist")]);
		await stranger.send(link, { kind: "wrong_place", text: "x".repeat(301) });
		expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining("Use at most 300 characters")]);
		await stranger.send(link, { kind: "wrong_place", point: "NG000000003" });
		expect(stranger.html).toContain("No address has this code");
		await stranger.send(link, { kind: "wrong_place", text: "Behind\r\nthe mosque", point: "6.5246, 3.3791" });
		expect(stranger.path).toMatch(/^\/reports\/rpt_\w{22}\?lang=en$/);
		expect(stranger.text).toContain("The operator has not decided yet.");
		expect(stranger.html).not.toMatch(new RegExp(`${code}|og:|mosque`));
		const { headers } = await stranger.ask(stranger.path);
		const told = ["Cache-Control", "X-Robots-Tag", "Referrer-Policy"].map((name) => headers.get(name));
		expect(told).toEqual(["no-store", "noindex", "no-referrer"]);

		const id = /rpt_\w+/.exec(stranger.path)?.[0] ?? "";
		await holder.open(`/my/${code}`);
		expect(holder.text).toContain("The pin is in the wrong place");
		expect(holder.html).toContain("6.5246,\u00a03.3791");
		expect(holder.text).not.toContain("mosque");
		await holder.send(`/my/${code}/reports/${id}`, { [id]: "The gate is in front." });
		expect(holder.html).toContain('value="The gate is in front."');
		await acted(`reports/${id}/text`, { reason });
		expect((await holder.open(`/my/${code}`)).text).toContain("Behind the mosque");
		await acted(`reports/${id}/decide`, { decision: "hide", reason });
		for (const visitor of [await stranger.open(stranger.path), await holder.open(`/my/${code}`)]) {
			expect(visitor.text).toContain("The operator has hidden the address.");
			expect(visitor.text).toContain(reason);
		}
		expect(holder.html).not.toContain(`/my/${code}/reports/`);
	});

	it("take no form of another site, and say when enough was sent", async () => {
		const { canonical } = await ownAddress();
		const visitor = new ConsoleVisitor();
		const path = `/a/${canonical}/report`;
		const fields = new URLSearchParams({ kind: "gone" });
		for (const headers of [
			{ Origin: "https://evil.example" },
			{ Origin: "null" },
			{ "Sec-Fetch-Site": "cross-site" },
		]) {
			expect((await visitor.post(path, fields, headers as Record<string, string>)).status).toBe(403);
		}
		const statuses: number[] = [];
		const send = async () => (await visitor.post(path, fields, {})).status;
		for (let count = 0; count < 5; count += 1) statuses.push(await send());
		// One of an hour more.
		expect(statuses).toEqual([303, 303, 303, 303, 429]);
		const { now } = Date;
		const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + HOUR);
		const later = [await send(), await send()];
		clock.mockRestore();
		expect(later).toEqual([303, 429]);
	});

	it("answer as a look-up does, but show the form of a private address", async () => {
		const { owner, canonical } = await ownAddress({ ...LAGOS, label: "Blue gate", visibility: "private" });
		const page = async (path: string) => {
			const answer = await call(path);
			return { status: answer.status, html: await answer.text() };
		};
		const form = await page(`/a/${canonical}/report`);
		expect(form.status).toBe(200);
		expect(form.html).not.toMatch(/Blue gate|6\.5244/);
		expect((await page("/a/NG042158212/report")).status).toBe(404);
		expect((await page("/a/NG042158213/report")).status).toBe(400);
		expect((await page("/reports/rpt_x")).status).toBe(404);
		await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: owner.access });
		expect((await page(`/a/${canonical}/report`)).status).toBe(410);
	});
});

describe("what may be reported", () => {
	it("is what resolves, and what is private as well, of which nothing is told", async () => {
		await json(send("NG042158212", { kind: "gone" }), 404);
		await json(send("NG137748216", { kind: "gone" }), 400);
		const { owner, canonical } = await ownAddress({ ...LAGOS, label: "Blue gate", visibility: "private" });
		const created = await report(canonical);
		expect(JSON.stringify([created, await statusOf(created.id)])).not.toMatch(/Blue|6\.5244/);
		await acted(`addresses/${canonical}/hide`, { reason });
		await problem(send(canonical, { kind: "gone" }), 403, "ADDRESS_PRIVATE");
		await acted(`addresses/${canonical}/show`, { reason });
		await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: owner.access });
		await json(send(canonical, { kind: "gone" }), 410);
	});

	it.each([
		[{ kind: "ugly" }, "kind"],
		[{ text: "No kind" }, "kind"],
		[{ kind: "other", text: "x".repeat(301) }, "at most 300 characters"],
		[{ kind: "other", lat: 6.5 }, "lng: Send lat and lng together"],
		[{ kind: "other", lng: 3.4 }, "lat: Send lat and lng together"],
		[{ kind: "other", lat: 90.1, lng: 3.4 }, "from -90 to 90"],
		[{ kind: "other", lat: 6.5, lng: -180.5 }, "from -180 to 180"],
		[{ kind: "other", colour: "blue" }, "colour"],
	])("%j is refused and named", async (body, named) => {
		const { canonical } = await ownAddress();
		expect((await json<{ detail: string }>(send(canonical, body), 400)).detail).toContain(named);
	});
});

describe("the limits", () => {
	it("are 3 a day of a network about one address, and do not reach neighbours or other addresses", async () => {
		const [{ canonical }, other] = [await ownAddress(), await ownAddress()];
		const from = (network: string, code = canonical) => send(code, { kind: "gone" }, { "CF-Connecting-IP": network });
		for (const left of [2, 1, 0]) {
			const answer = await from("192.0.2.1");
			expect([answer.status, answer.headers.get("RateLimit")]).toEqual([
				201,
				expect.stringContaining(`"reports-of-address";r=${left}`),
			]);
		}
		// One of an hour more.
		await json(from("192.0.2.1"), 201);
		await problem(from("192.0.2.1"), 429, "QUOTA_EXCEEDED");
		await json(from("192.0.2.1", other.canonical), 201);
		await json(from("192.0.2.2"), 201);
	});

	it("are 100 a day of a network about all addresses", async () => {
		const headers = { "CF-Connecting-IP": "192.0.2.3" };
		const { access } = await signUp();
		const statuses: number[] = [];
		// One of an hour more.
		for (const spent of [0, 99, 100, 124]) {
			const { canonical } = await mint(access, LAGOS);
			await sql("update daily_counts set count = ? where subject like '%:reports-of-network'", spent);
			statuses.push((await send(canonical, { kind: "gone" }, headers)).status);
		}
		expect(statuses).toEqual([201, 201, 201, 429]);
	});
});

describe("reports are erased", () => {
	const isKept = async (id: string) => (await countOf("reports", "id", id)) === 1;

	it("after 90 days, and not before", async () => {
		const { canonical } = await ownAddress();
		const { id } = await report(canonical);
		const now = Date.now();
		await cleanUp(env, now + 89.9 * DAY);
		expect(await isKept(id)).toBe(true);
		await cleanUp(env, now + 90.1 * DAY);
		expect(await isKept(id)).toBe(false);
	});

	it("with their address", async () => {
		const { owner, canonical } = await ownAddress();
		const { id } = await report(canonical);
		await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: owner.access });
		await cleanUp(env, Date.now() + 29 * DAY);
		expect(await isKept(id)).toBe(true);
		await cleanUp(env, Date.now() + 31 * DAY);
		expect(await isKept(id)).toBe(false);
	});
});
