import { describe, expect, it } from "vitest";
import { checkCharacter } from "../../src/codes/check-digit.ts";
import { call, json, ORIGIN, post } from "../support/client.ts";
import { freshPhone, LAGOS, mint, PASSWORD, signUp } from "../support/people.ts";

describe("from a phone number to a code that anyone resolves", () => {
	it("registers, signs in, mints, resolves in every spelling, and reads its own record", async () => {
		const phone = freshPhone();
		const registered = await signUp(phone);
		expect(registered.user).toEqual({
			id: expect.stringMatching(/^usr_\w{22}$/),
			phone,
			phone_verified: false,
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
		});

		const spaced = `${phone.slice(0, 4)} ${phone.slice(4, 7)}-${phone.slice(7)}`;
		const signedIn = await json<typeof registered>(post("/v1/auth/login", { phone: spaced, password: PASSWORD }));
		expect(signedIn.user).toEqual(registered.user);
		expect(await json(call("/v1/auth/me", { token: signedIn.access }))).toMatchObject(registered.user);

		const response = await post("/v1/addresses", { ...LAGOS, label: "Blue gate" }, { token: signedIn.access });
		const created = await json<Record<string, string>>(response, 201);
		const { canonical = "", display = "" } = created;
		expect(canonical).toMatch(/^NG\d{9}$/);
		expect(checkCharacter(canonical.slice(0, 10))).toBe(canonical[10]);
		expect(response.headers.get("Location")).toBe(`${ORIGIN}/v1/addresses/${canonical}`);
		const publicView = {
			canonical,
			display: `${canonical.slice(0, 2)}-${canonical.slice(2, 6)}-${canonical.slice(6)}`,
			country: "NG",
			country_name: "Nigeria",
			zone: canonical.slice(2, 6),
			zone_name: expect.any(String),
			region: "Lagos",
			locality: expect.any(String),
			...LAGOS,
			plus_code: "6FR5G9FH+QM8",
			label: "Blue gate",
			verification_level: 0,
			verified_at: null,
			entrance: null,
			directions: "",
			visibility: "public",
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			updated_at: created.created_at,
		};
		expect(created).toEqual({
			...publicView,
			external_id: null,
			qr_url: `${ORIGIN}/a/${canonical}`,
			qr_svg_url: `${ORIGIN}/v1/addresses/${canonical}/qr.svg`,
			owned: true,
		});

		for (const spelling of [
			canonical,
			display,
			display.toLowerCase(),
			display.replaceAll("-", " "),
			canonical.replace(/^(..)/, "$1–"),
		]) {
			expect(await json(call(`/v1/public/addresses/${encodeURIComponent(spelling)}`)), spelling).toEqual(publicView);
		}
		expect(await json(call(`/v1/addresses/${canonical}`, { token: signedIn.access }))).toEqual(created);
		const stranger = await signUp();
		const { external_id, ...shown } = created as { external_id: null } & object;
		expect(await json(call(`/v1/addresses/${canonical}`, { token: stranger.access }))).toEqual({
			...shown,
			owned: false,
		});
	});

	it("returns coordinates exactly as posted", async () => {
		const { access } = await signUp();
		for (const { lat, lng } of [
			{ lat: 7.123456789012345, lng: 3.9876543210987654 },
			{ lat: 9, lng: 8 },
		]) {
			expect(await mint(access, { lat, lng })).toMatchObject({ lat, lng, label: "" });
		}
	});

	it("answers with and without the last slash", async () => {
		const { access } = await signUp();
		const { canonical } = await json<{ canonical: string }>(post("/v1/addresses/", LAGOS, { token: access }), 201);
		await json(call(`/v1/public/addresses/${canonical}/`));
		await json(call("/v1/auth/me/", { token: access }));
	});
});
