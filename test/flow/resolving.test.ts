import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { displayCode } from "../../src/codes/code.ts";
import { qrSvg } from "../../src/print/qr.ts";
import { call, json, ORIGIN } from "../support/client.ts";
import { newOwner } from "../support/people.ts";

it("serves the QR image of the address's own link", async () => {
	const { canonical, qr_url, qr_svg_url } = await newOwner();
	const response = await call(new URL(qr_svg_url).pathname);
	expect(response.status).toBe(200);
	expect(response.headers.get("Content-Type")).toBe("image/svg+xml; charset=utf-8");
	expect(response.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
	expect(qr_url).toBe(`${ORIGIN}/a/${canonical}`);
	// test/unit/qr.test.ts reads such an image back with two decoders.
	expect(await response.text()).toBe(qrSvg(qr_url, displayCode(canonical)));
});

it("judges the check digit before it asks the database, and tells nothing of a broken one", async () => {
	const settings = { DB: env.EMPTY_DB };
	expect(await json(call("/v1/public/addresses/NG-0421-58213", { settings }), 400)).toMatchObject({
		code: "BAD_CHECK_DIGIT",
	});
	expect(await json(call("/v1/public/addresses/NG-0421-5821", { settings }), 400)).toMatchObject({
		code: "MALFORMED_CODE",
	});
	const problem = await json(call("/v1/public/addresses/NG-0421-58212", { settings }), 500);
	expect(problem).toMatchObject({ code: "INTERNAL" });
	expect(JSON.stringify({ ...problem, instance: "" })).not.toMatch(/sql|table|select|D1/i);
});
