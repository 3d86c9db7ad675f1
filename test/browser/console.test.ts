import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Response } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { expectNoSidewaysScroll, launchChromium, picture, violations } from "./chromium.ts";
import { createAddress, newPhone, next, PASSWORD, pastePlace } from "./holder.ts";

const BYTES_MAX = 15 * 1024;
const LAGOS = { latitude: 6.5244, longitude: 3.3792 };

let browser: Browser;
beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(() => browser.close());

/** Browsers of the test that runs. */
const opened: BrowserContext[] = [];
afterEach(async () => {
	await Promise.all(opened.splice(0).map((context) => context.close()));
});

/** A page in a browser of its own, and what it costs and complains of. */
async function newPage(options: BrowserContextOptions = {}) {
	const context = await browser.newContext({
		baseURL: inject("origin"),
		viewport: { width: 360, height: 640 },
		locale: "en",
		...options,
	});
	opened.push(context);
	const page = await context.newPage();
	const complaints: string[] = [];
	page.on("pageerror", (error) => complaints.push(String(error)));
	page.on("console", (message) => {
		if (message.type() === "error" && !message.text().startsWith("Failed to load")) complaints.push(message.text());
	});
	return { page, context, complaints };
}

describe("from the home page to the printed sign, on a phone, signed out at first", () => {
	it("takes at most 9 taps, the permission among them, 2 typed fields, 7 pages and 40 KB", async () => {
		const { page, context, complaints } = await newPage({
			geolocation: { ...LAGOS, accuracy: 8 },
			extraHTTPHeaders: { "CF-IPCountry": "NG" },
		});
		await context.addInitScript("window.print = () => { window.printed = true }");
		// The browser asks, and the visitor's answer is a tap.
		let taps = 1;
		let pages = 0;
		/** What comes over the line: pages, and files that the browser keeps, each once. */
		const loaded: Promise<number>[] = [];
		const files = new Set<string>();
		page.on("response", (answer) => {
			if (answer.status() !== 200 || files.has(answer.url())) return;
			if (answer.request().resourceType() === "document") pages += 1;
			else files.add(answer.url());
			loaded.push(answer.body().then((body) => gzipSync(body).length));
		});
		let typed = 0;
		const tap = async (target: Locator) => {
			await target.click();
			taps += 1;
		};
		const type = async (target: Locator, text: string) => {
			// Where the field does not have the focus already, getting there is a tap.
			if (!(await target.evaluate((element) => element === element.ownerDocument.activeElement))) await tap(target);
			await page.keyboard.type(text);
			typed += 1;
		};
		await page.goto("/");
		await tap(page.getByRole("link", { name: "Get my address" }));
		await page.waitForURL("**/my/new");
		await context.grantPermissions(["geolocation"]);
		await tap(page.getByRole("button", { name: "Use where I am now" }));
		await expect.poll(() => page.getByRole("status").textContent()).toBe("Very good: within 8 m.");
		await picture(page, "console-where-8m");
		await tap(page.getByRole("button", { name: "Take this point" }));
		await page.waitForURL("**/spot");
		await tap(page.locator("button.first[value=right]"));
		await page.waitForURL("**/check");
		await type(page.locator("#phone"), newPhone());
		await type(page.locator("#password"), PASSWORD);
		await tap(page.getByRole("button", { name: "Create the address" }));
		await page.waitForURL(/\/my\/NG\d{9}/);
		expect(await page.locator("svg.streets").count()).toBe(1);
		expect((await page.locator("h1.code").textContent())?.slice(0, 13)).toMatch(/^NG-\d{4}-\d{5}$/);
		await picture(page, "console-done");
		await tap(page.getByRole("link", { name: "Print the sign" }));
		await page.waitForURL("**/print#print");
		expect(await page.locator(".sign").count()).toBe(1);
		await expect.poll(() => page.evaluate("window.printed")).toBe(true);
		expect(taps).toBeLessThanOrEqual(9);
		expect(typed).toBe(2);
		expect(pages).toBeLessThanOrEqual(7);
		expect(files.size).toBe(6);
		const bytes = (await Promise.all(loaded)).reduce((sum, size) => sum + size);
		console.info(`From / to the printed sign: ${bytes} bytes`);
		expect(bytes).toBeLessThanOrEqual(40 * 1024);
		expect(complaints).toEqual([]);
	});
});

