import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
	becomeHolder,
	ConsoleVisitor,
	createBySteps,
	fillDraft,
	newcomer,
	newHolder,
} from "../support/console-visitor.ts";
import { freeCodes } from "../support/fill-zone.ts";
import { LAGOS } from "../support/people.ts";
import { PASSWORD } from "../support/secrecy.ts";
import { sql, value } from "../support/sql.ts";

const codesOn = (html: string) => [...html.matchAll(/name="code" value="([A-Z]{2}\d{9})"/g)].map(([, code]) => code);

describe("creating an address without a script", () => {
	it("leads from a pasted place to a code, and opens an account on the last page", async () => {
		const visitor = new ConsoleVisitor();
		const canonical = await createBySteps(visitor);
		expect(canonical).toMatch(/^NG/);
		expect(visitor.text).toContain("This is yours");
		expect(visitor.text).toContain("Blue gate");
		expect(await visitor.resolve(canonical)).toMatchObject({ canonical, lat: 6.5244, lng: 3.3792, label: "Blue gate" });
		expect([...visitor.cookies.keys()].sort()).toEqual(["__Host-form", "__Host-session"]);
		await visitor.open("/my");
		expect(codesOn(visitor.html)).toEqual([canonical]);
	});

	it.each(["the draft has expired", "another tab has begun one"])(
		"creates what was seen and typed at the pin, though %s",
		async (what) => {
			const visitor = await new ConsoleVisitor().open("/my/new");
			await visitor.send("/my/new", { place: "6.5244, 3.3792" });
			const sent = visitor.fields("/my/new/spot", { go: "right", label: "Green door" });
			visitor.cookies.delete("__Host-draft");
			if (what !== "the draft has expired") await fillDraft(visitor, "6.53, 3.38", "Blue gate");
			expect((await visitor.post("/my/new/spot", sent)).status).toBe(303);
			await visitor.open("/my/new/check");
			expect(visitor.text).toContain("Green door");
			expect(visitor.text).toMatch(/6\.5244, 3\.3792/);
		},
	);

	it("goes on after somebody who has an account has signed in by the link below the form", async () => {
		const [visitor, person] = [new ConsoleVisitor(), newcomer()];
		await becomeHolder(new ConsoleVisitor(), person);
		await fillDraft(visitor, "6.53, 3.38", "Green door");
		const [, signIn = ""] = /href="(\/my\/sign-in\?[^"]+)"/.exec(visitor.html) ?? [];
		await visitor.open(signIn);
		await visitor.send("/my/sign-in", person);
		expect([visitor.path, visitor.text.includes("Green door")]).toEqual(["/my/new/check", true]);
	});

	it("says at the pin how exactly it is known, which settlement is near, and where else to look at it", async () => {
		const visitor = new ConsoleVisitor();
		await visitor.openAndSend("/my/new", { lat: "6.524400", lng: "3.379200", accuracy: "11.2" });
		expect(visitor.text).toContain("within 12 m: about one house");
		const zone = await (await visitor.ask("/v1/public/zones?lat=6.5244&lng=3.3792")).json<{ region: string }>();
		expect(visitor.text).toContain(`${zone.region}\u2069, \u2068Nigeria`);
		expect(visitor.html).toContain("https://www.openstreetmap.org/?mlat=6.5244&amp;mlon=3.3792#map=19/6.5244/3.3792");
		expect(visitor.html).toContain("https://www.google.com/maps/search/?api=1&amp;query=6.5244%2C3.3792");
	});

	it("keeps the language that was chosen, from page to page", async () => {
		const visitor = await new ConsoleVisitor().open("/my/new?lang=sw");
		await visitor.open("/my/new");
		expect(visitor.html).toContain('<html lang="sw"');
		expect(visitor.html).toContain('href="/?lang=sw"');
		await visitor.open("/");
		expect(visitor.html, "a public page").toContain('<html lang="en"');
	});

	it("takes the country of the phone from the browser's language where nothing else tells it", async () => {
		const visitor = new ConsoleVisitor();
		for (const [language, country] of [
			["en-KE,en;q=0.5", "KE"],
			["en", undefined],
		] as const) {
			const page = await visitor.ask("/my/sign-up", { headers: { "Accept-Language": language } });
			expect(/<option value="(\w\w)" selected/.exec(await page.text())?.[1]).toBe(country);
		}
	});

	it("puts no coordinate into a URL, and no page into a cache", async () => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		const answer = await visitor.post("/my/new", visitor.fields("/my/new", { place: "6.5244, 3.3792" }));
		expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/my/new/spot"]);
		for (const path of ["/my/new", "/my/new/spot", "/my/new/check", "/my", "/my/sign-in"]) {
			const { headers } = await visitor.ask(path);
			expect(headers.get("Cache-Control"), path).toBe("private, no-store");
			expect(headers.get("Vary"), path).toBe("Cookie, Accept-Language");
			expect(headers.get("X-Robots-Tag"), path).toBe("noindex");
			expect(headers.get("Referrer-Policy"), path).toBe("same-origin");
		}
	});

	it("moves the pin by a click into the drawing, by buttons, and back", async () => {
		const visitor = new ConsoleVisitor();
		await visitor.openAndSend("/my/new", { place: "6.5244, 3.3792" });
		await visitor.send("/my/new/spot", { "map.x": "144", "map.y": "72" });
		expect(visitor.text).toContain("The pin is 15 m north of the first point.");
		await visitor.send("/my/new/spot", { move: "e", step: "25" });
		expect(visitor.text).toContain("The pin is 29 m north-east of the first point.");
		await visitor.send("/my/new/spot", { window: "2" });
		expect(visitor.html).toMatch(/value="2"[^>]*aria-current="true"/);
		await visitor.send("/my/new/spot", { "map.x": "0", "map.y": "0" });
		expect(visitor.text, "pressed by keyboard").toContain("The pin is 29 m north-east");
		await visitor.send("/my/new/spot", { go: "first" });
		expect(visitor.text).toContain("The pin is on the first point.");
	});

	it("asks for words, and takes none from whoever says so", async () => {
		const visitor = new ConsoleVisitor();
		await visitor.openAndSend("/my/new", { lat: "6.524400", lng: "3.379200", accuracy: "30" });
		await visitor.send("/my/new/spot", { go: "right" });
		expect(visitor.path).toBe("/my/new/spot");
		expect(visitor.text).toContain("Write how people find the place, or choose to have no words.");
		await visitor.send("/my/new/spot", { go: "right", wordless: "1" });
		expect(visitor.path).toBe("/my/new/check");
	});

	it("takes what a script found and moved", async () => {
		const visitor = new ConsoleVisitor();
		await visitor.openAndSend("/my/new", { lat: "6.524400", lng: "3.379200", accuracy: "30" });
		expect(visitor.html).toContain('class="accuracy"');
		const moved = visitor.fields("/my/new/spot", { go: "right", wordless: "1" });
		moved.set("north", "250");
		moved.set("east", "0");
		await visitor.post("/my/new/spot", moved);
		await visitor.open("/my/new/spot");
		expect(visitor.text).toContain("The pin is 250 m north of the first point. That is far");
	});

	it.each([
		["nothing", "", "Paste or type the place, or use your current location."],
		["nonsense", "my house", "We cannot find a place in this text."],
		["a short link", "https://maps.app.goo.gl/abc", "We do not open links."],
		["a point at sea", "3.0, 0.5", "no country at this point"],
		["a code that nobody has", "NG-0421-58212", "No address has this code"],
	])("says what is wrong with %s, keeps it and points to the field", async (_, place, message) => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		await visitor.send("/my/new", { place });
		expect(visitor.status).toBeGreaterThanOrEqual(400);
		expect(visitor.text).toContain(message);
		expect(visitor.html).toContain("<title>Error: ");
		expect(visitor.html).toMatch(/<input id="place"[^>]* aria-invalid="true"/);
		expect(visitor.html).toContain('<a href="#place">');
		if (place) expect(visitor.html).toContain(`value="${place}"`);
	});

	it("shows in a picture how to copy the coordinates where a short link was pasted", async () => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		expect(visitor.html).toMatch(/<details><summary>How to find the coordinates[^<]*<\/summary><ol>/);
		await visitor.send("/my/new", { place: "https://maps.app.goo.gl/abc" });
		expect(visitor.html).toMatch(/<details open[^>]*><summary>How to find the coordinates.*?<svg width="288"/s);
	});

	it.each([
		["G9FH+QM Lagos, Nigeria", undefined, "6.52"],
		["Lagos G9FH+QM", "NG", "6.52"],
		["PQ6G+RV Nairobi, Kenya", "NG", "-1.28"],
		["G9FH+QM Lagos", undefined, undefined],
		["G9FH+QM Nowhere-at-all, Nigeria", undefined, undefined],
		["86GF+94 Goma, Democratic Republic of the Congo", "NG", "-1.67"],
		["WF9R+38 Praia, Cabo Verde", "NG", "14.91"],
		["2W7X+GV Istanbul, Turkey", "NG", "41.01"],
		["2W7X+GV Istanbul, T\u00fcrkiye.", "NG", "41.01"],
		["G5CX+72 Birmingham, USA", "NG", "33.52"],
		["G5CX+72 Birmingham, MI", "US", "42.52"],
		["G5CX+72 Birmingham MI, USA", "NG", "42.52"],
		["G5CX+72 Birmingham, AL", "US", "33.52"],
		["PQ6G+RV Nairobi, KE", "NG", "-1.28"],
		["G9FH+QM Ikeja LA", "NG", "6.52"],
		// As Google writes territories: their state, or what people call it, behind them.
		["4F54+P2 Saint-Denis, La R\u00e9union, France", "NG", "-20.890688"],
		["4F54+P2 Saint-Denis, R\u00e9union", "NG", "-20.890688"],
		["4F54+P2 Saint-Denis La R\u00e9union, France", "NG", "-20.890688"],
		["4F54+P2\nSaint-Denis\nLa R\u00e9union\nFrance", "NG", "-20.890688"],
		["MF6H+76 Saint-Pierre, La R\u00e9union, France", "NG", "-21.339312"],
		["FV8V+5P San Juan, Puerto Rico, USA", "NG", "18.465438"],
		["FV8V+5P San Juan, PR, USA", "NG", "18.465438"],
		["76V9+X6 Hamilton, Bermuda, UK", "NG", "32.294938"],
		["5G27+WH Douglas, Isle of Man, UK", "NG", "54.152313"],
		["4F54+P2 Saint-Denis, France", "NG", "49.109312"],
		["4F54+P2 Saint-Denis, \u00cele-de-France, France", "NG", "49.109312"],
		// The postal code behind the country, as Google writes Ukraine's, and a country in another language of the pages.
		["FG2F+29 Kyiv, Ukraine, 02000", "NG", "50.450062"],
		["643V+Q7 Gen\u00e8ve, Suisse", "NG", "46.204437"],
		["G9FH+QM Lagos, Nig\u00e9ria", "KE", "6.52"],
		// The name that a town had before it was renamed.
		["2JQW+7W Port Elizabeth, South Africa", "NG", "-33.96"],
		["2JQW+7W Gqeberha, South Africa", "NG", "-33.96"],
	])("finds the short Plus Code %s from %s by the settlement beside it", async (place, country, lat) => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		const headers: Record<string, string> = country ? { "CF-IPCountry": country } : {};
		const sent = { Origin: "https://registry.test", "Sec-Fetch-Site": "same-origin", ...headers };
		const answer = await visitor.post("/my/new", visitor.fields("/my/new", { place }), sent);
		if (lat === undefined) {
			expect([answer.status, (await answer.text()).includes("This Plus Code is shortened.")]).toEqual([400, true]);
			return;
		}
		expect(answer.headers.get("Location")).toBe("/my/new/spot");
		await visitor.open("/my/new/spot");
		expect(visitor.html).toContain(`data-lat="${lat}`);
	});

	it.each([
		["G5CX+72 Birmingham, ZZ, USA", "ZZ", "en"],
		["4F54+P2 Saint-Denis, Nowhere, France", "Nowhere", "en"],
		["4F54+P2 Saint-Denis Nowhere, France", "Nowhere", "en"],
		["FV8V+5P San Juan, Nowhere, USA", "Nowhere", "fr"],
		["G5CX+72 Birmingham, Atlantis, Alabama, USA", "Atlantis", "ar"],
		["4F54+P2 Saint-Denis, Nigeria, France", "Nigeria", "pt"],
		["La Réunion: 4F54+P2 Saint-Denis, France", "La Réunion", "sw"],
	])("names what it does not know beside the short Plus Code %s: %s", async (place, part, lang) => {
		const visitor = await new ConsoleVisitor().openAndSend(`/my/new?lang=${lang}`, { place });
		expect([visitor.status, visitor.html]).toEqual([
			400,
			expect.stringMatching(new RegExp(`[“«][\u00a0]?\u2068${part}\u2069`)),
		]);
	});

	it.each([
		["Yaba market, Lagos", "NG", ["Lagos"]],
		["Somolu, Lagos, Nigeria", undefined, ["Somolu, Lagos, Nigeria"]],
		["somolu lagos", "NG", ["Somolu, Lagos, Nigeria"]],
		["Birmingham, Alabama, USA", "NG", ["Birmingham, Alabama, United States"]],
		["Goma, RDC", "NG", ["Goma, North Kivu, Congo - Kinshasa"]],
		["Port Elizabeth, South Africa", "NG", ["Gqeberha, Eastern Cape, South Africa"]],
		["Comilla, Bangladesh", "NG", ["Cumilla, Chittagong, Bangladesh"]],
		["Nowhere-at-all, Nigeria", "NG", []],
		["Lagos", undefined, []],
	] as const)("offers for the place %s from %s what it is named after", async (place, country, offered) => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		const headers: Record<string, string> = country ? { "CF-IPCountry": country } : {};
		const sent = { Origin: "https://registry.test", "Sec-Fetch-Site": "same-origin", ...headers };
		const answer = await visitor.post("/my/new", visitor.fields("/my/new", { place }), sent);
		const html = (await answer.text()).replace(/[\u2066-\u2069]/g, "");
		expect([answer.status, html.includes("This names a place, not a point.")]).toEqual([400, offered.length > 0]);
		for (const name of offered) expect(html).toContain(`>${name}`);
	});

	it("leads from a named place to a pin that its owner must put", async () => {
		const visitor = await new ConsoleVisitor().open("/my/new?place=Somolu%2C+Lagos%2C+Nigeria");
		expect(visitor.html, "what was entered on the page for a code").toContain('value="Somolu, Lagos, Nigeria"');
		await visitor.send("/my/new", { lat: "6.5389", lng: "3.3742", accuracy: "1000" });
		expect(visitor.text).toContain("This is only the area, within 1 km. Put the pin on your house yourself.");
		await visitor.send("/my/new/spot", { go: "right", label: "Blue gate" });
		expect([visitor.status, visitor.path]).toEqual([400, "/my/new/spot"]);
		expect(visitor.html, "what was written is kept").toContain("Blue gate");
		await visitor.send("/my/new/spot", { move: "n", label: "Blue gate" });
		await visitor.send("/my/new/spot", { go: "right", label: "Blue gate" });
		expect(visitor.path).toBe("/my/new/check");
	});

	it("asks before it turns latitude and longitude round", async () => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		await visitor.send("/my/new", { place: "110.2, 1.5" });
		expect(visitor.text).toContain("Latitude and longitude seem to be the wrong way round.");
		await visitor.send("/my/new", { lat: "1.5", lng: "110.2" });
		expect(visitor.path).toBe("/my/new/spot");
	});

	it("starts from another address by its code, and says when one is there already", async () => {
		const { visitor, canonical } = await newHolder();
		await visitor.openAndSend("/my/new", { place: canonical });
		expect(visitor.path).toBe("/my/new/spot");
		expect(visitor.text).toMatch(/You already have NG-\d{4}-\d{5}, 0 m from here\./);
	});

	it("goes on from a wrong password, and from a number that has an account, with all that was filled in", async () => {
		const person = newcomer();
		await becomeHolder(new ConsoleVisitor(), person);

		const visitor = new ConsoleVisitor();
		await fillDraft(visitor, "6.5244, 3.3792", "Green gate");
		await visitor.send("/my/new/check", { ...person, password: "short" });
		expect([visitor.status, visitor.html.includes('href="#password"')]).toEqual([400, true]);
		await visitor.send("/my/new/check", person);
		expect([visitor.status, visitor.html.includes('href="#phone"')]).toEqual([409, true]);
		expect(visitor.html).toContain('name="account" value="mine"');
		await visitor.send("/my/new/check", { ...person, password: "wrong password" });
		expect(visitor.status).toBe(401);
		expect(visitor.html).not.toContain("wrong password");
		await visitor.send("/my/new/check", person);
		expect(visitor.text).toContain("Green gate");
		await visitor.open("/my");
		expect(codesOn(visitor.html)).toHaveLength(2);
	});
});

