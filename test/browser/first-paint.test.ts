import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { median } from "../support/median.ts";
import { openPage } from "./chromium.ts";
import { createAddress, next, pastePlace } from "./holder.ts";

/** A slow line and a cheap phone: 400 ms there and back, 400 kbit/s, a quarter of this machine's speed. */
const LINE = { offline: false, latency: 400, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 };
const CPU_SLOWDOWN = 4;
/** In milliseconds: a second is wanted, and half of one is left for whatever else the machine does. */
const FIRST_PAINT_MAX = 1500;
/** A tenth of what Core Web Vitals call good: a line that wraps late, as now and then on /docs, and no part that jumps. */
const SHIFT_MAX = 0.01;
/**
 * Visits to a page that was painted too late, of which the median counts, or that moved, of which the stillest does: one hiccup of a busy
 * machine decides nothing, and a part that jumps does so on every visit.
 */
const RUNS = 3;
let edge: Server;
beforeAll(async () => {
	// Cloudflare's edge compresses pages, and the local runtime does not: so does this, in front of the registry.
	edge = createServer(async ({ url, headers }, response) => {
		const answer = await fetch(inject("origin") + url, {
			headers: { Cookie: headers.cookie ?? "" },
			redirect: "manual",
		});
		const body = gzipSync(await answer.text());
		const policy = answer.headers.get("Content-Security-Policy") ?? "";
		response.writeHead(answer.status, {
			"Content-Type": answer.headers.get("Content-Type") ?? "",
			"Content-Security-Policy": policy,
			"Content-Encoding": "gzip",
		});
		response.end(body);
	});
	await new Promise<void>((resolve) => edge.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void edge.close());

/** How far what is already painted has moved since (Layout Instability API): 0 where nothing has. */
const SHIFTS = `new Promise((done) => {
	let shifts = 0;
	const add = (list) => { for (const { value } of list.getEntries()) shifts += value; };
	new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
	setTimeout(() => done(shifts), 100);
})`;

/**
 * Milliseconds from the start of the navigation to the first paint, of the slow phone's first visit to a page, and how far things moved
 * after it.
 */
async function firstPaint(context: BrowserContext, path: string): Promise<{ painted: number; shifts: number }> {
	const page = await context.newPage();
	const cdp = await context.newCDPSession(page);
	await cdp.send("Network.enable");
	await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
	await cdp.send("Network.emulateNetworkConditions", LINE);
	await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
	await page.goto(`http://127.0.0.1:${(edge.address() as AddressInfo).port}${path}`);
	const entry = "performance.getEntriesByName('first-paint')[0]?.startTime ?? 0";
	await expect.poll(() => page.evaluate<number>(entry)).toBeGreaterThan(0);
	const painted = await page.evaluate<number>(entry);
	const shifts = await page.evaluate<number>(SHIFTS);
	await page.close();
	return { painted, shifts };
}

it("every page is painted in time on a slow line and a cheap phone, and nothing moves after", {
	timeout: 600_000,
}, async () => {
	// What a service worker fetches does not pass the slow line.
	const { page, context: holder } = await openPage({ serviceWorkers: "block" });
	const code = await createAddress(page);
	await pastePlace(page);
	const { page: draft, context: stranger } = await openPage({ serviceWorkers: "block" });
	await pastePlace(draft);
	await draft.fill("#label", "Blue gate");
	await draft.locator("button.first[value=right]").click();
	await next(draft).click();
	await draft.waitForURL("**/check");
	const { lagos } = inject("codes");
	const visits: [BrowserContext, string[]][] = [
		[
			stranger,
			[
				"/",
				`/a/${lagos}`,
				`/a/${lagos}/print`,
				"/a/NG-0421-58213",
				"/nowhere",
				"/docs",
				"/problems",
				"/problems/BAD_CHECK_DIGIT",
				"/my/new",
				"/my/new/spot",
				"/my/new/check",
				"/my/sign-in",
				"/my/sign-up",
				"/my/forgot",
			],
		],
		[
			holder,
			[
				"/my",
				`/my/${code}?new`,
				`/my/${code}/label`,
				`/my/${code}/move`,
				`/my/${code}/retire`,
				`/my/${code}/history`,
				`/my/print?as=signs&code=${code}`,
				"/my/account",
				"/my/account/phone",
				"/my/account/sessions",
				"/my/keys",
			],
		],
	];
	const times = new Map<string, number[]>();
	const moved = new Map<string, number>();
	// In rounds over all pages: what else the machine does for some seconds delays one visit of each, and not all of one.
	for (let round = 1; round <= RUNS; round += 1) {
		for (const [context, paths] of visits) {
			for (const path of paths) {
				// Company makes a page late and never early, so the first visit in time decides.
				const isInTime = (times.get(path)?.[0] ?? FIRST_PAINT_MAX) < FIRST_PAINT_MAX;
				const least = moved.get(path) ?? Number.POSITIVE_INFINITY;
				if (isInTime && least <= SHIFT_MAX) continue;
				const { painted, shifts } = await firstPaint(context, path);
				times.set(path, [...(times.get(path) ?? []), painted]);
				moved.set(path, Math.min(least, shifts));
			}
		}
	}
	const medians = Object.fromEntries([...times].map(([path, found]) => [path, Math.round(median(found))]));
	console.info("First paint in milliseconds, the median of three where the first was late:", medians);
	expect(Math.min(...Object.values(medians)), "the line is slow").toBeGreaterThan(LINE.latency);
	expect(Object.entries(medians).filter(([, milliseconds]) => milliseconds >= FIRST_PAINT_MAX)).toEqual([]);
	expect([...moved].filter(([, shifts]) => shifts > SHIFT_MAX)).toEqual([]);
});