describe("by the device's own position", () => {
	it("knowing only the area, says so, and shows enough ground to place the pin by hand", async () => {
		const { page } = await newPage({ geolocation: { ...LAGOS, accuracy: 1500 }, permissions: ["geolocation"] });
		await page.goto("/my/new");
		await expect.poll(() => page.getByRole("status").textContent()).toContain("within 1.5 km");
		await picture(page, "console-where-1500m");
		await page.getByRole("button", { name: "Continue and place the pin by hand" }).click();
		await page.waitForURL("**/spot");
		expect(await page.locator("button[name=window][aria-current]").textContent()).toBe("2 km");
		await picture(page, "console-spot-1500m");
	});

	it("being refused, says how to go on, and the other way stays", async () => {
		const { page, complaints } = await newPage();
		await page.goto("/my/new");
		await page.locator("#here").click();
		await expect.poll(() => page.getByRole("status").textContent()).toContain("Location is blocked for this page.");
		expect(await page.locator("#take").isVisible()).toBe(false);
		expect(await page.getByRole("button", { name: "Try again" }).isVisible()).toBe(true);
		await picture(page, "console-where-denied");
		await page.fill("#place", "6.5244, 3.3792");
		await page.locator("form:has(#place) button[type=submit]").click();
		await page.waitForURL("**/spot");
		expect(complaints).toEqual([]);
	});

	it("is asked for when the button is pressed, and at once by whoever has allowed it before", async () => {
		const { page, context } = await newPage({ geolocation: { ...LAGOS, accuracy: 5 } });
		await context.addInitScript("navigator.geolocation.watchPosition = () => { window.asked = true; return 1 }");
		await page.goto("/my/new");
		await page.evaluate("navigator.permissions.query({ name: 'geolocation' }).then(() => {})");
		expect(await page.evaluate("window.asked")).toBeUndefined();
		await page.locator("#here").click();
		expect(await page.evaluate("window.asked")).toBe(true);
		await context.grantPermissions(["geolocation"]);
		await page.reload();
		await expect.poll(() => page.evaluate("window.asked")).toBe(true);
	});
});