describe("sent twice", () => {
	it("a double tap and a lost answer make one address", async () => {
		const { visitor } = await newHolder();
		await fillDraft(visitor, "6.53, 3.38");
		const fields = visitor.fields("/my/new/check");
		const answers = await Promise.all([1, 2].map(() => visitor.post("/my/new/check", fields)));
		const late = await visitor.post("/my/new/check", fields);
		const places = [...answers, late].map((answer) => answer.headers.get("Location"));
		expect(new Set(places).size).toBe(1);
		await visitor.open("/my");
		expect(codesOn(visitor.html)).toHaveLength(2);
	});

	it("two tabs do not mix: what a page showed is what it creates", async () => {
		const { visitor } = await newHolder();
		await fillDraft(visitor, "6.53, 3.38", "First tab");
		const first = visitor.fields("/my/new/check");
		await fillDraft(visitor, "6.54, 3.39", "Second tab");
		const second = visitor.fields("/my/new/check");
		for (const fields of [first, second]) await visitor.post("/my/new/check", fields);
		await visitor.open("/my");
		expect(codesOn(visitor.html)).toHaveLength(3);
		for (const code of codesOn(visitor.html)) {
			const { lat, label } = await visitor.resolve(code ?? "");
			expect([6.5244, 6.53, 6.54][["Blue gate", "First tab", "Second tab"].indexOf(String(label))]).toBe(lat);
		}
	});
});

