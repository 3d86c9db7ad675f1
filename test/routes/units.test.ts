import { beforeAll, describe, expect, it } from "vitest";
import { messages } from "../../src/languages/messages.ts";
import { call, json, post, problem, settle } from "../support/client.ts";
import { AT_LAGOS, LAGOS, mint, type SignedInUser, signUp, signUpAgent } from "../support/people.ts";
import { sql, value } from "../support/sql.ts";

let owner: SignedInUser;
beforeAll(async () => {
	owner = await signUp();
});

const put = (canonical: string, unit: string, body: object = {}, token = owner.access) =>
	call(`/v1/addresses/${canonical}/units/${encodeURIComponent(unit)}`, { method: "PUT", token, body });
const remove = (canonical: string, unit: string) =>
	call(`/v1/addresses/${canonical}/units/${encodeURIComponent(unit)}`, { method: "DELETE", token: owner.access });
const listed = async (canonical: string, query = "") =>
	(await json<{ data: object[] }>(call(`/v1/public/addresses/${canonical}/units${query}`))).data;

describe("the units of an address", () => {
	it("are named in any spelling, relabelled and removed, and everyone sees each change at once", async () => {
		const { canonical } = await mint(owner.access, LAGOS);
		expect(await listed(canonical)).toEqual([]);
		await settle();
		expect(await json(put(canonical, "1/2"))).toEqual({ unit: "1/2", name: "1/2", label: "" });
		expect(await json(put(canonical, " ３ \n b\u200b", { label: "Second floor" }))).toEqual({
			unit: "3B",
			name: "3B",
			label: "Second floor",
		});
		const named = { unit: "3B", name: "3B", label: "Second floor, left" };
		expect(await json(put(canonical, "\u0663b", { label: named.label }))).toEqual(named);
		expect(await listed(canonical)).toEqual([{ unit: "1/2", name: "1/2", label: "" }, named]);
		await settle();
		expect((await remove(canonical, "1/2")).status).toBe(204);
		expect((await remove(canonical, "1/2")).status).toBe(204);
		expect(await listed(canonical)).toEqual([named]);
		const { addresses } = await json(call("/v1/auth/me/export", { token: owner.access }));
		expect(addresses).toMatchObject({ features: [{ properties: { units: [named] } }] });
	});

	it.each([
		[1, "Seen from outside on", "The building was seen from outside on"],
		[2, "Visited on", "The building was visited on"],
		[3, "and the person there was identified", "The building was visited on"],
	])("are told of an attestation of level %d only what is true of the building", async (level, ofAddress, ofUnit) => {
		const { canonical } = await mint(owner.access, LAGOS);
		await json(put(canonical, "3B", { label: "Second floor" }));
		const agent = await signUpAgent();
		const seen = await json<{ updated_at: string }>(call(`/v1/addresses/${canonical}`, { token: agent.access }));
		const attestation = { level, updated_at: seen.updated_at, ...AT_LAGOS };
		await json(post(`/v1/addresses/${canonical}/attestations`, attestation, { token: agent.access }), 201);
		await settle();
		const page = async (query: string) => (await call(`/a/${canonical}${query}`)).text();
		expect(await page("")).toContain(ofAddress);
		for (const unit of ["3B", "not-listed"]) {
			const text = await page(`?unit=${unit}`);
			expect(text).toContain(ofUnit);
			expect(text).not.toContain("identified");
		}
		for (const [language, { pages }] of Object.entries(messages)) {
			const said = String(pages.buildingVerifiedOn[Math.min(level, 2)]).split("{date}");
			for (const part of said) expect(await page(`?unit=3B&lang=${language}`), language).toContain(part.trim());
		}
	});

	it("have an ETag that a change renews, and raise the version that the journal keeps", async () => {
		const { canonical } = await mint(owner.access, LAGOS);
		const path = `/v1/public/addresses/${canonical}/units`;
		const ETag = (await call(path)).headers.get("ETag") ?? "";
		await settle();
		expect((await call(path, { headers: { "If-None-Match": ETag } })).status).toBe(304);
		await json(put(canonical, "3B"));
		expect((await call(path, { headers: { "If-None-Match": ETag } })).status).toBe(200);
		const version = () => value("select version from addresses where canonical = ?", canonical);
		expect(await version()).toBe(2);
		await remove(canonical, "4");
		expect(await version(), "a removal of nothing").toBe(2);
	});

	it("are refused by name: empty, too long, control characters", async () => {
		const { canonical } = await mint(owner.access, LAGOS);
		for (const unit of [" ", "\u200b", "x".repeat(21), "3\u0007"]) {
			for (const answer of [put(canonical, unit), remove(canonical, unit)]) {
				expect(await json(answer, 400)).toMatchObject({ code: "INVALID_REQUEST", errors: [{ path: "unit" }] });
			}
		}
		expect(await json(put(canonical, "3", { label: "a\nb" }), 400)).toMatchObject({ errors: [{ path: "label" }] });
		expect(await json(put(canonical, "3", { name: "b" }), 400)).toMatchObject({ errors: [{ path: "name" }] });
	});

	it("are at most 500, whose labels still change", async () => {
		const { canonical } = await mint(owner.access, LAGOS);
		await sql(
			"with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) insert into units select ?, i, '', i, '' from n",
			canonical,
		);
		const refused = await put(canonical, "501");
		expect(refused.headers.get("Retry-After")).toBe("3600");
		expect(await json(refused, 429)).toMatchObject({
			code: "QUOTA_EXCEEDED",
			detail: "An address may have 500 units. Remove one that it no longer has.",
		});
		expect(await json(put(canonical, "500", { label: "Last" }))).toMatchObject({ label: "Last" });
	});

	it("belong to the owner, and count as changes", async () => {
		const [stranger, { canonical }] = await Promise.all([signUp(), mint(owner.access, LAGOS)]);
		await problem(put(canonical, "1", {}, stranger.access), 403, "FORBIDDEN");
		const count = async () =>
			Number(await value("select sum(count) from daily_counts where subject = ?", `${owner.user.id}:changes`));
		const before = await count();
		await put(canonical, "1");
		await remove(canonical, "1");
		expect(await count()).toBe(before + 2);
	});

	it("are as private as their address, and a link shows them", async () => {
		const { canonical } = await mint(owner.access, { ...LAGOS, visibility: "private" });
		await json(put(canonical, "3B", { label: "Quiet" }));
		await problem(call(`/v1/public/addresses/${canonical}/units`), 403, "ADDRESS_PRIVATE");
		const own = call(`/v1/addresses/${canonical}/units`, { token: owner.access });
		expect(await json(own)).toEqual({ data: [{ unit: "3B", name: "3B", label: "Quiet" }] });
		const share = post(`/v1/addresses/${canonical}/share`, undefined, { token: owner.access });
		const { search } = new URL((await json<{ url: string }>(share, 201)).url);
		expect(await listed(canonical, search)).toEqual([{ unit: "3B", name: "3B", label: "Quiet" }]);
		const page = await call(`/a/${canonical}${search}&unit=3b`);
		expect(page.headers.get("Cache-Control")).toBe("no-store");
		const html = await page.text();
		expect(html).toContain("Quiet");
		expect(html, "the other languages").toMatch(/href="\?share=[^"]+&amp;unit=3B&amp;lang=fr"/);
		expect((await call(`/a/${canonical}?unit=3b`)).status).toBe(403);
		await call(`/v1/addresses/${canonical}`, { method: "DELETE", token: owner.access });
		expect((await call(`/v1/public/addresses/${canonical}/units${search}`)).status).toBe(410);
	});

	it("stand on the page of the address, and behind its code in the box", async () => {
		const { canonical, display } = await mint(owner.access, LAGOS);
		await json(put(canonical, "3B", { label: "Tailor <b>" }));
		const page = async (query: string) => (await call(`/a/${canonical}${query}`)).text();
		expect(await page("?unit=3%20b")).toMatch(/Unit \u20683B\u2069 · \u2068Tailor &lt;b&gt;\u2069/);
		expect(await page("?unit=9&lang=fr")).toContain("Le propriétaire n’a pas indiqué cette unité.");
		expect(await page(`?unit=${"x".repeat(21)}`)).toBe(await page(""));
		const link = `https://addr.example/a/${canonical}?lang=fr&unit=3b`;
		for (const entered of [`${display} / 3b`, link, `${link} ring twice`]) {
			const answer = await call(`/a?code=${encodeURIComponent(entered)}`, { redirect: "manual" });
			expect(answer.headers.get("Location")).toBe(`/a/${canonical}?unit=3B`);
		}
	});

	it("keep their words wherever they are shown and sent", async () => {
		const { canonical, display } = await mint(owner.access, LAGOS);
		const name = "Ground floor left";
		await json(put(canonical, "  Ground  floor left"));
		// Whoever writes it as it is compared has another label for it, not another name.
		expect(await json(put(canonical, "GROUNDFLOORLEFT"))).toMatchObject({ name });
		const asked = `/a/${canonical}?unit=groundfloor+left`;
		const html = await (await call(asked)).text();
		expect(html).toContain(`Unit \u2068${name}\u2069`);
		expect(html, "the plate, on two lines").toMatch(/>\/ Ground<.*>floor left</);
		expect(html, "WhatsApp").toContain(encodeURIComponent(`${display} / ${name}\n`));
		expect(html, "what is copied").toContain(`data-text="${display} / ${name}"`);
		expect(html, "what is shared").toMatch(/data-text="[^"]+\?unit=GROUNDFLOORLEFT"/);
		expect(await (await call(asked.replace("?", "/contact.vcf?"))).text()).toContain("/ Ground floor left");
		expect(await (await call(asked.replace("?", "/print?"))).text()).toMatch(/>\/ Ground<.*>floor left</);
		// What is pasted ends at a comma, so a name is shown and sent without one.
		await json(put(canonical, "Top floor, left (rear)"));
		const inText = encodeURIComponent(`${display} / Top floor left rear`);
		expect(await (await call(`/a?code=${inText}`)).text(), "as it is sent").toContain(inText);
		expect(await (await call(`/a/${canonical}?unit=Top+floor%2C+left+(rear)`)).text(), "of the API").toContain(inText);
		const unlisted = await call(`/a?code=${encodeURIComponent(`${display} / Top floor`)}`);
		expect(await unlisted.text(), "the words of whoever asks").toContain("Unit \u2068Top floor\u2069");
	});
});