describe("placing the pin", () => {
	async function atSpot(options: BrowserContextOptions = {}) {
		const visit = await newPage(options);
		await pastePlace(visit.page);
		return visit;
	}

	/** Unfolds what moves the pin without the drawing, unless the page has. */
	async function openButtons(page: Page): Promise<void> {
		const buttons = page.locator("details:has(.pad)");
		if ((await buttons.getAttribute("open")) === null) await buttons.locator("summary").click();
	}

	it("without a script, by a click into the drawing", async () => {
		const { page } = await atSpot({ javaScriptEnabled: false });
		await page.locator("input[name=map]").click({ position: { x: 144 + 24, y: 108 - 24 } });
		await page.waitForURL("**/spot?**");
		expect(await page.locator("#pin-says").textContent()).toBe("The pin is 14 m north-east of the first point.");
	});

	it("by dragging, by choosing a point and by the buttons, without a round trip, and it arrives", async () => {
		const { page, complaints } = await atSpot();
		const requests: string[] = [];
		page.on("request", (request) => requests.push(request.url()));
		const box = await page.locator("#frame").boundingBox();
		const [x, y] = [(box?.x ?? 0) + 145, (box?.y ?? 0) + 109];
		await page.mouse.move(x, y);
		await page.mouse.down();
		await page.mouse.move(x, y + 24, { steps: 4 });
		await page.mouse.up();
		await expect.poll(() => page.locator("#pin-says").textContent()).toBe("The pin is 10 m north of the first point.");
		await page.mouse.click(x + 24, y);
		await expect
			.poll(() => page.locator("#pin-says").textContent())
			.toBe("The pin is 14 m north-east of the first point.");
		await openButtons(page);
		await page.getByRole("button", { name: "South" }).click();
		await page.getByRole("button", { name: "South" }).click();
		await expect.poll(() => page.locator("#pin-says").textContent()).toBe("The pin is 10 m east of the first point.");
		await picture(page, "console-spot-moved");
		expect(requests).toEqual([]);
		const seen = page.getByRole("link", { name: "OpenStreetMap" });
		expect(await seen.getAttribute("href")).toMatch(/mlat=6\.5244&mlon=3\.3792(8|9|90)\d?#/);
		await page.locator("button.first[value=right]").click();
		await page.waitForURL("**/check");
		await page.goto("/my/new/spot");
		expect(await page.locator("#pin-says").textContent()).toBe("The pin is 10 m east of the first point.");
		expect(complaints).toEqual([]);
	});

	it("by the arrow keys on the drawing, which moves the ground and never the page", async () => {
		const { page, complaints } = await atSpot();
		await openButtons(page);
		await page.getByLabel("1 m", { exact: true }).check();
		await page.locator("input[name=map]").focus();
		const scrolled = await page.evaluate("scrollY");
		for (const key of ["ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft"]) {
			await page.keyboard.press(key);
		}
		expect(await page.locator("#pin-says").textContent()).toBe("The pin is 1 m north-west of the first point.");
		await page.keyboard.press("Enter");
		expect(await page.locator("#pin-says").textContent()).toBe("The pin is 1 m north-west of the first point.");
		expect(await page.evaluate("scrollY")).toBe(scrolled);
		const outline = "getComputedStyle(document.getElementById('frame')).outlineStyle";
		expect(await page.evaluate(outline)).toBe("solid");
		await picture(page, "console-spot-keyboard");
		expect(complaints).toEqual([]);
	});

	it.each([true, false])("of an address that stands already, with a script (%s)", async (javaScriptEnabled) => {
		const { page, complaints } = await newPage({ javaScriptEnabled });
		const code = await createAddress(page);
		await page.getByRole("link", { name: "Move the pin" }).click();
		await page.locator("input[name=map]").click({ position: { x: 144 + 24, y: 108 - 24 } });
		await expect
			.poll(() => page.locator("#pin-says").textContent())
			.toBe("The pin is 14 m north-east of the first point.");
		await openButtons(page);
		await page.getByRole("button", { name: "60 m" }).click();
		await expect.poll(() => page.locator("button[name=window][aria-current]").textContent()).toBe("60 m");
		await page.getByRole("button", { name: "West" }).click();
		await expect
			.poll(() => page.locator("#pin-says").textContent())
			.toMatch(/^The pin is 1[12] m north-east of the first point\.$/);
		await picture(page, `console-move-${javaScriptEnabled ? "with" : "without"}-script`);
		expect(page.url()).not.toMatch(/[?&#]/);
		await page.locator("button.first[value=right]").click();
		await page.waitForURL(`**/my/${code}?did=saved`);
		const answer = await page.request.get(`/v1/public/addresses/${code}`);
		const { lat, lng } = (await answer.json()) as { lat: number; lng: number };
		expect(lat).toBeCloseTo(6.52449, 5);
		expect(lng).toBeCloseTo(3.37925, 4);
		expect(complaints).toEqual([]);
	});

	it("by keyboard only: Enter says that it is right, and moves nothing", async () => {
		const { page } = await atSpot({ javaScriptEnabled: false });
		await openButtons(page);
		await page.locator("input[name=step]").first().focus();
		await page.keyboard.press("Enter");
		await page.waitForURL("**/check");
		await page.goto("/my/new/spot");
		expect(await page.locator("#pin-says").textContent()).toBe("The pin is on the first point.");
	});
});

describe("every page of the console", { timeout: 300_000 }, () => {
	const paths = [
		"/my/new",
		"/my/new/spot",
		"/my/new/check",
		"/my",
		"/my/{code}",
		"/my/{code}?new",
		"/my/{code}/label",
		"/my/{code}/move",
		"/my/{code}/retire",
		"/my/print?as=signs&code={code}",
		"/my/print?as=stickers&code={code}",
		"/my/print?as=cards&code={code}",
		"/my/account",
		"/my/account/password",
		"/my/account/phone",
		"/my/account/sessions",
		"/my/account/recovery",
		"/my/account/export",
		"/my/account/delete",
		"/my/{code}/history",
		"/my/keys",
		"/my/sign-in",
		"/my/sign-up",
		"/my/forgot",
		"/my/forgot/recovery",
	];
	const isForStrangers = (path: string) => /sign-in|sign-up|forgot|new\/check/.test(path);

	/** Opens each page: those of strangers signed out, the others signed in, each with a draft. */
	async function eachPage(
		options: BrowserContextOptions,
		look: (page: Page, name: string, answer: Response | null, requests: string[]) => Promise<void>,
	) {
		for (const asStranger of [false, true]) {
			const { page, complaints } = await newPage(options);
			const code = asStranger ? "" : await createAddress(page);
			await pastePlace(page);
			const requests: string[] = [];
			page.on("request", (request) => requests.push(request.url()));
			for (const path of paths.filter((path) => isForStrangers(path) === asStranger)) {
				requests.length = 0;
				const answer = await page.goto(path.replace("{code}", code));
				await look(page, path.replace(/\W+/g, "-"), answer, requests);
			}
			expect(complaints).toEqual([]);
		}
	}

	it.each(["en", "ar"])("has no fault by axe in %s", async (locale) => {
		const found: string[] = [];
		await eachPage({ locale }, async (page, name) => {
			found.push(...(await violations(page)).map((violation) => `${name}: ${violation}`));
			expect(await page.locator("html").getAttribute("dir"), name).toBe(locale === "ar" ? "rtl" : "ltr");
			await picture(page, `console${name}-${locale}`);
		});
		expect(found).toEqual([]);
	});

	it("fits a screen of 320 pixels, at twice the size of text too, and the code stays the largest", async () => {
		await eachPage({ viewport: { width: 320, height: 640 } }, async (page, name) => {
			await expectNoSidewaysScroll(page);
			await page.evaluate("document.documentElement.style.fontSize = '200%'");
			await picture(page, `console${name}-320-200`);
			await expectNoSidewaysScroll(page);
			if (!/^-my-code-(new)?$/.test(name)) return;
			const sizes = await page.evaluate<[number, number]>(`(() => {
				const size = (element) => parseFloat(getComputedStyle(element).fontSize);
				const others = [...document.querySelectorAll("main *:not(.code, .code *)")].filter((e) => e.textContent.trim());
				return [size(document.querySelector(".code") ?? document.body), Math.max(...others.map(size))];
			})()`);
			expect(sizes[0], name).toBeGreaterThanOrEqual(sizes[1]);
		});
	});

	it("costs one request besides files that the browser keeps, at most 15 KB, and has targets of at least 44 pixels", async () => {
		const small: string[] = [];
		await eachPage({}, async (page, name, answer, requests) => {
			expect(
				requests.filter((url) => !/^data:|\/files\//.test(url)),
				name,
			).toHaveLength(1);
			// The styles that a further page only links to count too, as if the browser had not kept them.
			const linked = await page.evaluate<string | undefined>(
				`document.querySelector("link[rel=stylesheet]:not([media])")?.href`,
			);
			const sheet = linked ? await (await page.request.get(linked)).text() : "";
			expect(gzipSync(`${await answer?.text()}${sheet}`).length, name).toBeLessThan(BYTES_MAX);
			const found = await page.evaluate<
				string[]
			>(`[...document.querySelectorAll("main button, main input:not([type=hidden]), main select, main .button, main .choice, header a, footer a, nav a, summary, .way a, .cards a")]
				.filter((e) => e.checkVisibility() && !e.closest(".choice input, .unseen") && !e.matches(".unseen, .choice input"))
				.filter((e) => { const r = e.getBoundingClientRect(); return r.height < 43.5 || r.width < 43.5 })
				.map((e) => e.outerHTML.slice(0, 120))`);
			small.push(...found.map((html) => `${name}: ${html}`));
		});
		expect(small).toEqual([]);
	});
});

it("a form is sent once, however often the button is pressed", async () => {
	const { page } = await newPage();
	await createAddress(page);
	await pastePlace(page, "6.53, 3.38");
	await page.locator("button.first[value=right]").click();
	await page.waitForURL("**/check");
	await next(page).dblclick();
	await page.waitForURL(/\/my\/NG\d{9}/);
	await page.goto("/my");
	expect(await page.locator(".cards > li").count()).toBe(2);
});

it("two tabs do not mix: what each showed is what it creates", async () => {
	const { page, context } = await newPage();
	await createAddress(page);
	const other = await context.newPage();
	for (const [tab, label] of [
		[page, "First tab"],
		[other, "Second tab"],
	] as const) {
		await pastePlace(tab, label === "First tab" ? "6.53, 3.38" : "6.54, 3.39");
		await tab.fill("#label", label);
		await tab.locator("button.first[value=right]").click();
		await tab.waitForURL("**/check");
	}
	for (const [tab, label, lat] of [
		[page, "First tab", 6.53],
		[other, "Second tab", 6.54],
	] as const) {
		await next(tab).click();
		await tab.waitForURL(/\/my\/NG\d{9}/);
		const [code] = /NG\d{9}/.exec(tab.url()) ?? [];
		expect(await (await tab.request.get(`/v1/public/addresses/${code}`)).json()).toMatchObject({ label, lat });
	}
});

describe("a visitor who is signed in", () => {
	it.each(["about:blank", "https://evil.example/"])("is not made to change anything by a form on %s", async (from) => {
		const { page, context } = await newPage();
		const code = await createAddress(page);
		const form = `<form method="post" action="${inject("origin")}/my/${code}/label"><input name="label" value="Taken over"><button>Win</button></form>`;
		const foreign = await context.newPage();
		await foreign.route("https://evil.example/", (route) => route.fulfill({ contentType: "text/html", body: form }));
		await foreign.goto(from);
		if (from === "about:blank") await foreign.setContent(form);
		const refused = foreign.waitForResponse((answer) => answer.url().includes(`/my/${code}/label`));
		await foreign.getByRole("button").click();
		expect((await refused).status()).toBe(403);
		const found = await page.request.get(`/v1/public/addresses/${code}`);
		expect(await found.json()).toMatchObject({ label: "Blue gate" });
	});

	it("is nobody to the API and to public pages, which read no cookie", async () => {
		const { page, context } = await newPage();
		const code = await createAddress(page);
		expect((await context.cookies()).map(({ name }) => name).sort()).toEqual(["form", "session"]);
		expect((await page.request.get("/v1/auth/me")).status()).toBe(401);
		expect((await page.request.get(`/v1/addresses/${code}`)).status()).toBe(401);
		for (const path of ["/", `/a/${code}`, `/a/${code}/print`, "/docs"]) {
			const answer = await page.request.get(path, { headers: { "Accept-Language": "en" } });
			const ofStranger = await fetch(inject("origin") + path, { headers: { "Accept-Language": "en" } });
			expect(await answer.text(), path).toBe(await ofStranger.text());
			expect(answer.headers()["set-cookie"], path).toBeUndefined();
		}
	});
});

it("the page of an address tells how far it is, once it is asked", async () => {
	const { page, complaints } = await newPage({
		geolocation: { latitude: 12.0022, longitude: 8.592 },
		permissions: ["geolocation"],
	});
	await page.goto(`/a/${inject("codes").lagos}`);
	await page.getByRole("button", { name: "How far is it from me?" }).click();
	await expect.poll(() => page.locator("#distance p").textContent()).toBe("835 km from you, south-west");
	expect(complaints).toEqual([]);
});

it("an error moves the focus to its summary, which leads to the field", async () => {
	const { page } = await newPage();
	await page.goto("/my/sign-in");
	await page.fill("#phone", "12");
	await page.fill("#password", PASSWORD);
	await next(page).click();
	await page.waitForLoadState();
	expect(await page.evaluate("document.activeElement.id")).toBe("problem");
	expect(await page.title()).toMatch(/^Error: /);
	expect(await page.locator("#phone").inputValue()).toBe("12");
	expect(await page.locator("#password").inputValue()).toBe("");
	await page.locator("#problem a").click();
	expect(await page.evaluate("document.activeElement.id")).toBe("phone");
});