describe("forms of other sites are refused", () => {
	const cases: [string, Record<string, string>, boolean][] = [
		["without the token", { Origin: "https://registry.test", "Sec-Fetch-Site": "same-origin" }, false],
		["from another site", { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }, true],
		["from a sister site", { Origin: "https://other.registry.test", "Sec-Fetch-Site": "same-site" }, true],
		["from another origin, by a browser that tells no more", { Origin: "https://evil.example" }, true],
		["from a hidden origin", { Origin: "null" }, true],
		["from a hidden origin that claims to be ours", { Origin: "null", "Sec-Fetch-Site": "same-origin" }, true],
	];
	it.each(cases)("%s", async (_, headers, hasToken) => {
		const { visitor, canonical } = await newHolder();
		await visitor.open(`/my/${canonical}/label`);
		const fields = visitor.fields(`/my/${canonical}/label`, { label: "Taken over" });
		if (!hasToken) fields.delete("form_token");
		const answer = await visitor.post(`/my/${canonical}/label`, fields, headers);
		expect(answer.status).toBe(403);
		expect(await answer.text()).not.toContain("Taken over");
		expect(await visitor.resolve(canonical)).toMatchObject({ label: "Blue gate" });
	});

	it("but a browser that sends neither header is let in by its token", async () => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		const fields = visitor.fields("/my/new", { place: "6.5244, 3.3792" });
		expect((await visitor.post("/my/new", fields, {})).status).toBe(303);
		visitor.cookies.delete("__Host-form");
		expect((await visitor.post("/my/new", fields, {})).status).toBe(403);
	});

	it("and one that was opened before the signing secret was changed is not", async () => {
		const before = await new ConsoleVisitor().open("/my/new");
		const secret = `next:${"n".repeat(32)}`;
		for (const [JWT_SECRETS, status] of [
			[`${secret},${env.JWT_SECRETS}`, 303],
			[secret, 403],
		] as const) {
			const after = new ConsoleVisitor({ JWT_SECRETS });
			for (const [name, value] of before.cookies) after.cookies.set(name, value);
			const fields = before.fields("/my/new", { place: "6.5244, 3.3792" });
			expect((await after.post("/my/new", fields)).status).toBe(status);
		}
	});

	it("and so is a body that is no plain form, or too large", async () => {
		const visitor = await new ConsoleVisitor().open("/my/new");
		const json = { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } };
		expect((await visitor.ask("/my/new", json)).status).toBe(415);
		const large = visitor.fields("/my/new", { place: "6".repeat(17_000) });
		expect((await visitor.post("/my/new", large)).status).toBe(413);
	});
});

