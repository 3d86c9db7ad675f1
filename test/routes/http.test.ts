/** How the HTTP layer treats requests that are not what they should be, and what stands at fixed paths. Raw requests are in test/fuzz. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { describe, expect, it, vi } from "vitest";
import { app } from "../../src/app.ts";
import { json as json200 } from "../../src/http/answer.ts";
import type { AppEnv } from "../../src/http/app-env.ts";
import { anyone, endpoint } from "../../src/http/endpoint.ts";
import { mount } from "../../src/http/mount.ts";
import { answered } from "../../src/schemas/common.ts";
import { call, json, ORIGIN, post, problem } from "../support/client.ts";
import { logged } from "../support/logged.ts";
import { freshPhone, newOwner, PASSWORD, signUp } from "../support/people.ts";
import { testRegistry } from "../support/registry.ts";

/** The answer of a Worker without WEB_URL to a request as it is. */
async function ask(request: Request | string, worker: { fetch: typeof app.fetch } = app): Promise<Response> {
	const context = createExecutionContext();
	const asked = typeof request === "string" ? new Request(request) : request;
	const answer = await worker.fetch(asked, { ...env, WEB_URL: "" }, context);
	await waitOnExecutionContext(context);
	return answer;
}

describe("with WEB_URL set", () => {
	const paths = [
		"/v1/public/addresses/NG042158212",
		"/openapi.json",
		"/docs",
		"/a/NG042158212",
		"/healthz",
		"/no/such/path",
	];
	it.each(paths)("another host gets 421 at %s, with its request id and no other host's links", async (path) => {
		const answer = await call(path, { origin: "https://evil.example" });
		const text = await answer.clone().text();
		await problem(answer, 421, "WRONG_HOST");
		expect(answer.headers.get("X-Request-Id")).toMatch(/^req_/);
		expect(answer.headers.get("Cache-Control")).toBe("no-store");
		expect(text).not.toContain("evil.example");
	});

	it.each(["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"])(
		"a developer's own machine is served: %s",
		async (origin) => {
			expect(await json(call("/healthz", { origin }))).toMatchObject({ status: "ok" });
		},
	);
});

describe("while WEB_URL is unset", () => {
	const settings = { WEB_URL: "" };

	it("nobody may store an answer that carries links, and the log says so", async () => {
		const { canonical } = await newOwner();
		const ofAddress = ["/a/*", "/a/*/print", "/v1/addresses/*/qr.svg", "/v1/addresses/*/label.svg"];
		const paths = ofAddress.map((path) => path.replace("*", canonical));
		for (const path of ["/openapi.json", "/docs", "/llms.txt", "/", ...paths]) {
			const answer = await call(path, { settings });
			await answer.text();
			expect(answer.headers.get("Cache-Control"), path).toBe("no-store");
		}
		// An isolate says so once, and that of the tests may have said it in another file: a new one is asked twice.
		vi.resetModules();
		const isolate = await import("../../src/app.ts");
		const asking = async () => {
			for (const path of ["/", "/docs"]) await ask(ORIGIN + path, isolate.app);
		};
		expect(await logged(asking, "web_url_unset")).toHaveLength(1);
		const resolved = await call(`/v1/public/addresses/${canonical}`, { settings });
		expect(resolved.headers.get("Cache-Control")).toMatch(/^public/);
		expect(await resolved.text()).not.toContain(ORIGIN);
	});
});

it("tells the methods of a page after it has refused one of the API, before it had pages", async () => {
	vi.resetModules();
	const { app } = await import("../../src/app.ts");
	for (const [path, allowed] of [
		["/healthz", "GET or HEAD"],
		["/docs", "GET or HEAD"],
		["/v1/auth/me", "GET or HEAD or DELETE"],
	] as const) {
		for (const method of ["PUT", "OPTIONS"]) {
			const answer = await ask(new Request(ORIGIN + path, { method }), app);
			expect(answer.headers.get("Allow")).toBe(allowed.replaceAll(" or ", ", "));
			expect(await problem(answer, 405, "METHOD_NOT_ALLOWED"), path).toMatchObject({ detail: `Use ${allowed} here.` });
		}
	}
});

