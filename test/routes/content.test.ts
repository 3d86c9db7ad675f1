import { describe, expect, it } from "vitest";
import { contentHash } from "../../src/addresses/content.ts";
import { perText, TEXT_FIELDS, TEXTS } from "../../src/addresses/texts.ts";
import { call, json, patch, post } from "../support/client.ts";
import { becomeHolder, ConsoleVisitor } from "../support/console-visitor.ts";
import { LAGOS, signUp } from "../support/people.ts";

const first = perText((field) => `First ${field}`);
const second = perText((field) => `Second ${field}`);

describe("each text that an owner may write about an address", () => {
	it("is taken, answered, shown on the public page, changed, kept in the history and exported by the API", async () => {
		const { access: token } = await signUp();
		const minted = await json(post("/v1/addresses", { ...LAGOS, ...first }, { token }), 201);
		expect(minted).toMatchObject(first);
		const path = `/v1/addresses/${minted.canonical}`;
		expect(await json(patch(path, second, { token }))).toMatchObject(second);

		const resolved = `/v1/public/addresses/${minted.canonical}`;
		expect(await json(call(resolved))).toMatchObject(second);
		expect(await json(call(`${resolved}.geojson`))).toMatchObject({ properties: second });
		const page = await (await call(`/a/${minted.canonical}`)).text();
		for (const text of Object.values(second)) expect(page).toContain(text);
		const batch = { method: "POST", token, body: { codes: [minted.canonical] } };
		const { data } = await json(call("/v1/public/addresses/batch", batch));
		expect(data).toMatchObject([{ address: second }]);

		const history = TEXT_FIELDS.map((field) => ({ change: field, [`previous_${field}`]: first[field] }));
		expect(await json(call(`${path}/history`, { token }))).toMatchObject({ data: [{ change: "created" }, ...history] });
		const { addresses } = await json(call("/v1/auth/me/export", { token }));
		expect(addresses).toMatchObject({ features: [{ properties: { ...second, history: [{}, ...history] } }] });
	});

	it("is asked for by the console, shown before it is created, and changed there", async () => {
		const visitor = new ConsoleVisitor();
		await visitor.openAndSend("/my/new", { place: "6.5244, 3.3792" });
		const tooLong = perText((field) => "x".repeat(TEXTS[field].charactersMax + 1));
		await visitor.send("/my/new/spot", { go: "right", ...tooLong });
		expect(visitor.path, "too long").toBe("/my/new/spot");
		await visitor.send("/my/new/spot", { go: "right", ...first });
		for (const text of Object.values(first)) expect(visitor.text).toContain(text);
		for (const [field, text] of Object.entries(first)) {
			expect(visitor.html).toContain(`name="${field}" value="${text}"`);
		}

		const canonical = await becomeHolder(visitor);
		await visitor.openAndSend(`/my/${canonical}/label`, second);
		for (const text of Object.values(second)) expect(visitor.text).toContain(text);
		await visitor.open(`/my/${canonical}/history`);
		expect(visitor.text).toContain("Blue gate");
	});

	it("is described in the documentation, with its longest length", async () => {
		const { components } = await json(call("/openapi.json"));
		const { schemas } = components as { schemas: Record<string, { properties: object }> };
		for (const field of TEXT_FIELDS) {
			const { charactersMax: maxLength, description } = TEXTS[field];
			expect(schemas.NewAddress?.properties).toMatchObject({ [field]: { maxLength, description } });
			expect(schemas.PublicAddress?.properties).toMatchObject({ [field]: { maxLength } });
		}
	});
});

describe("the hash of a request under an Idempotency-Key", () => {
	const request = {
		...perText(() => ""),
		entrance: null,
		lat: 6.5244,
		lng: 3.3792,
		label: "Blue gate",
		visibility: "public" as const,
	};

	it("stays what it was before other fields were there, for a request that does not fill them in", () => {
		expect(contentHash(request)).toBe("09ed4e1ebe05cb60bfac640203b292742d31ee3b8bcb44b9bbc879b408dedc42");
	});

	it("tells apart each text that is filled in", () => {
		const hashes = TEXT_FIELDS.map((field) => contentHash({ ...request, [field]: "Other" }));
		expect(new Set([contentHash(request), ...hashes]).size).toBe(TEXT_FIELDS.length + 1);
	});
});