describe("a session on the web", () => {
	it("tells what was done before, in words that no link can choose, to somebody signed in alone", async () => {
		const visitor = new ConsoleVisitor();
		const noticed = async (path: string) => {
			await visitor.open(path);
			return /role="status"[^>]*>([^<]*)/.exec(visitor.html)?.[1];
		};
		expect(await noticed("/my/sign-in?did=password")).toBeUndefined();
		await visitor.openAndSend("/my/sign-up", newcomer());
		expect(await noticed("/my/account?did=password")).toBe(
			"The password is changed. All other devices are signed out.",
		);
		for (const did of ["constructor", "__proto__", "Gone"]) expect(await noticed(`/my?did=${did}`)).toBeUndefined();
	});

	it("is asked for where it is needed, and leads back", async () => {
		const visitor = new ConsoleVisitor();
		const person = newcomer();
		await visitor.open("/my/keys");
		expect(visitor.path).toBe("/my/sign-in?next=%2Fmy%2Fkeys");
		await visitor.open("/my/sign-up?next=%2Fmy%2Fkeys");
		await visitor.send("/my/sign-up", person);
		expect(visitor.path).toBe("/my/keys?did=signed-up");
		await visitor.send("/my/sign-out");
		expect(visitor.path).toBe("/");
		expect([...visitor.cookies.keys()]).toEqual([]);
		await visitor.open("/my");
		expect(visitor.path).toMatch(/^\/my\/sign-in/);
		await visitor.send("/my/sign-in", person);
		expect(visitor.path).toBe("/my");
	});

	it("that ended before a form was sent loses nothing of it: it is worked on after signing in", async () => {
		const [visitor, person] = [new ConsoleVisitor(), newcomer()];
		const canonical = await becomeHolder(visitor, person);
		await visitor.open(`/my/${canonical}/label`);
		visitor.cookies.delete("__Host-session");
		await visitor.send(`/my/${canonical}/label`, { label: "Red gate & \u0628\u0627\u0628", directions: "a=b?c" });
		expect(visitor.text).toContain("Please sign in first.");
		await visitor.send("/my/sign-in", { ...person, password: "not mine" });
		expect(visitor.status).toBe(401);
		await visitor.send("/my/sign-in", person);
		expect(visitor.path).toBe(`/my/${canonical}?did=saved`);
		expect(await visitor.resolve(canonical)).toMatchObject({
			label: "Red gate & \u0628\u0627\u0628",
			directions: "a=b?c",
		});
		// A page that only forms lead to.
		visitor.cookies.delete("__Host-session");
		await visitor.send(`/my/${canonical}/visibility`, { visibility: "private" });
		await visitor.send("/my/sign-in", person);
		expect(await visitor.resolve(canonical)).toMatchObject({ code: "ADDRESS_PRIVATE" });
	});

	it("that ended before a password was sent keeps no password in a page", async () => {
		const { visitor } = await newHolder();
		await visitor.open("/my/account/recovery");
		visitor.cookies.delete("__Host-session");
		await visitor.send("/my/account/recovery", { password: "seven blue goats" });
		expect(visitor.path).toBe("/my/sign-in?next=%2Fmy");
		expect(visitor.html).not.toContain("seven blue goats");
	});

	it("of somebody else is told from a form that was open too long", async () => {
		const [{ visitor, canonical }, other] = [await newHolder(), await newHolder()];
		await visitor.open(`/my/${canonical}/label`);
		for (const [name, value] of other.visitor.cookies) if (name !== "__Host-form") visitor.cookies.set(name, value);
		await visitor.send(`/my/${canonical}/label`, { label: "Mine" });
		expect(visitor.status).toBe(403);
		expect(visitor.text).toContain("This belongs to another account.");
	});

	const elsewhere = ["https://evil.example", "//evil.example", "javascript:alert(1)"];
	it.each([...elsewhere, "/docs", "/my/../docs", "/my//evil.example"])(
		"never leads to %s after signing in",
		async (next) => {
			const visitor = await new ConsoleVisitor().open(`/my/sign-up?next=${encodeURIComponent(next)}`);
			const answer = await visitor.post("/my/sign-up", visitor.fields("/my/sign-up", newcomer()));
			expect(answer.headers.get("Location")).toBe("/my?did=signed-up");
		},
	);

	it("offers a recovery code right after an account was opened, and with a new address until there is one", async () => {
		const offer = 'action="/my/account/recovery"';
		const visitor = await new ConsoleVisitor().open("/my/sign-up");
		await visitor.send("/my/sign-up", newcomer());
		expect(visitor.html).toContain(offer);
		await visitor.open("/my");
		expect(visitor.html).not.toContain(offer);
		const [creator, person] = [new ConsoleVisitor(), newcomer()];
		const canonical = await createBySteps(creator, person);
		expect(creator.html).toContain(offer);
		await creator.open(`/my/account/recovery?next=${encodeURIComponent(`/my/${canonical}`)}`);
		await creator.send("/my/account/recovery", { password: "not mine" });
		expect(creator.status).toBe(401);
		await creator.open(`/my/${canonical}?new=`);
		expect(creator.html).toContain(offer);
		await creator.send("/my/account/recovery");
		const [, code = ""] = /class="secret" dir="ltr">([^<]+)</.exec(creator.html) ?? [];
		expect(creator.html).toMatch(new RegExp(`href="/my/${canonical}\\?new=">I have written it down<`));
		expect(creator.html.split(code).length, "the code also stands below the sign").toBeGreaterThan(3);
		expect(creator.html).toContain(`href="#${canonical}"`);
		const sent = encodeURIComponent(code);
		for (const link of ["https://wa.me/?text=", "sms:?body=", "mailto:?subject="]) {
			expect(creator.html).toMatch(new RegExp(`href="${link.replace("?", "\\?")}[^"]*${sent}`));
		}
		await fillDraft(creator, "6.53, 3.38");
		await creator.send("/my/new/check");
		expect(creator.text).toContain("This is yours");
		expect(creator.html).not.toContain(offer);
		const lost = await new ConsoleVisitor().open("/my/forgot/recovery");
		await lost.send("/my/forgot/recovery", { ...person, recovery_code: code, password: "another blue goat" });
		expect(lost.path).toBe("/my?did=reset");
	});

	it("of more than ten minutes makes no recovery code without the password", async () => {
		const { visitor, canonical } = await newHolder();
		await visitor.open(`/my/${canonical}?new=`);
		const owner = await value("select owner_id from addresses where canonical = ?", canonical);
		await sql("update sessions set created_at = created_at - 660000 where user_id = ?", owner);
		await visitor.send("/my/account/recovery");
		expect([visitor.status, visitor.html.includes('class="secret"')]).toEqual([200, false]);
		await visitor.send("/my/account/recovery", { password: "seven blue goats" });
		expect(visitor.html).toContain('class="secret"');
	});

	it("ends with signing out: the cookie opens nothing more", async () => {
		const { visitor } = await newHolder();
		const stolen = new Map(visitor.cookies);
		await visitor.open("/my");
		await visitor.send("/my/sign-out");
		for (const [name, value] of stolen) visitor.cookies.set(name, value);
		expect((await visitor.ask("/my")).headers.get("Location")).toMatch(/^\/my\/sign-in/);
	});

	it("is not read by the API or by public pages", async () => {
		const { visitor, canonical } = await newHolder();
		for (const path of ["/v1/auth/me", "/v1/addresses", "/v1/keys", `/v1/addresses/${canonical}`]) {
			expect((await visitor.ask(path)).status, path).toBe(401);
		}
		const ofAddress = [`/a/${canonical}`, `/a/${canonical}/print`, `/v1/public/addresses/${canonical}`];
		for (const path of ["/", "/docs", ...ofAddress]) {
			const [own, strange] = [await visitor.ask(path), await new ConsoleVisitor().ask(path)];
			expect(await own.text(), path).toBe(await strange.text());
			expect(own.headers.getSetCookie(), path).toEqual([]);
			expect(own.headers.get("Cache-Control"), path).toBe(strange.headers.get("Cache-Control"));
		}
	});

	it("is listed with its device, and can be ended from another", async () => {
		const [phone, laptop] = [new ConsoleVisitor(), new ConsoleVisitor()];
		const person = newcomer();
		phone.userAgent = "Mozilla/5.0 (Linux; Android 14) Chrome/140.0 Mobile Safari/537.36";
		laptop.userAgent = "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0";
		await phone.openAndSend("/my/sign-up", person);
		await laptop.openAndSend("/my/sign-in", person);
		await phone.open("/my/account/sessions");
		expect(phone.text).toContain("Chrome on Android (this device)");
		expect(phone.text).toMatch(/Firefox on Windows\s/);
		await phone.send("/my/account/sessions");
		expect(phone.text).toContain("That device is signed out.");
		expect(phone.text).not.toContain("Firefox on Windows");
		expect((await laptop.ask("/my")).headers.get("Location")).toMatch(/^\/my\/sign-in/);
		expect((await phone.ask("/my")).status).toBe(200);
	});

	it("changes the password, stays, and ends the other devices", async () => {
		const [phone, laptop] = [new ConsoleVisitor(), new ConsoleVisitor()];
		const person = newcomer();
		await phone.openAndSend("/my/sign-up", person);
		await laptop.openAndSend("/my/sign-in", person);
		await phone.openAndSend("/my/account/password", { current: "wrong one", password: "eight green goats" });
		expect([phone.status, phone.html.includes('href="#current"')]).toEqual([401, true]);
		await phone.send("/my/account/password", { current: person.password, password: "eight green goats" });
		expect(phone.text).toContain("The password is changed.");
		expect((await laptop.ask("/my")).headers.get("Location")).toMatch(/^\/my\/sign-in/);
	});
});

