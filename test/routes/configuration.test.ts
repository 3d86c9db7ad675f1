import { describe, expect, it } from "vitest";
import type { Bindings } from "../../src/env.ts";
import { SECRET_NAMES } from "../../src/settings/signing-secrets.ts";
import { call, json, ORIGIN } from "../support/client.ts";
import { logged } from "../support/logged.ts";
import { newOwner } from "../support/people.ts";

describe("without its secrets", () => {
	it.each(SECRET_NAMES.flatMap((name) => [undefined, "", "a:short"].map((secret) => [name, secret] as const)))(
		"(%s: %j) the Worker refuses to serve, says nothing of why, and logs it by name",
		async (name, secret) => {
			const settings = { [name]: secret } as Partial<Bindings>;
			const lines = await logged(async () => {
				await json(call("/healthz", { settings }), 503);
				const problem = await json(call("/v1/public/addresses/NG042158212", { settings }), 503);
				expect(problem).toMatchObject({ code: "UNAVAILABLE" });
				expect(JSON.stringify(problem)).not.toContain(name);
			});
			expect(JSON.stringify(lines.filter(({ level }) => level === "error"))).toContain(name);
		},
	);
});

it("WEB_URL is the origin of every public link, or the request's own origin while it is unset", async () => {
	const { access, canonical, qr_url } = await newOwner();
	expect(qr_url).toBe(`${ORIGIN}/a/${canonical}`);
	const settings = { WEB_URL: "https://addr.example" };
	const ask = (path: string) =>
		call(path, { token: access, settings, origin: "http://127.0.0.1:8787" }).then((answer) => answer.json());
	expect(await ask(`/v1/addresses/${canonical}`)).toMatchObject({
		qr_url: `https://addr.example/a/${canonical}`,
		qr_svg_url: `https://addr.example/v1/addresses/${canonical}/qr.svg`,
	});
	expect(await ask("/v1/public/addresses/x")).toMatchObject({ type: "https://addr.example/problems/MALFORMED_CODE" });
	const unset = { WEB_URL: "" };
	const elsewhere = call("/v1/public/addresses/x", { settings: unset, origin: "https://elsewhere.test" });
	expect(await json(elsewhere, 400)).toMatchObject({ type: "https://elsewhere.test/problems/MALFORMED_CODE" });
});

it("settings of the identity that cannot be used are left out, and stop neither the API nor a page", async () => {
	const settings = {
		WEB_URL: "nowhere",
		REGISTRY_NAME: "N".repeat(300),
		REGISTRY_CREST: "crest.png",
		OPERATOR_NAME: { name: "Ada" } as unknown as string,
		OPERATOR_CONTACT: "help@addr.example",
		OPERATOR_ADDRESS: "12 Marina\nLagos",
		PRIVACY_URL: "soon",
		SECURITY_CONTACT: "ask",
	};
	const { canonical } = await newOwner();
	const lines = await logged(async () => {
		await json(call(`/v1/public/addresses/${canonical}`, { settings }));
		const page = await call("/privacy", { settings });
		expect(page.status).toBe(200);
		const html = await page.text();
		expect(html).toContain('href="mailto:help@addr.example"');
		expect(html).toContain("12 Marina, Lagos");
	});
	const named = lines.flatMap(({ event, message }) =>
		/^setting_/.test(String(event)) ? [String(message).split(" ")[0]] : [],
	);
	expect(new Set(named)).toEqual(new Set(Object.keys(settings)));
});
