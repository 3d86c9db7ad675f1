import { readdirSync } from "node:fs";
import { expect, inject, it } from "vitest";

const origin = inject("origin");
const ask = (path: string, headers: Record<string, string> = {}) =>
	fetch(origin + path, { headers: { Origin: "https://shop.example", ...headers }, redirect: "manual" });

/** Whether the Worker has answered, which names each request. */
const isOfWorker = (answer: Response) => answer.headers.has("X-Request-Id");

const COMMON = {
	"X-Content-Type-Options": "nosniff",
	"Strict-Transport-Security": "max-age=63072000; includeSubDomains",
};
const OPEN = {
	...COMMON,
	"Access-Control-Allow-Origin": "*",
	"Access-Control-Expose-Headers": "*",
	"Cross-Origin-Resource-Policy": "cross-origin",
	"Cache-Control": "public, max-age=300, s-maxage=3600",
};
const OF_PAGES = {
	...COMMON,
	"Access-Control-Allow-Origin": null,
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control": "public, max-age=31536000, immutable",
};

it.each([
	...["client.js", "address-code.js", "vectors.csv"].map((name) => [`/${name}`, OPEN] as const),
	...readdirSync("dist/assets/files").map((name) => [`/files/${name}`, OF_PAGES] as const),
])(
	"%s needs no Worker, has the headers that the Worker would give it, and is asked for again by its ETag",
	async (path, wanted) => {
		const answer = await ask(path);
		expect([answer.status, isOfWorker(answer)]).toEqual([200, false]);
		for (const [name, value] of Object.entries(wanted)) expect(answer.headers.get(name), name).toBe(value);
		const type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".css") ? "text/css" : "text/csv";
		expect(answer.headers.get("Content-Type")).toBe(`${type}; charset=utf-8`);
		const again = await ask(path, { "If-None-Match": answer.headers.get("ETag") ?? "" });
		expect(again.status).toBe(304);
		expect(again.headers.get("Cache-Control")).toBe(wanted["Cache-Control"]);
	},
);

it("a file that is missing may be there a moment later, so no browser keeps that", async () => {
	const answer = await ask("/files/console-0.css");
	expect(answer.status).toBe(404);
	expect(answer.headers.get("Cache-Control") ?? "").not.toContain("immutable");
});

it.each([
	"/data/common-passwords.bin",
	"/world.zones",
	"/_headers",
	"/files/..%5cworld.zones",
	"/files/..%2fworld.zones",
	"/files/..%2f..%2fdata%2fcommon-passwords.bin",
	"/files/%2e%2e/world.zones",
	"/client.js%2f..%2fworld.zones",
])("%s is no file for the public", async (path) => {
	const answer = await ask(path);
	expect(answer.status).toBe(404);
});

it.each(["/openapi.json", "/llms.txt", "/docs", "/problems/BAD_CHECK_DIGIT", "/docs/guides/checkout.md"])(
	"%s comes from the Worker, which knows the origin",
	async (path) => {
		const answer = await ask(path);
		expect([answer.status, isOfWorker(answer)]).toEqual([200, true]);
		expect(await answer.text()).not.toContain("registry.invalid");
	},
);