it("a forgotten password is set anew by the recovery code, once, and every other device is signed out", async () => {
	const [phone, lost] = [new ConsoleVisitor(), new ConsoleVisitor()];
	const person = newcomer();
	await phone.openAndSend("/my/sign-up", person);
	await phone.openAndSend("/my/account/recovery", { password: "wrong password" });
	expect(phone.status).toBe(401);
	await phone.send("/my/account/recovery", { password: person.password });
	const [, code = ""] = /<p class="secret"[^>]*>\s*([^<]+?)\s*</.exec(phone.html) ?? [];
	expect(code).toMatch(/^[\w-]{8,}$/);
	await phone.openAndSend("/my/keys", { name: "Deliveries", password: person.password, scope: "addresses:read" });

	const reset = { country: "NG", phone: person.phone, password: "eight green goats" };
	await lost.open("/my/forgot");
	await lost.send("/my/forgot/recovery", { ...reset, recovery_code: "AAAA-BBBB-CCCC-DDDD" });
	expect([lost.status, lost.html.includes('href="#recovery_code"')]).toEqual([401, true]);
	await lost.send("/my/forgot/recovery", { ...reset, recovery_code: code });
	expect(lost.path, "which somebody else may have made").toBe("/my/keys?did=reset");
	expect(lost.html, "since that code is used up").toContain('action="/my/account/recovery"');
	expect((await phone.ask("/my")).headers.get("Location")).toMatch(/^\/my\/sign-in/);

	await phone.open("/my/forgot");
	await phone.send("/my/forgot/recovery", { ...reset, recovery_code: code });
	expect(phone.status).toBe(401);
});

