import { gzipSync } from "node:zlib";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { fitsSideways, openPage, PHONE, picture, type Visit, violations } from "./chromium.ts";
import { createAddress, newPhone, next, PASSWORD, pastePlace } from "./holder.ts";

const BYTES_MAX = 15 * 1024;
/** Of the page that people sign in on, which holds a list of all countries. */
const SIGN_IN_BYTES_MAX = 8 * 1024;
const LAGOS = { latitude: 6.5244, longitude: 3.3792 };

it("from the home page to the printed sign, on a phone, signed out at first takes 3 typed fields, the words among them, 7 pages and 42 KB", async () => {
	const { page, context } = await openPage({
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
	await tap(page.getByRole("button", { name: "Use my current location" }));
	await expect.poll(() => page.getByRole("status").textContent()).toBe("Very good: within 8 m.");
	await picture(page, "console-where-8m");
	await tap(page.getByRole("button", { name: "Take this point" }));
	await page.waitForURL("**/spot");
	await type(page.locator("#label"), "Blue gate, behind the mosque");
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
	expect(await page.locator(".sign").textContent()).toContain("Blue gate, behind the mosque");
	expect(typed).toBe(3);
	expect(pages).toBeLessThanOrEqual(7);
	expect(files.size).toBe(6);
	const bytes = (await Promise.all(loaded)).reduce((sum, size) => sum + size);
	console.info(`From / to the printed sign with words: ${bytes} bytes, ${taps} taps`);
	expect(bytes).toBeLessThanOrEqual(42_000);
});

describe("by the device's own position", () => {
	it("knowing only the area, says so, and shows enough ground to place the pin by hand", async () => {
		const { page } = await openPage({ geolocation: { ...LAGOS, accuracy: 1500 }, permissions: ["geolocation"] });
		await page.goto("/my/new");
		await expect.poll(() => page.getByRole("status").textContent()).toContain("within 1.5 km");
		await picture(page, "console-where-1500m");
		await page.getByRole("button", { name: "Continue and place the pin by hand" }).click();
		await page.waitForURL("**/spot");
		expect(await page.locator("button[name=window][aria-current]").textContent()).toBe("2 km");
		await picture(page, "console-spot-1500m");
	});

	it("being refused, says how to go on, and the other way stays", async () => {
		const { page } = await openPage();
		await page.goto("/my/new");
		await page.locator("#here").click();
		await expect.poll(() => page.getByRole("status").textContent()).toContain("Location is blocked for this page.");
		expect(await page.locator("#take").isVisible()).toBe(false);
		expect(await page.getByRole("button", { name: "Try again" }).isVisible()).toBe(true);
		await picture(page, "console-where-denied");
		await page.fill("#place", "6.5244, 3.3792");
		await page.locator("form:has(#place) button[type=submit]").click();
		await page.waitForURL("**/spot");
	});

	it("is asked for when the button is pressed, and at once by whoever has allowed it before", async () => {
		const { page, context } = await openPage({ geolocation: { ...LAGOS, accuracy: 5 } });
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
		const visit = await openPage(options);
		await pastePlace(visit.page);
		return visit;
	}

	/** Unfolds what moves the pin without the drawing, unless the page has. */
	async function openButtons(page: Page): Promise<void> {
		const buttons = page.locator("details:has(.pad)");
		if ((await buttons.getAttribute("open")) === null) await buttons.locator("summary").click();
	}

	it("by dragging, by choosing a point and by the buttons, without a round trip, and it arrives", async () => {
		const { page } = await atSpot();
		const requests: string[] = [];
		page.on("request", (request) => requests.push(request.url()));
		const box = (await page.locator("#frame").boundingBox())!;
		const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
		// The drawing shows 120 m.
		const tenMetres = box.width / 12;
		await page.mouse.move(x, y);
		await page.mouse.down();
		await page.mouse.move(x, y + tenMetres, { steps: 4 });
		await page.mouse.up();
		await expect.poll(() => page.locator("#pin-says").textContent()).toBe("The pin is 10 m north of the first point.");
		await page.mouse.click(x + tenMetres, y);
		await expect
			.poll(() => page.locator("#pin-says").textContent())
			.toBe("The pin is 14 m north-east of the first point.");
		await openButtons(page);
		await page.getByRole("button", { name: "South" }).click();
		await page.getByRole("button", { name: "South" }).click();
		await expect.poll(() => page.locator("#pin-says").textContent()).toBe("The pin is 10 m east of the first point.");
		const below = await page.getByRole("button", { name: "Back to the first point" }).boundingBox();
		const above = await page.getByRole("button", { name: "60 m" }).boundingBox();
		expect(below!.y - above!.y - above!.height).toBeGreaterThan(4);
		await picture(page, "console-spot-moved");
		expect(requests).toEqual([]);
		const seen = page.getByRole("link", { name: "OpenStreetMap" });
		expect(await seen.getAttribute("href")).toMatch(/mlat=6\.5244(0\d*)?&mlon=3\.3792(8|9|90)\d?#/);
		await page.locator("button.first[value=right]").click();
		await expect.poll(() => page.locator("#problem").textContent()).toContain("Write how people find the place");
		await page.getByRole("button", { name: "Behind" }).click();
		expect(await page.locator("#label").inputValue()).toBe("Behind ");
		await page.keyboard.type("the mosque");
		await page.locator("button.first[value=right]").click();
		await page.waitForURL("**/check");
		expect(await page.locator("main").textContent()).toContain("Behind the mosque");
		await page.goto("/my/new/spot");
		expect(await page.locator("#pin-says").allInnerTexts()).toEqual(["The pin is 10 m east of the first point."]);
	});

	it("by the arrow keys on the drawing, which moves the ground and never the page", async () => {
		const { page } = await atSpot();
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
	});

	it.each([true, false])("of an address that stands already, with a script (%s)", async (javaScriptEnabled) => {
		const { page } = await openPage({ javaScriptEnabled });
		const code = await createAddress(page);
		await page.getByRole("link", { name: "Manage" }).click();
		await page.getByRole("link", { name: "Move the pin" }).click();
		await page.waitForURL("**/move");
		const { width, height } = (await page.locator("input[name=map]").boundingBox())!;
		await page
			.locator("input[name=map]")
			.click({ position: { x: width / 2 + width / 12, y: height / 2 - width / 12 } });
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
	});

	it("by keyboard only: Enter says that it is right, and moves nothing", async () => {
		const { page } = await atSpot({ javaScriptEnabled: false });
		await page.getByLabel("No words").check();
		await openButtons(page);
		await page.locator("input[name=step]").first().focus();
		await page.keyboard.press("Enter");
		await page.waitForURL("**/check");
		await page.goto("/my/new/spot");
		expect(await page.locator("#pin-says").allInnerTexts()).toEqual(["The pin is on the first point."]);
	});
});

describe.each(["en", "ar"])("every page of the console in %s", (locale) => {
	const ofHolder = [
		...["/my/new", "/my/new/spot", "/my", "/my/{code}", "/my/{code}?new", "/my/{code}/label", "/my/{code}/move"],
		...["/my/{code}/retire", "/my/{code}/history"],
		...["signs", "stickers", "cards"].map((kind) => `/my/print?as=${kind}&code={code}`),
		...["", "/password", "/phone", "/sessions", "/recovery", "/export", "/delete"].map((page) => `/my/account${page}`),
		"/my/keys",
	];
	const ofStranger = ["/my/new/check", "/my/sign-in", "/my/sign-up", "/my/forgot", "/my/forgot/recovery"];

	/** What is wrong, each with its page. */
	const faults = { axe: [], direction: [], requests: [], bytes: [], targets: [], width: [], code: [] } as Record<
		string,
		string[]
	>;

	const SMALL_TARGETS = `[...document.querySelectorAll("main button, main input:not([type=hidden]), main select, main .button, main .choice, header a, footer a, nav a, summary, .way a, .cards a")]
		.filter((e) => e.checkVisibility() && !e.closest(".choice input, .unseen") && !e.matches(".unseen, .choice input"))
		.filter((e) => { const r = e.getBoundingClientRect(); return r.height < 43.5 || r.width < 43.5 })
		.map((e) => e.outerHTML.slice(0, 120))`;

	const IS_CODE_LARGEST = `(() => {
		const size = (element) => parseFloat(getComputedStyle(element).fontSize);
		const others = [...document.querySelectorAll("main *:not(.code, .code *)")].filter((e) => e.textContent.trim());
		return size(document.querySelector(".code") ?? document.body) >= Math.max(...others.map(size));
	})()`;

	async function look({ page, requests }: Visit, path: string): Promise<void> {
		requests.length = 0;
		const answer = await page.goto(path);
		const name = path.replace(/\d+/g, "").replace(/\W+/g, "-");
		const found = (kind: string, ...what: string[]) => faults[kind]!.push(...what.map((one) => `${name}: ${one}`));
		if (requests.filter((url) => !url.startsWith("data:")).length !== 1) found("requests", ...requests);
		// The styles that a further page only links to count too, as if the browser had not kept them.
		const linked = await page.evaluate<string | undefined>(
			`document.querySelector("link[rel=stylesheet]:not([media])")?.href`,
		);
		const sheet = linked ? await (await page.request.get(linked)).text() : "";
		const bytes = gzipSync(`${await answer?.text()}${sheet}`).length;
		if (bytes >= (path === "/my/sign-in" ? SIGN_IN_BYTES_MAX : BYTES_MAX)) found("bytes", String(bytes));
		found("targets", ...(await page.evaluate<string[]>(SMALL_TARGETS)));
		const direction = await page.locator("html").getAttribute("dir");
		if (direction !== (locale === "ar" ? "rtl" : "ltr")) found("direction", String(direction));
		found("axe", ...(await violations(page)));
		await picture(page, `console${name}-${locale}`);
		await page.setViewportSize({ width: 320, height: 640 });
		for (const size of ["100%", "200%"]) {
			await page.evaluate(`document.documentElement.style.fontSize = "${size}"`);
			if (!(await fitsSideways(page))) found("width", size);
		}
		await picture(page, `console${name}-${locale}-320-200`);
		if (/^-my-NG-(new)?$/.test(name) && !(await page.evaluate(IS_CODE_LARGEST))) found("code", "not the largest");
		await page.setViewportSize(PHONE);
	}

	beforeAll(async () => {
		const [holder, stranger] = [await openPage({ locale }), await openPage({ locale })];
		const code = await createAddress(holder.page);
		for (const [visitor, paths] of [
			[holder, ofHolder],
			[stranger, ofStranger],
		] as const) {
			await pastePlace(visitor.page);
			for (const path of paths) await look(visitor, path.replace("{code}", code));
		}
	}, 300_000);

	it.each([
		["has no fault by axe", "axe"],
		["runs as its language is written", "direction"],
		["costs one request besides files that the browser keeps", "requests"],
		["costs at most 15 KB", "bytes"],
		["has targets of at least 44 pixels", "targets"],
		["fits a screen of 320 pixels, at twice the size of text too", "width"],
		["has nothing larger than the code", "code"],
	])("%s", (_, kind) => expect(faults[kind]).toEqual([]));
});

it("a form is sent once, however often the button is pressed", async () => {
	const { page } = await openPage();
	await createAddress(page);
	await pastePlace(page, "6.53, 3.38");
	await page.getByLabel("No words").check();
	await page.locator("button.first[value=right]").click();
	await page.waitForURL("**/check");
	await next(page).dblclick();
	await page.waitForURL(/\/my\/NG\d{9}/);
	await page.goto("/my");
	expect(await page.locator(".cards > li").count()).toBe(2);
});

describe("a visitor who is signed in", () => {
	it.each(["about:blank", "https://evil.example/"])("is not made to change anything by a form on %s", async (from) => {
		const { page, context } = await openPage();
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
});

it("the page of an address tells how far it is, once it is asked", async () => {
	const { page } = await openPage({
		geolocation: { latitude: 12.0022, longitude: 8.592 },
		permissions: ["geolocation"],
	});
	await page.goto(`/a/${inject("codes").lagos}`);
	await page.locator("summary").first().click();
	await page.getByRole("button", { name: "How far is it from me?" }).click();
	await expect.poll(() => page.locator("#distance p").textContent()).toBe("835 km from you, south-west");
});

it("a link to a private address that was just made is what its owner sees, below the streets as before", async () => {
	const { page } = await openPage();
	await createAddress(page);
	await page.getByRole("link", { name: "Manage" }).click();
	await page.locator("#visibility summary").click();
	await page.locator("input[value=private]").check();
	await page.getByRole("button", { name: "Change who can see it" }).click();
	await page.waitForURL("**did=saved");
	await page.getByRole("button", { name: "1 day" }).click();
	await page.waitForURL("**/share");
	expect(await page.evaluate("document.activeElement.textContent")).toMatch(/\/a\/NG\d{9}\?share=/);
	const link = page.locator("#visibility .secret");
	expect(await page.locator(".secret + ul button").getAttribute("data-text")).toBe((await link.textContent())?.trim());
	expect(await page.locator(".secret + ul a").getAttribute("href")).toContain("share%3D");
	expect(await page.locator("svg.streets").count()).toBe(1);
});

it("a page that says nothing but what is wrong has a heading, and no fault by WCAG", async () => {
	const { page } = await openPage();
	await createAddress(page);
	await page.goto(`/my/${inject("codes").lagos}`);
	expect(await page.locator("h1").textContent()).toBe("This belongs to another account.");
	expect(await violations(page)).toEqual([]);
});

it("an error moves the focus to its summary, which leads to the field", async () => {
	const { page } = await openPage();
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