describe("a Host", () => {
	it.each(['a"b', "a'b", "a$b", "a,b"])("that is none is refused where it would write links: %s", async (host) => {
		for (const path of ["/healthz", "/docs", "/v1/public/addresses/NG042158212", "/my", "/nothing"]) {
			expect(await json(ask(`https://${host}${path}`), 400), path).toMatchObject({ code: "INVALID_REQUEST" });
		}
	});

	it("of which no URL can be made is refused too", async () => {
		const request = new Proxy(new Request("https://registry.test/docs"), {
			get: (target, name) => (name === "url" ? "https://a b/docs" : Reflect.get(target, name, target)),
		});
		expect(await json(ask(request), 400)).toMatchObject({ code: "INVALID_REQUEST" });
	});

	it.each([
		[200, 200],
		[2_400, 400],
	])("of %i characters fails no image: %i", async (length, status) => {
		const { canonical } = await newOwner();
		const answer = await ask(`https://${"a.".repeat(length / 2 - 1)}aa/v1/addresses/${canonical}/qr.svg`);
		expect(answer.status).toBe(status);
		expect(answer.headers.get("X-Request-Id")).toMatch(/^req_/);
		expect((await answer.text()).length).toBeLessThan(20_000);
	});
});

describe("a path", () => {
	it.each(["/v1//zones", "/v1/addresses//", "//v1/addresses", "/a//NG042158212"])(
		"with an empty segment is none: %s",
		async (path) => {
			const { access } = await signUp();
			expect((await call(path, { token: access })).status).toBe(404);
		},
	);
});

describe("a body", () => {
	it.each([
		["in UTF-16", { "Content-Type": "application/json; charset=utf-16" }],
		["compressed", { "Content-Type": "application/json", "Content-Encoding": "gzip" }],
	])("%s is refused", async (_, headers) => {
		const body = { phone: freshPhone(), password: PASSWORD };
		const answer = post("/v1/auth/register", body, { headers: headers as Record<string, string> });
		await problem(answer, 415, "UNSUPPORTED_MEDIA_TYPE");
		expect((await answer).headers.get("Accept-Encoding")).toBe("identity");
	});

	it.each(["application/json; charset=utf-8", 'application/json;charset="UTF-8"'])(
		"of type %s is read",
		async (type) => {
			const body = { phone: freshPhone(), password: PASSWORD };
			await json(post("/v1/auth/register", body, { headers: { "Content-Type": type } }), 201);
		},
	);

	it("that ends where it begins is none where it may be left out, whatever its type", async () => {
		const { access, canonical } = await newOwner();
		const headers = { "Content-Type": "application/json", Authorization: `Bearer ${access}` };
		const body = new ReadableStream({ start: (controller) => controller.close() });
		const request = new Request(`${ORIGIN}/v1/addresses/${canonical}`, { method: "DELETE", headers, body });
		expect((await ask(request)).status).toBe(204);
	});

	it("that breaks off is the client's fault, and raises no alarm", async () => {
		const { access, canonical } = await newOwner();
		const [json, form] = ["application/json", "application/x-www-form-urlencoded"];
		for (const [path, type] of [
			["/v1/auth/register", json],
			[`/v1/addresses/${canonical}/share`, json],
			["/my/sign-in", form],
			["/list", form],
		] as const) {
			const body = new ReadableStream({
				start(controller) {
					controller.enqueue(new TextEncoder().encode('{"phone":'));
					controller.error(new Error("Network connection lost."));
				},
			});
			const headers = { "Content-Type": type, Authorization: `Bearer ${access}` };
			const request = new Request(ORIGIN + path, { method: "POST", headers, body });
			const lines = await logged(async () => {
				expect((await ask(request)).status, path).toBe(400);
			});
			expect(lines.filter(({ level }) => level === "error")).toEqual([]);
		}
	});
});