describe("an address of one's own", () => {
	it("gets other words", async () => {
		const { visitor, canonical } = await newHolder();
		await visitor.openAndSend(`/my/${canonical}/label`, { label: "Green gate" });
		expect(visitor.text).toContain("Saved.");
		expect(visitor.text).toContain("Green gate");
	});

	it("gets an entrance in the drawing or by coordinates, near it, and loses it again", async () => {
		const { visitor, canonical } = await newHolder();
		const path = `/my/${canonical}/entrance`;
		const entrance = async () => (await visitor.resolve(canonical)).entrance;
		await visitor.openAndSend(path, { "map.x": "144", "map.y": "72" });
		expect(visitor.text).toContain("The pin is 15 m north of the first point.");
		await visitor.send(path, { go: "right" });
		expect(visitor.text).toContain("Saved.");
		expect(await entrance()).toMatchObject({ lat: 6.524535 });
		await visitor.openAndSend(path, { place: "6.53, 3.3792" });
		await visitor.send(path, { go: "right" });
		expect([visitor.status, visitor.text.includes("The entrance must be at most 300 m")]).toEqual([422, true]);
		await visitor.openAndSend(path, { remove: "entrance" });
		expect(await entrance()).toBe(null);
		await visitor.open(`/my/${canonical}/history`);
		expect(visitor.text).toMatch(/Entrance changed .*Entrance changed Previously: \W*6\.524535, /);
		await visitor.open(`/my/${canonical}/history?lang=fr`);
		expect(visitor.text).toMatch(/ Créée \d/);
	});

	it("gets units, loses them again, and says what is wrong with one", async () => {
		const { visitor, canonical } = await newHolder();
		const path = `/my/${canonical}/units`;
		await visitor.openAndSend(path, { unit: " 3 b", label: "Second floor" });
		expect(visitor.text).toMatch(/3B Second floor Remove/);
		expect(visitor.html, "an example in one piece").toMatch(/NG\u2011\d{4}\u2011\d{5}\u00a0\/\u00a03B/);
		await visitor.send(path, { unit: "x".repeat(21), label: "Kept" });
		expect([visitor.status, visitor.text.includes("Use 1 to 20 characters.")]).toEqual([400, true]);
		expect(visitor.html).toContain('value="Kept"');
		const link = `/a/${canonical}?unit=3B`;
		expect(visitor.html).toContain(`href="${link}"`);
		await visitor.open(`/my/${canonical}`);
		await visitor.send(`/my/${canonical}/visibility`, { visibility: "private" });
		await visitor.open(path);
		expect(visitor.text).toContain("3B Second floor");
		expect(visitor.html, "which nobody may open without its own link").not.toContain(link);
		await visitor.send(path, { remove: "3B" });
		expect(visitor.text).not.toContain("Second floor");
		await sql("insert into units (canonical, unit, label, created_at) values (?, '\u0663', 'Older', 1)", canonical);
		await visitor.openAndSend(path, { remove: "\u0663" });
		expect(visitor.text).not.toContain("Older");
	});

	it("moves its pin within its zone, and not beyond, and remembers what was before", async () => {
		const { visitor, canonical } = await newHolder();
		const path = `/my/${canonical}/move`;
		await visitor.openAndSend(path, { place: "12.0022, 8.592" });
		await visitor.send(path, { go: "right" });
		expect([visitor.status, visitor.text.includes("The new place is in another zone.")]).toEqual([422, true]);
		await visitor.send(path, { place: "6.52441, 3.37921" });
		expect(visitor.text).toContain("The pin is 2 m");
		expect(await visitor.resolve(canonical), "only shown so far").toMatchObject({ lat: 6.5244, lng: 3.3792 });
		await visitor.send(path, { go: "right" });
		expect(visitor.text).toContain("Saved.");
		expect(await visitor.resolve(canonical)).toMatchObject({ lat: 6.52441, lng: 3.37921 });
		await visitor.open(`/my/${canonical}/history`);
		expect(visitor.text).toMatch(/Created .*Pin moved Previously: \W*6\.5244, 3\.3792/);
	});

	it.each([
		["nonsense", "my house", 400, "We cannot find a place in this text."],
		["a code that nobody has", "NG-0421-58212", 404, "No address has this code"],
	])("says what is wrong with %s as the new place, and keeps it", async (_, place, status, message) => {
		const { visitor, canonical } = await newHolder();
		await visitor.openAndSend(`/my/${canonical}/move`, { place });
		expect([visitor.status, visitor.text.includes(message)]).toEqual([status, true]);
		expect(visitor.html).toMatch(/<input id="place"[^>]* aria-invalid="true"/);
		expect(visitor.html).toContain(`value="${place}"`);
	});

	it("takes what the device found as its pin, and what a page showed is what it saves, whatever another tab does", async () => {
		const { visitor, canonical } = await newHolder();
		const path = `/my/${canonical}/move`;
		await visitor.open(path);
		const found = visitor.fields(path, { lat: "6.524500", lng: "3.379200", accuracy: "8.0" });
		const shown = await (await visitor.post(path, found)).text();
		expect(shown).toContain("The pin is 11 m north of the first point.");
		const seen = new URLSearchParams(found);
		seen.set("go", "right");
		await visitor.openAndSend(path, { move: "s", step: "25" });
		await visitor.post(path, seen);
		expect(await visitor.resolve(canonical)).toMatchObject({ lat: 6.5245 });
	});

	it("says before a verified one is changed that its verification ends", async () => {
		const { visitor, canonical } = await newHolder();
		for (const [level, isSaid] of [
			[0, false],
			[2, true],
		] as const) {
			await sql("update addresses set verification_level = ? where canonical = ?", level, canonical);
			for (const page of ["label", "move"]) {
				await visitor.open(`/my/${canonical}/${page}`);
				expect(visitor.text.includes("Saving this ends the verification"), page).toBe(isSaid);
			}
		}
	});

	it("names the address that took its place", async () => {
		const { visitor, canonical } = await newHolder();
		await fillDraft(visitor, "6.54, 3.39", "New gate");
		await visitor.send("/my/new/check");
		const successor = /\/my\/([A-Z]{2}\d{9})/.exec(visitor.path)?.[1] ?? "";
		await visitor.openAndSend(`/my/${canonical}/retire`, { digits: "", successor });
		expect(visitor.html, "stays chosen after a mistake").toContain(`<option value="${successor}" selected`);
		await visitor.send(`/my/${canonical}/retire`, { digits: canonical.slice(-5), successor });
		const page = await (await visitor.ask(`/a/${canonical}`)).text();
		expect(page).toContain(`href="/a/${successor}"`);
	});

	it("is found by a part of its words or code", async () => {
		const { visitor, canonical } = await newHolder();
		for (const search of ["blue", "GATE", canonical.slice(3, 8), `${canonical.slice(0, 2)}-${canonical.slice(2, 6)}`]) {
			await visitor.open(`/my?q=${encodeURIComponent(search)}`);
			expect(codesOn(visitor.html), search).toEqual([canonical]);
		}
		await visitor.open("/my?q=%25");
		expect(visitor.text).toContain("None of your addresses matches.");
	});

	it("is printed where it is selected, else with all that the list was searched for, page by page", async () => {
		const { visitor, canonical } = await newHolder();
		const [other = "", ...more] = [...(await freeCodes("NG", canonical.slice(2, 6)))].slice(0, 60);
		await sql(
			`insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at)
				select value, '', lat, lng, 'Red', owner_id, created_at - 1 from addresses, json_each(?) where canonical = ?`,
			JSON.stringify([other, ...more]),
			canonical,
		);
		const printed = async (path: string) => {
			await visitor.open(path);
			return [...visitor.html.matchAll(/<symbol id="(\w+)"/g)].map(([, code]) => code);
		};
		expect(await printed(`/my/print?as=cards&code=${other}`)).toEqual([other]);
		await visitor.open("/my?q=blue");
		expect(visitor.html).toMatch(/action="\/my\/print"><input type="hidden" name="q" value="blue"/);
		expect(await printed("/my/print?as=cards&q=blue")).toEqual([canonical]);
		const first = await printed("/my/print?as=cards");
		const [, next = ""] = /href="(\?as=cards&amp;cursor=[^"]+)"/.exec(visitor.html) ?? [];
		const last = await printed(`/my/print${next.replace("&amp;", "&")}`);
		expect([first.length, last.length, new Set([...first, ...last]).size]).toEqual([60, 1, 61]);
		expect(visitor.text).not.toContain("older ones");
	});

	it("is retired by typing its last five digits, and not by others", async () => {
		const { visitor, canonical } = await newHolder();
		await visitor.openAndSend(`/my/${canonical}/retire`, { digits: canonical.slice(-4) });
		expect(visitor.text).toContain("These are not the last five digits of the code.");
		await visitor.send(`/my/${canonical}/retire`, { digits: canonical.slice(-5) });
		expect(visitor.text).toContain("is retired.");
		expect(visitor.html).toMatch(/<summary>Retired<\/summary>.*Blue gate/s);
		expect(visitor.html).not.toContain(`href="/my/${canonical}"`);
		expect((await visitor.ask(`/v1/public/addresses/${canonical}`)).status).toBe(410);
	});

	it("is nobody else's to see, change, print or retire", async () => {
		const canonical = await becomeHolder(new ConsoleVisitor());
		const stranger = new ConsoleVisitor();
		await becomeHolder(stranger);
		for (const path of ["", "/label", "/move", "/entrance", "/units", "/history", "/retire"]) {
			expect((await stranger.ask(`/my/${canonical}${path}`)).status, path).toBe(403);
		}
		const fields = stranger.fields("/my/sign-out");
		fields.set("digits", canonical.slice(-5));
		expect((await stranger.post(`/my/${canonical}/retire`, fields)).status).toBe(403);
		for (const kind of ["signs", "stickers", "cards"]) {
			const answer = await stranger.ask(`/my/print?as=${kind}&code=${canonical}`);
			expect(answer.headers.get("Location"), kind).toBe("/my");
		}
	});
});

