import { beforeAll, describe, expect, it } from "vitest";
import { call, json, problem } from "../support/client.ts";
import { freshPhone, LAGOS, PASSWORD, signUp } from "../support/people.ts";

let token = "";
beforeAll(async () => {
	token = (await signUp()).access;
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
	call("/v1/addresses", { method: "POST", token, body, headers });

describe("POST /v1/addresses refuses", () => {
	it.each<[string, unknown, string]>([
		["a latitude beyond the pole", { lat: 90.0001, lng: 0 }, "lat"],
		["a longitude beyond the antimeridian", { lat: 0, lng: -180.5 }, "lng"],
		["a number as a string", { lat: "6.5", lng: 3 }, "lat"],
		["null", { lat: null, lng: 3 }, "lat"],
		["a missing field", { lat: 6.5 }, "lng"],
		["an unknown field", { ...LAGOS, lable: "typo" }, "lable"],
		["an overflowing number", '{"lat":1e999,"lng":3}', "lat"],
		["a label of 201 characters", { ...LAGOS, label: "x".repeat(201) }, "label"],
		["a label with a line break", { ...LAGOS, label: "a\nb" }, "label"],
		["a label with half a surrogate pair", `{"lat":6.5,"lng":3,"label":"\\ud800"}`, "label"],
		["a label with a noncharacter", { ...LAGOS, label: "a\uffffb" }, "label"],
		["a label that is no text", { ...LAGOS, label: 5 }, "label"],
		["an array", [6.5, 3.3], ""],
	])("%s, by name", async (_, body, path) => {
		const { errors } = await problem(post(body), 400, "INVALID_REQUEST");
		expect(errors?.map((error) => error.path)).toContain(path);
	});

	it.each([
		["NaN", '{"lat":NaN,"lng":3}'],
		["Infinity", '{"lat":Infinity,"lng":3}'],
		["text", "lat=6.5"],
		["nothing", ""],
		["half an object", '{"lat":6.5'],
		["broken UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
	])("a body that is not valid JSON: %s", async (_, body) => {
		await problem(post(body), 400, "INVALID_REQUEST");
	});

	it.each([
		['{"lat": 6.5244, "lng": 3.3792, "lat": 6.5}', "lat"],
		['{"lat": 6.5244, "lng": 3.3792, "entrance": {"lat": 6.5245, "lng": 3.3792, "l\\u006eg": 3.4}}', "entrance.lng"],
	])("a body that names a key twice: %s", async (body, path) => {
		const { errors } = await problem(post(body), 400, "INVALID_REQUEST");
		expect(errors).toMatchObject([{ path }]);
	});

	it.each(["", "text/plain", "application/x-www-form-urlencoded", "application/problem+json"])(
		"the content type %j",
		async (type) => {
			await problem(post(JSON.stringify(LAGOS), { "Content-Type": type }), 415, "UNSUPPORTED_MEDIA_TYPE");
		},
	);

	it("a body of more than 16 KiB, and takes one just below", async () => {
		const padded = (bytes: number) => JSON.stringify(LAGOS).padEnd(bytes, " ");
		await problem(post(padded(16 * 1024 + 1)), 413, "BODY_TOO_LARGE");
		await json(post(padded(16 * 1024)), 201);
	});

	it("five hundred unknown fields, naming a few, shortened", async () => {
		const fields = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}${"x".repeat(5)}`, 1]));
		const { detail, errors } = await problem(post({ ...LAGOS, ...fields }), 400, "INVALID_REQUEST");
		expect(errors).toHaveLength(20);
		expect(detail.length).toBeLessThan(4096);
		const named = await problem(post({ ...LAGOS, ["y".repeat(5000)]: 1 }), 400, "INVALID_REQUEST");
		expect(named.errors?.[0]?.path).toHaveLength(100);
	});

	it("an unusable Idempotency-Key", async () => {
		for (const key of ["", "k".repeat(256), "with space"]) {
			const { errors } = await problem(post(LAGOS, { "Idempotency-Key": key }), 400, "INVALID_REQUEST");
			expect(errors?.[0]?.path).toBe("idempotency-key");
		}
	});

	it("a coordinate that no zone holds", async () => {
		const { detail } = await problem(post({ lat: -45, lng: -20 }), 422, "OUTSIDE_ZONES");
		expect(detail).toMatch(/swapped/);
	});
});

it("labels may hold 200 emoji and come back in NFC", async () => {
	expect(await json(post({ ...LAGOS, label: "🐐".repeat(200) }), 201)).toMatchObject({ label: "🐐".repeat(200) });
	expect(await json(post({ ...LAGOS, label: "Cafe\u0301 <b>" }), 201)).toMatchObject({ label: "Café <b>" });
});

describe("resolving refuses", () => {
	it.each([
		["NG04215821", 400, "MALFORMED_CODE"],
		["NGO42158212", 400, "MALFORMED_CODE"],
		["%FF%FE", 400, "MALFORMED_CODE"],
		["%", 400, "MALFORMED_CODE"],
		["%00", 400, "MALFORMED_CODE"],
		["N".repeat(10_000), 400, "MALFORMED_CODE"],
		["NG-0421-58213", 400, "BAD_CHECK_DIGIT"],
		["NG-0421-58212", 404, "ADDRESS_NOT_FOUND"],
	])("case %#", async (code, status, name) => {
		const { detail } = await problem(call(`/v1/public/addresses/${code}`), status, name);
		if (name === "BAD_CHECK_DIGIT") expect(detail).not.toMatch(/\d/);
		await problem(call(`/v1/addresses/${code}`, { token }), status, name);
		await problem(call(`/v1/addresses/${code}/qr.svg`), status, name);
	});
});

describe("accounts refuse", () => {
	const register = (body: unknown) => call("/v1/auth/register", { method: "POST", body });
	const login = (body: unknown) => call("/v1/auth/login", { method: "POST", body });

	it("text that is not a phone number, and a password that is too weak or missing", async () => {
		await problem(register({ phone: "0803 123 4567", password: PASSWORD }), 400, "INVALID_PHONE");
		await problem(login({ phone: "0803 123 4567", password: PASSWORD }), 400, "INVALID_PHONE");
		await problem(register({ phone: freshPhone(), password: "short" }), 400, "WEAK_PASSWORD");
		await problem(register({ phone: freshPhone(), password: 12345678 }), 400, "INVALID_REQUEST");
		await problem(register({ phone: freshPhone() }), 400, "INVALID_REQUEST");
		await problem(register({ phone: freshPhone(), password: PASSWORD, role: "agent" }), 400, "INVALID_REQUEST");
	});

	it("a phone that has an account, whatever its spacing, also when two race", async () => {
		const phone = freshPhone();
		const race = await Promise.all([phone, phone, phone].map((text) => register({ phone: text, password: PASSWORD })));
		expect(race.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
		const spaced = `${phone.slice(0, 4)}-${phone.slice(4)}`;
		await problem(register({ phone: spaced, password: PASSWORD }), 409, "PHONE_TAKEN");
	});
});
