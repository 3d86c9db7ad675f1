import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { codeOfSerial } from "../../src/codes/code.ts";
import { mint, send, signUp } from "../support/remote.ts";
import { openPage } from "./chromium.ts";

const codes = inject("codes");
const origin = inject("origin");
/** Twenty stops of one owner, who can make them private. */
const stops: string[] = [];
let token: string;

beforeAll(async () => {
	({ token } = await signUp(origin, "+2348031239876"));
	for (let stop = 0; stop < 20; stop += 1) {
		stops.push(await mint(origin, token, { lat: 6.6 + stop / 500, lng: 3.4, label: `Stop ${stop + 1}` }));
	}
});

/** A phone whose service worker is at work. */
async function openKeeping(home = "/"): Promise<{ page: Page; context: BrowserContext }> {
	const { page, context } = await openPage();
	await page.goto(home);
	await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
	await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
	return { page, context };
}

/** Paths that the browser keeps. */
function kept(page: Page): Promise<string[]> {
	return page.evaluate<string[]>(
		`caches.open("seen").then((cache) => cache.keys()).then((keys) => keys.map(({ url }) => url.slice(location.origin.length)))`,
	);
}

describe("without a network", () => {
	it("a round of twenty stops goes on, with the home page and the addresses seen, and says since when", async () => {
		const { page, context } = await openKeeping();
		await page.goto(`/a/${codes.lagos}`);
		await page.goto("/list");
		await page.fill("#codes", stops.join("\n"));
		await page.locator("form:has(#codes) button.first").click();
		await expect.poll(() => page.locator("#stops > li").count()).toBe(20);
		await context.setOffline(true);
		await page.goto("/list");
		await expect.poll(() => page.locator("#stops > li").count()).toBe(20);
		expect(await page.locator("#stops").textContent()).toContain("Stop 20");
		expect(await page.getByText(/^Offline\. As of \d\d:\d\d\.$/).isVisible()).toBe(true);
		await page.goto(`/a/${codes.lagos}`);
		expect(await page.locator("main").textContent()).toContain("6.524400, 3.379200");
		await page.goto("/");
		expect(await page.getByText(/^Offline\. As of/).isVisible()).toBe(true);
	});

	it("an address that became private is gone once it was asked for, and the round that it was in", async () => {
		const { page, context } = await openKeeping();
		const [private_] = stops as [string];
		await page.goto(`/a/${private_}`);
		await page.goto("/list");
		await page.fill("#codes", stops.join("\n"));
		await page.locator("form:has(#codes) button.first").click();
		await expect.poll(async () => (await kept(page)).includes("/list?round")).toBe(true);
		const hide = { method: "PATCH", path: `/v1/addresses/${private_}`, token, body: { visibility: "private" } };
		expect((await send(origin, hide)).status).toBe(200);
		expect((await page.goto(`/a/${private_}`))?.status()).toBe(403);
		await expect.poll(() => kept(page)).not.toContain(`/a/${private_}`);
		expect(await kept(page)).not.toContain("/list?round");
		await context.setOffline(true);
		await expect(page.goto(`/a/${private_}`)).rejects.toThrow("ERR_FAILED");
	});

	it("an address that was retired is gone once it was asked for, and a fault of the registry takes nothing away", async () => {
		const { page, context } = await openKeeping();
		const gone = await mint(origin, token, { lat: 6.62, lng: 3.42, label: "For a while" });
		for (const code of [gone, codes.lagos]) await page.goto(`/a/${code}`);
		await expect.poll(() => kept(page)).toEqual(expect.arrayContaining([`/a/${gone}`, `/a/${codes.lagos}`]));
		await send(origin, { method: "DELETE", path: `/v1/addresses/${gone}`, token });
		expect((await page.goto(`/a/${gone}`))?.status()).toBe(410);
		await expect.poll(() => kept(page)).not.toContain(`/a/${gone}`);
		await context.route(`**/a/${codes.lagos}`, (route) => route.fulfill({ status: 503, body: "busy" }));
		await page.goto(`/a/${codes.lagos}`);
		await context.unroute(`**/a/${codes.lagos}`);
		await context.setOffline(true);
		await page.goto(`/a/${codes.lagos}`);
		expect(await page.locator("main").textContent()).toContain("6.524400, 3.379200");
		await expect(page.goto(`/a/${gone}`)).rejects.toThrow("ERR_FAILED");
	});

	it("an address that the registry knows no longer is gone once it was asked for, and the round that it was in", async () => {
		const { page, context } = await openKeeping();
		// A valid code that nobody has: what a backup leaves of an address that was created after it.
		const lost = codeOfSerial("IS", "0001", 4711)!;
		await page.evaluate(`caches.open("seen").then(async (cache) => {
			for (const path of ["/a/${lost}", "/list?round"]) {
				const headers = { "X-Kept-At": String(Date.now()), "Content-Type": "text/html" };
				await cache.put(path, new Response('<main data-as-of="{time}">${lost}', { headers }));
			}
		})`);
		await context.setOffline(true);
		await page.goto(`/a/${lost}`);
		expect(await page.locator("main").textContent()).toContain(lost);
		await context.setOffline(false);
		expect((await page.goto(`/a/${lost}`))?.status()).toBe(404);
		await expect.poll(() => kept(page)).toEqual(["/"]);
		await context.setOffline(true);
		await expect(page.goto(`/a/${lost}`)).rejects.toThrow("ERR_FAILED");
	});

	it("nothing that was shared, and nothing with another query, is kept", async () => {
		const { page } = await openKeeping();
		const home = await mint(origin, token, { lat: 6.61, lng: 3.41, label: "Behind", visibility: "private" });
		const shared = await send(origin, { method: "POST", path: `/v1/addresses/${home}/share`, token, body: {} });
		const { url } = shared.body as { url: string };
		expect((await page.goto(url))?.status()).toBe(200);
		await page.goto(`/a/${codes.lagos}?unit=3B`);
		await page.goto("/list");
		await page.fill("#codes", `${codes.lagos}\n${url}`);
		await page.locator("form:has(#codes) button.first").click();
		await expect.poll(() => page.locator("#stops > li").count()).toBe(2);
		await page.goto("/list?lang=fr");
		await expect.poll(() => kept(page)).toEqual(["/", "/list"]);
	});

	it("what is kept is forgotten at the press of a button", async () => {
		const { page } = await openKeeping();
		await page.goto("/list");
		await page.getByRole("button", { name: "Clear what this phone has stored" }).click();
		await expect.poll(() => page.locator("#forget").textContent()).toContain("cleared");
		expect(await page.evaluate("caches.has('seen')")).toBe(false);
	});

	it("pages older than 72 hours are not shown, and no more than the last hundred addresses are kept", async () => {
		const { page, context } = await openKeeping();
		await page.evaluate(`caches.open("seen").then(async (cache) => {
			for (let index = 0; index < 110; index += 1) {
				const headers = { "X-Kept-At": String(Date.now() - (index === 109 ? 73 * 3600e3 : 1000)) };
				await cache.put("/a/NG" + String(index).padStart(9, "0"), new Response("<main data-as-of=\\"{time}\\">", { headers }));
			}
		})`);
		await page.goto(`/a/${codes.lagos}`);
		await expect.poll(async () => (await kept(page)).length).toBeLessThanOrEqual(102);
		expect(await kept(page)).not.toContain("/a/NG000000109");
		expect(await kept(page)).toContain(`/a/${codes.lagos}`);
		await context.setOffline(true);
		await expect(page.goto("/a/NG000000109")).rejects.toThrow();
	});
});

it("a worker that is switched off deletes everything and leaves", async () => {
	let isOn = true;
	// In front of the registry, where an operator switches the worker off; what that answers is proved in test/routes/pages.test.ts.
	const ending = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(caches.delete("seen").then(() => registration.unregister())));
`;
	const edge = createServer(async ({ url }, response) => {
		const answer = await fetch(origin + url);
		response.writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "" });
		response.end(url === "/offline.js" && !isOn ? ending : Buffer.from(await answer.arrayBuffer()));
	});
	await new Promise<void>((resolve) => edge.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => void edge.close());
	const { page } = await openKeeping(`http://127.0.0.1:${(edge.address() as AddressInfo).port}/`);
	await expect.poll(() => kept(page)).toContain("/");
	isOn = false;
	await page.evaluate("navigator.serviceWorker.getRegistration().then((registration) => registration.update())");
	await expect.poll(() => page.evaluate("caches.has('seen')")).toBe(false);
	const isGone = "navigator.serviceWorker.getRegistration().then((one) => one === undefined)";
	await expect.poll(() => page.evaluate(isGone)).toBe(true);
});