it.each([
	["addresses:read", 403],
	["addresses:write", 200],
])("keys are made with the password and %s, shown once with a command, listed and revoked", async (scope, status) => {
	const { visitor } = await newHolder();
	await visitor.openAndSend("/my/keys", { name: "Deliveries", password: "wrong password", scope });
	expect(visitor.status).toBe(401);
	await visitor.send("/my/keys", { name: "Deliveries", password: PASSWORD, scope });
	const [key = ""] = /addr_live_\w+/.exec(visitor.text) ?? [];
	expect(visitor.text).toContain(`Api-Key ${key}`);
	const headers = { Authorization: `Api-Key ${key}` };
	expect((await visitor.ask("/v1/addresses", { headers })).status).toBe(status);
	await visitor.open("/my/keys");
	expect(visitor.text).toContain("Deliveries");
	// Once among the choices for another key, and once at this key where it may.
	expect(visitor.text.split("create, change and retire yours")).toHaveLength(status === 200 ? 3 : 2);
	expect(visitor.html).not.toContain(key);
	const [, revoke = ""] = /href="(\/my\/keys\/key_\w+\/revoke)"/.exec(visitor.html) ?? [];
	await visitor.openAndSend(revoke);
	expect(visitor.text).toContain("The key is revoked.");
	expect(visitor.text).not.toContain("Deliveries");
	const again = await visitor.open(revoke);
	expect([again.status, again.text.includes("changed elsewhere")]).toEqual([404, true]);
	// Both browser tabs of somebody who revokes it twice.
	const { visitor: other } = await newHolder();
	await other.openAndSend("/my/keys", { name: "Twice", password: PASSWORD, scope });
	await other.open("/my/keys");
	const [, twice = ""] = /href="(\/my\/keys\/key_\w+\/revoke)"/.exec(other.html) ?? [];
	await other.open(twice);
	const form = other.fields(twice);
	await (await other.post(twice, form)).text();
	const second = await other.post(twice, form);
	expect([second.status, (await second.text()).includes("changed elsewhere")]).toEqual([404, true]);
});

