import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject } from "vitest";

/** Ignored by git; the pictures are for people to look at. */
export const PICTURES = path.join(import.meta.dirname, "../../.wrangler/screenshots");
mkdirSync(PICTURES, { recursive: true });

/** A cheap phone held upright, in CSS pixels. */
export const PHONE = { width: 360, height: 640 };

/** The film that Chromium takes for what its camera sees. */
export const FILM = path.join(PICTURES, "camera.y4m");

/** How a page is opened. */
export interface PageOptions extends BrowserContextOptions {
	/** Whether there is a camera, which shows FILM. */
	hasCamera?: boolean;
}

const CHROMIUM = "/usr/bin/chromium";
/** Chromium without windows or cameras, where a page opens three times as fast. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

const browsers = new Map<string, Promise<Browser>>();

/** Debian's Chromium, as root and without a network to call home to. */
function browserFor({ hasCamera = false }: PageOptions): Promise<Browser> {
	const executablePath = !hasCamera && existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM;
	const browser =
		browsers.get(executablePath) ??
		chromium.launch({
			executablePath,
			args: [
				"--no-sandbox",
				"--disable-gpu",
				"--disable-quic",
				"--no-first-run",
				"--disable-background-networking",
				"--disable-component-update",
				"--disable-sync",
				"--use-fake-device-for-media-stream",
				`--use-file-for-fake-video-capture=${FILM}`,
			],
		});
	browsers.set(executablePath, browser);
	return browser;
}

export interface Visit {
	page: Page;
	context: BrowserContext;
	/** URLs that the page asked for, besides the registry's files of scripts and styles, which browsers keep. */
	requests: string[];
	/** Errors of scripts, refusals of the Content-Security-Policy, and dialogs. A test fails for what it leaves here. */
	complaints: string[];
}

const visits: Visit[] = [];

/** A new page on a phone of its own, and what happens there. Once the test is over it is closed (after-each.ts). */
export async function openPage(options: PageOptions = {}): Promise<Visit> {
	const browser = await browserFor(options);
	const defaults = { baseURL: inject("origin"), viewport: PHONE, locale: "en" };
	const context = await browser.newContext({ ...defaults, ...options });
	const page = await context.newPage();
	const requests: string[] = [];
	const complaints: string[] = [];
	const opened = { page, context, requests, complaints };
	visits.push(opened);
	const files = `${inject("origin")}/files/`;
	page.on("request", (request) => request.url().startsWith(files) || requests.push(request.url()));
	page.on("pageerror", (error) => complaints.push(String(error)));
	page.on("console", (message) => {
		// Chromium reports an error status of the page itself too, which is meant.
		if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
			complaints.push(message.text());
		}
	});
	page.on("dialog", async (dialog) => {
		complaints.push(`dialog: ${dialog.message()}`);
		await dialog.dismiss();
	});
	return opened;
}

/** Opens a path of the registry. */
export async function visit(at: string, options: PageOptions = {}): Promise<Visit> {
	const opened = await openPage(options);
	await opened.page.goto(at);
	return opened;
}

/** Closes what a test has opened. @throws Error where a page has complained. */
export async function endVisits(): Promise<void> {
	const ended = visits.splice(0);
	await Promise.all(ended.map(({ context }) => context.close()));
	expect(ended.flatMap(({ complaints }) => complaints)).toEqual([]);
}

/** Whether nothing reaches beyond the sides of the screen. */
export function fitsSideways(page: Page): Promise<boolean> {
	return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
}

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
	expect(await fitsSideways(page), "nothing reaches beyond the sides of the screen").toBe(true);
}

/** Takes a picture for people to look at, where PICTURES is set: taking them all lasts a minute. */
export async function picture(page: Page, name: string): Promise<void> {
	if (process.env.PICTURES) await page.screenshot({ path: path.join(PICTURES, `${name}.png`), fullPage: true });
}

/** `NG042158212` as people read it. */
export function spoken(canonical: string): string {
	return `${canonical.slice(0, 2)}-${canonical.slice(2, 6)}-${canonical.slice(6)}`;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const ALL_RULES = { runOnly: STANDARDS, rules: { "target-size": { enabled: true } } };
const RULES_OF_COLOUR = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };

/**
 * What axe finds wrong with a page by WCAG 2.2 AA, each with the scheme and the element: all rules by light, and those of colour by dark, since
 * a style sheet's colours are all that differs.
 */
export async function violations(page: Page): Promise<string[]> {
	await page.evaluate(axe);
	const found: string[] = [];
	for (const [colorScheme, rules, passes] of [
		["dark", RULES_OF_COLOUR, 1],
		["light", ALL_RULES, 11],
	] as const) {
		await page.emulateMedia({ colorScheme });
		const results = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(rules)})`);
		expect(results.passes.length).toBeGreaterThanOrEqual(passes);
		found.push(
			...results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} by ${colorScheme}: ${html}`)),
		);
	}
	return found;
}
