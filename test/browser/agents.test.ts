import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { qrSymbol } from "../../src/print/qr.ts";
import { FILM, picture, spoken, violations, visit } from "./chromium.ts";
import { next, PASSWORD, signUp } from "./holder.ts";

const { goma, lost } = inject("codes");

/** A film of one still, a sign's QR symbol on grey, as YUV4MPEG2, which Chromium takes for a camera. */
function film(text: string): Buffer {
	const [width, height, dots] = [640, 480, 8];
	const { modules } = qrSymbol(text);
	const luma = Buffer.alloc(width * height, 200);
	const [left, top] = [(width - modules.length * dots) / 2, (height - modules.length * dots) / 2];
	for (const [row, line] of modules.entries()) {
		for (const [column, isDark] of line.entries()) {
			for (let y = 0; y < dots; y += 1) {
				const start = Math.trunc(top + row * dots + y) * width + Math.trunc(left + column * dots);
				luma.fill(isDark ? 30 : 220, start, start + dots);
			}
		}
	}
	const chroma = Buffer.alloc((width * height) / 2, 128);
	const header = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`);
	return Buffer.concat([header, Buffer.from("FRAME\n"), luma, chroma]);
}

/** A few metres from the pin. */
const AT_GOMA = { latitude: -1.67495, longitude: 29.23335 };

beforeAll(() => writeFileSync(FILM, film(`${inject("origin")}/a/${goma}`)));

/** How long a camera may take to start and a symbol to be read on a busy machine. */
const SEEN = { timeout: 30_000 };

/** Chromium has the Barcode Detection API on Android, and not on Linux: here jsQR reads the same pictures behind the same interface. */
const DETECTOR = `globalThis.BarcodeDetector = class {
	static async getSupportedFormats() { return ["qr_code"] }
	async detect(video) {
		const canvas = new OffscreenCanvas(video.videoWidth || 1, video.videoHeight || 1);
		const context = canvas.getContext("2d");
		context.drawImage(video, 0, 0);
		const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
		const found = jsQR(data, width, height);
		return found ? [{ rawValue: found.data }] : [];
	}
}`;

async function signInAsAgent(page: Page): Promise<void> {
	await page.selectOption("#country", "NG");
	await page.fill("#phone", inject("agent"));
	await page.fill("#password", PASSWORD);
	await next(page).click();
}

/** The page for agents, in a browser that can read QR symbols. */
async function atAttest(options: BrowserContextOptions = {}) {
	const opened = await visit("/my/attest", { hasCamera: true, ...options });
	await opened.page.addInitScript({ path: createRequire(import.meta.url).resolve("jsqr/dist/jsQR.js") });
	await opened.page.addInitScript(DETECTOR);
	await signInAsAgent(opened.page);
	await opened.page.waitForURL("**/my/attest");
	return opened;
}

describe("an agent", () => {
	it("scans a sign by the camera inside the console, and verifies the address", async () => {
		const geolocation = { ...AT_GOMA, accuracy: 12 };
		const { page } = await atAttest({ permissions: ["camera", "geolocation"], geolocation });
		await page.getByRole("button", { name: "Scan the sign" }).click();
		await page.waitForURL("**/my/attest?code=*", SEEN);
		await page.locator("#visit").waitFor(SEEN);
		expect(await page.locator("main").textContent()).toContain("Maison de Maman Rose");
		expect(await page.locator("#visit [role=status]").textContent()).toMatch(/^You are \d+ m from the pin\..* 12 m\.$/);
		expect(await page.locator("#needs-location").isVisible()).toBe(false);
		expect(await violations(page)).toEqual([]);
		await picture(page, "agent-scanned");
		await page.getByRole("button", { name: "Verify", exact: true }).click();
		expect(await page.locator(".notice").textContent()).toContain("is verified.");
		const answer = await page.request.get(`/v1/public/addresses/${goma}`);
		expect(await answer.json()).toMatchObject({ verification_level: 2 });
	});

	it("sees what the camera sees, and can stop it", async () => {
		const { page } = await atAttest({ permissions: ["camera"] });
		await page.evaluate("BarcodeDetector.prototype.detect = async () => [{ rawValue: 'https://example.org/menu' }]");
		await page.getByRole("button", { name: "Scan the sign" }).click();
		await expect.poll(() => page.locator("#scanner [role=status]").textContent()).toContain("contains no address code");
		expect(await page.evaluate("document.querySelector('video').videoWidth")).toBe(640);
		await picture(page, "agent-scanning");
		await page.getByRole("button", { name: "Stop the camera" }).click();
		expect(await page.locator("video").isVisible()).toBe(false);
		expect(await page.locator("#code").inputValue()).toBe("");
	});

	it("is told plainly that the camera is blocked, and can type the code", async () => {
		const { page } = await atAttest();
		await page.getByRole("button", { name: "Scan the sign" }).click();
		await expect
			.poll(() => page.locator("#scanner [role=status]").textContent())
			.toBe(
				"The camera is blocked for this page. Allow it in the browser’s site settings and try again, or type the code.",
			);
		expect(await page.locator("video").isVisible()).toBe(false);
		await picture(page, "agent-camera-blocked");
		expect(await violations(page)).toEqual([]);
	});

	it.each([true, false])(
		"where no browser scans, pastes the code of the public page, which has no link for agents, with a script (%s)",
		async (javaScriptEnabled) => {
			const { page } = await visit(`/a/${goma}?lang=fr`, { javaScriptEnabled });
			expect(await page.locator("main a[href^='/my']").count()).toBe(0);
			await page.goto("/my/attest?lang=fr");
			await signInAsAgent(page);
			await page.fill("#code", spoken(goma));
			await page.locator("form:has(#code) button.first").click();
			await page.waitForURL("**/my/attest?**");
			expect(await page.locator("main").textContent()).toContain("Maison de Maman Rose");
			expect(await page.locator("html").getAttribute("lang")).toBe("fr");
			// Nobody is told to verify who does not say where they are: without a script, and without leave.
			expect(await page.locator("#needs-location").isVisible()).toBe(true);
			expect(await page.locator("#visit").isVisible()).toBe(false);
		},
	);
});

describe("an agent at the home of somebody who has lost every way in", () => {
	const geolocation = { latitude: -1.68012, longitude: 29.22812, accuracy: 9 };
	const open = async (code: string, at = geolocation) => {
		const opened = await atAttest({ permissions: ["geolocation"], geolocation: at });
		await opened.page.goto(`/my/attest?code=${code}`);
		await opened.page.locator("#visit").waitFor(SEEN);
		await opened.page.getByText("The holder cannot get in").click();
		return { ...opened, hand: opened.page.getByRole("button", { name: "Show the recovery code" }) };
	};

	it("is shown the code, by which the holder gets in with a new password", async () => {
		const { page, hand } = await open(lost);
		expect(await violations(page)).toEqual([]);
		await picture(page, "agent-recovery");
		await hand.click();
		await page.locator(".secret").waitFor();
		expect(await violations(page)).toEqual([]);
		await picture(page, "agent-recovery-code");
		const first = (await page.locator(".secret").textContent()) ?? "";
		expect(await page.locator("main").textContent()).toContain("/my/forgot");
		// Where the page is lost, the agent is shown another for a while.
		const again = await open(lost);
		await again.hand.click();
		await again.page.locator(".secret").waitFor();
		const code = (await again.page.locator(".secret").textContent()) ?? "";
		expect(code).not.toBe(first);
		const holder = await visit("/my/forgot/recovery");
		await holder.page.selectOption("#country", "NG");
		await holder.page.fill("#phone", inject("lost"));
		await holder.page.fill("#recovery_code", code);
		await holder.page.fill("#password", "nine green hens");
		await next(holder.page).click();
		await holder.page.waitForURL((url) => url.search.includes("did=reset"));
		await holder.page.goto("/my");
		expect(await holder.page.locator("main").textContent()).toContain("Blue door");
		const late = await open(lost);
		await late.hand.click();
		expect(await late.page.locator("#problem").textContent()).toContain("no recovery code to hand over");
	});

	it("is told what it takes where no operator asked, and can do nothing from afar", async () => {
		const { page, hand } = await open(goma, { ...AT_GOMA, accuracy: 12 });
		await hand.click();
		expect(await page.locator("#problem").textContent()).toContain("asked for it at least 7 days ago");
		const afar = await open(goma, { ...geolocation, latitude: -1.69 });
		expect(await afar.hand.isDisabled()).toBe(true);
		const colourOf = (name: string) =>
			afar.page.evaluate(`getComputedStyle(document.querySelector("${name}")).backgroundColor`);
		expect(await colourOf("#visit .first"), "grey").toBe(await colourOf("#visit [value=recovery]"));
	});
});

it("somebody who is not an agent is told so, and not that the address belongs to another account", async () => {
	const { page } = await visit("/my/sign-up");
	await signUp(page);
	const answer = await page.goto(`/my/attest?code=${goma}`);
	expect(answer?.status()).toBe(403);
	expect(await page.locator("#problem").textContent()).toContain("Only agents of the registry can do this.");
});