it("agents attest an address by its code or link, and a phone number; nobody else may", async () => {
	const owner = new ConsoleVisitor();
	const canonical = await becomeHolder(owner);
	expect((await owner.ask("/my/attest")).status).toBe(403);

	const agent = new ConsoleVisitor();
	const person = newcomer();
	await agent.openAndSend("/my/sign-up", person);
	const phone = `+234${person.phone.slice(1)}`;
	await sql("update users set role = 'agent' where phone = ?", phone);
	await agent.open("/my/attest?code=NG-0421-58213");
	expect([agent.status, agent.html.includes('href="#code"')]).toEqual([400, true]);
	await agent.open(`/my/attest?code=${encodeURIComponent(`https://registry.test/a/${canonical}`)}`);
	expect(agent.text).toContain("Blue gate");
	const visit = { level: "3", note: "Met the family" };
	const from = (lat: number, accuracy: string) => ({ ...visit, lat: `${lat}`, lng: `${LAGOS.lng}`, accuracy });
	// A form without a script does not say where the agent stands.
	let fields = agent.fields("/my/attest", visit);
	const without = await (await agent.post("/my/attest", fields)).text();
	expect(without).toContain("Your browser must say where you are.");
	const send = async (more: Record<string, string>) => {
		for (const [name, value] of Object.entries(more)) fields.set(name, value);
		return (await agent.post("/my/attest", fields)).text();
	};
	expect(await send(from(LAGOS.lat + 0.01, "10"))).toContain("You are too far from the pin.");
	await owner.openAndSend(`/my/${canonical}/label`, { label: "Police" });
	agent.html = await send(from(LAGOS.lat, "10"));
	expect(agent.text).toContain("This was changed elsewhere in the meantime. Please look at it again.");
	expect(agent.text).toContain("Police");
	fields = agent.fields("/my/attest", visit);
	agent.html = await send(from(LAGOS.lat, "10"));
	expect(agent.text).toMatch(/NG-\d{4}-\d{5}\W* is verified\./);
	expect(await agent.resolve(canonical)).toMatchObject({ verification_level: 3 });
	const neighbour = newcomer();
	const other = new ConsoleVisitor();
	const theirs = await becomeHolder(other, neighbour);
	const sent = { country: "NG", phone: neighbour.phone };
	await agent.send("/my/attest", { ...sent, theirs: "NG-0421-58213" });
	expect([agent.status, agent.html.includes('href="#theirs"')]).toEqual([400, true]);
	await agent.send("/my/attest", { ...sent, theirs });
	expect(agent.text).toContain("The phone number is verified.");
});

it("a draft that is not valid, or too old, starts the four steps again", async () => {
	const visitor = new ConsoleVisitor();
	for (const draft of ["", "nonsense", btoa(JSON.stringify({ lat: 91, lng: 0 })), btoa("{")]) {
		visitor.cookies.set("__Host-draft", draft);
		for (const path of ["/my/new/spot", "/my/new/check"]) {
			expect((await visitor.ask(path)).headers.get("Location"), path).toBe("/my/new");
		}
	}
});
