import { describe, expect, it } from "vitest";
import { call, json, patch, post, problem } from "../support/client.ts";
import { LAGOS, newOwner, signUp } from "../support/people.ts";
import { sql } from "../support/sql.ts";

const POINT = { lat: LAGOS.lat, lng: LAGOS.lng };
const GATE = { lat: LAGOS.lat + 0.0009, lng: LAGOS.lng };
/** 334 m north. */
const FAR = { lat: LAGOS.lat + 0.003, lng: LAGOS.lng };

describe("the entrance of an address", () => {
	it("is taken, answered everywhere, changed, taken away, kept in the history and exported", async () => {
		const { access: token } = await signUp();
		const minted = await json(post("/v1/addresses", { ...POINT, entrance: GATE }, { token }), 201);
		expect(minted).toMatchObject({ ...POINT, entrance: GATE });
		const path = `/v1/addresses/${minted.canonical}`;
		const resolved = `/v1/public/addresses/${minted.canonical}`;
		expect(await json(call(resolved))).toMatchObject({ entrance: GATE });
		expect(await json(call(`${resolved}.geojson`))).toMatchObject({ properties: { entrance: GATE } });
		const page = await (await call(`/a/${minted.canonical}`)).text();
		expect(page, "navigation").toContain(`destination=${GATE.lat.toFixed(6)}%2C${GATE.lng.toFixed(6)}`);

		await sql("update addresses set verification_level = 2 where canonical = ?", minted.canonical);
		const change = (body: object) => json(patch(path, body, { token }));
		expect(await change({ entrance: GATE })).toMatchObject({ verification_level: 2 });
		expect(await change({ entrance: null })).toMatchObject({ entrance: null, verification_level: 0 });
		expect(await change({ label: "Blue gate" })).toMatchObject({ entrance: null });

		const { data } = await json<{ data: object[] }>(call(`${path}/history`, { token }));
		expect(data[1]).toMatchObject({ change: "entrance", previous_entrance: GATE });
		const { addresses } = await json(call("/v1/auth/me/export", { token }));
		expect(addresses).toMatchObject({ features: [{ properties: { entrance: null, history: [{}, data[1], {}] } }] });
	});

	it("is at most 300 m from the point, in its country, also when either is changed alone", async () => {
		const { access: token } = await signUp();
		const create = (body: object) => post("/v1/addresses", body, { token });
		await problem(create({ ...POINT, entrance: FAR }), 422, "TOO_FAR");
		// From Goma eastward to the first point in Rwanda.
		let [home, abroad] = [{ lat: -1.6785, lng: 29.235 }, undefined as typeof POINT | undefined];
		for (let step = 1; step <= 60 && !abroad; step += 1) {
			const point = { lat: home.lat, lng: Number((29.235 + step * 0.001).toFixed(3)) };
			const { country } = await json(call(`/v1/public/zones?lat=${point.lat}&lng=${point.lng}`));
			if (country === "RW") abroad = point;
			else home = point;
		}
		expect(abroad, "a point beyond the border").toBeDefined();
		await problem(create({ ...home, entrance: abroad }), 422, "TOO_FAR");

		const { canonical } = await json(create({ ...POINT, entrance: GATE }), 201);
		const change = (body: object) => patch(`/v1/addresses/${canonical}`, body, { token });
		await problem(change({ entrance: FAR }), 422, "TOO_FAR");
		const south = { lat: LAGOS.lat - 0.0025, lng: LAGOS.lng };
		await problem(change(south), 422, "TOO_FAR");
		expect(await json(change({ ...south, entrance: null }))).toMatchObject({ ...south, entrance: null });
		// Each is near enough to what the other finds.
		const both = await Promise.all([change({ entrance: { ...LAGOS, lat: LAGOS.lat - 0.004 } }), change(POINT)]);
		expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
	});

	it("is refused in another form by name", async () => {
		const { access: token } = await signUp();
		for (const entrance of [{ lat: 91, lng: 0 }, { lat: 6 }, "here", { ...GATE, note: "" }]) {
			await problem(post("/v1/addresses", { ...POINT, entrance }, { token }), 400, "INVALID_REQUEST");
		}
	});

	it("is null where none is named, and counts for a repeated request", async () => {
		const { access: token } = await signUp();
		const create = (body: object) => post("/v1/addresses", body, { token, headers: { "Idempotency-Key": "gate" } });
		for (const _ of [1, 2]) await json(create({ ...POINT, entrance: GATE }), 201);
		await problem(create(POINT), 409, "IDEMPOTENCY_CONFLICT");
		expect(await json(post("/v1/addresses", POINT, { token }), 201)).toMatchObject({ entrance: null, directions: "" });
	});
});

describe("directions", () => {
	it.each([
		["x".repeat(301), "too long"],
		["up\nleft", "two lines"],
		["up\u0007", "a control character"],
	])("refuse %j: %s", async (directions) => {
		const { access: token } = await signUp();
		const { errors } = await problem(
			post("/v1/addresses", { ...POINT, directions }, { token }),
			400,
			"INVALID_REQUEST",
		);
		expect(errors).toMatchObject([{ path: "directions" }]);
	});

	it("are whole on the page, and not on the sign, which hangs where they end", async () => {
		const directions = `Up the stairs ${"and on ".repeat(20)}to the end`;
		const { canonical } = await newOwner({ ...LAGOS, directions });
		expect(await (await call(`/a/${canonical}`)).text()).toContain(directions);
		const sign = await (await call(`/a/${canonical}/print`)).text();
		expect(sign).not.toContain("Up the stairs");
	});
});