describe("what is served at a fixed path", () => {
	it("a catalogue of the APIs leads programs to what describes them (RFC 9727)", async () => {
		const path = "/.well-known/api-catalog";
		const answer = await call(path);
		expect(answer.headers.get("Content-Type")).toBe(
			'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
		);
		expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("*");
		const head = await call(path, { method: "HEAD" });
		expect(head.headers.get("Link")).toBe(`<${ORIGIN}${path}>; rel="api-catalog"`);
		type Links = { anchor: string } & Record<string, { href: string; type?: string }[]>;
		const { linkset } = await answer.json<{ linkset: Links[] }>();
		const [catalogue, ...apis] = linkset;
		expect(catalogue?.anchor).toBe(ORIGIN + path);
		expect(apis.map(({ anchor }) => anchor)).toEqual(catalogue?.item?.map(({ href }) => href));
		for (const { anchor: _, ...relations } of apis)
			for (const { href, type } of Object.values(relations).flat()) {
				const found = await call(href.replace(ORIGIN, ""), { headers: { Accept: type ?? "*/*" } });
				expect([found.status, found.headers.get("Content-Type")?.split(";")[0]], href).toEqual([200, type]);
			}
	});

	it("security.txt names the contact of the settings, else the operator's, and expires within a year (RFC 9116)", async () => {
		const path = "/.well-known/security.txt";
		await json(call(path), 404);
		const [OPERATOR_CONTACT, SECURITY_CONTACT] = ["mailto:office@addr.example", "https://addr.example/weakness"];
		const fallback = await (await call(path, { settings: { OPERATOR_CONTACT } })).text();
		expect(fallback).toContain(`Contact: ${OPERATOR_CONTACT}\n`);
		const answer = await call(path, { settings: { OPERATOR_CONTACT, SECURITY_CONTACT } });
		expect(answer.headers.get("Content-Type")).toMatch(/^text\/plain/);
		const text = await answer.text();
		expect(text.match(/^Contact: .*/gm)).toEqual([`Contact: ${SECURITY_CONTACT}`]);
		const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? "");
		expect(expires).toBeGreaterThan(Date.now());
		expect(expires).toBeLessThan(Date.now() + 365 * 86_400_000);
		const unusable = { OPERATOR_CONTACT, SECURITY_CONTACT: "security" };
		expect(await (await call(path, { settings: unusable })).text()).toContain(`Contact: ${OPERATOR_CONTACT}\n`);
	});

	it("robots.txt keeps crawlers off private links and the API, and lets them read that an address is not to be listed", async () => {
		const text = await (await call("/robots.txt")).text();
		for (const path of ["/*?*share=", "/v1/", "/my"]) expect(text).toContain(`Disallow: ${path}\n`);
		expect(text).not.toContain("Disallow: /a/");
		const { canonical } = await newOwner();
		for (const path of ["", "/contact.vcf", "/og.png", "/print"]) {
			const answer = await call(`/a/${canonical}${path}`);
			expect([answer.status, answer.headers.get("X-Robots-Tag")], path).toEqual([200, "noindex"]);
			await answer.body?.cancel();
		}
		expect((await call("/a/NG-0421-58213")).headers.get("X-Robots-Tag")).toBe("noindex");
	});
});

it("headers let no page set a base for links, and pages ask for nothing but the place", async () => {
	for (const path of ["/", "/docs", "/problems", "/nothing", "/a/nothing", "/my/sign-in"]) {
		const { headers } = await call(path, { headers: { Accept: "text/html" } });
		expect(headers.get("Content-Security-Policy"), path).toContain("base-uri 'none'");
	}
	const policy = (await call("/")).headers.get("Permissions-Policy");
	expect(policy).toContain("microphone=()");
	expect(policy).toContain("geolocation=(self)");
});

it("an endpoint that is deprecated says so in its answers, and since and until when (RFC 9745, RFC 8594)", async () => {
	const routes = new Hono<AppEnv>().use(async (c, next) => {
		c.set("registry", testRegistry({}));
		await next();
	});
	const old = endpoint({
		method: "get",
		path: "/v1/old",
		id: "getOld",
		tag: "Status",
		summary: "Old",
		description: "Old.",
		access: anyone,
		answer: json200(
			200,
			answered("Old", () => ({})),
			"Old.",
		),
		deprecated: { since: "2027-01-31", until: "2028-01-31" },
		handle: () => ({}),
	});
	mount(routes, old);
	const response = await routes.request("/v1/old");
	expect(await response.text()).toBe("{}");
	const { headers } = response;
	expect(headers.get("Deprecation")).toBe("@1801353600");
	expect(headers.get("Sunset")).toBe("Mon, 31 Jan 2028 00:00:00 GMT");
	expect(headers.get("Link")).toBe('</docs/changelog>; rel="deprecation"; type="text/html"');
});
