import type { Context } from "hono";
import { answerAddress, resolveAddress } from "../addresses/actions.ts";
import { type PublicAnswer, type PublicRequest, pageFormat } from "../addresses/address-cache.ts";
import { type PublicAddress, type UnitRecord, whereabouts } from "../addresses/address-record.ts";
import { publicRequestOf } from "../addresses/public-endpoints.ts";
import { answerUnits } from "../addresses/unit-actions.ts";
import { hasBasemap, streetsAround } from "../basemap/around.ts";
import { type AddressCode, displayCode, LINK, normalizeCode, parseCode, partsOf } from "../codes/code.ts";
import { findCode } from "../codes/code-text.ts";
import { readEntry } from "../codes/entry.ts";
import { withoutClosing } from "../codes/links.ts";
import { besideCode, isUnit, normalizeUnit } from "../codes/unit.ts";
import { unitName } from "../codes/unit-text.ts";
import { AppError } from "../errors.ts";
import { toAppError } from "../failures.ts";
import type { AppEnv } from "../http/app-env.ts";
import { newRoutes } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { assertMayDraw } from "../limits/rate-limits.ts";
import { readPastedLocation } from "../points/pasted-location.ts";
import { readCardFont } from "../print/card-font.ts";
import { sharedPng } from "../print/card-png.ts";
import { choosePaper } from "../print/paper.ts";
import { addressPage } from "./address-page.tsx";
import { type AskedUnit, viewOf } from "./address-view.ts";
import { contactOf } from "./contact.ts";
import { htmlHeaders, htmlText } from "./layout.tsx";
import { askedLanguage, englishOf, isStandIn, localeOf, pathIn } from "./locale.ts";
import { type FoundPlace, mistakePage } from "./mistake-page.tsx";
import { PAGE_HEADERS, pageLayout, pageResponse } from "./page.tsx";
import { printPage } from "./print-page.tsx";
import { CODES_MAX, codeOfNamedCountry, likelyFor } from "./which-code.tsx";

/** The canonical spelling of what was entered, or undefined where it is no code. */
function canonicalOf(entered: string): string | undefined {
	try {
		return parseCode(entered).canonical;
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		return undefined;
	}
}

/** A part of an entry as it follows a code in a path: a mark or a letter that was joined to it is joined again. */
const spaced = (part: string) => (/^(?:\p{L}{2}|\p{Nd})/u.test(part) ? ` ${part}` : part);

/** Longest entry put into the path of a page, in UTF-16 units. Nothing longer is a code, and a pasted chat is private. */
const PATH_UNITS_MAX = 60;

/**
 * The end of the path that an entry leads to: its codes in canonical spelling, or what looks like one. A mistyped code stays as typed,
 * so that it can be shown.
 */
async function pathOf(c: Context<AppEnv>, entered: string): Promise<string> {
	const entry = readEntry(entered);
	const typed = entered.replace(LINK, "$1").trim();
	const isLong = typed.length > PATH_UNITS_MAX;
	switch (entry.kind) {
		case "codes":
			return entry.codes
				.slice(0, CODES_MAX)
				.map(({ canonical }) => canonical)
				.join(" ");
		case "unclear":
			// What is asked about comes along, joined to the code as it was.
			if (isLong) return entry.codes.map(({ canonical }) => displayCode(canonical)).join(" ") + spaced(entry.part);
			break;
		case "mistyped":
			if (normalizeCode(typed) !== entry.code.canonical) return entry.code.canonical;
			break;
		case "no country": {
			const named = await codeOfNamedCountry(c, entry);
			if (named) return named;
			const { digits, unit } = entry;
			if (isLong) return [`${digits.slice(0, 4)}-${digits.slice(4)}`, unit].filter(Boolean).join(" / ");
			break;
		}
		case "mixed up":
			if (isLong) return entry.typed;
			break;
		case "unknown": {
			const place = readPastedLocation(entered);
			if (place.kind === "point") return `${place.point.lat},${place.point.lng}`;
		}
	}
	return typed.slice(0, PATH_UNITS_MAX).toWellFormed();
}

/** The code in a page's path, without the mark that chats leave after it at the end of a sentence. */
function codeOfPage(path: string): AddressCode {
	const code = parseCode(withoutClosing(path));
	// What stands behind a slash is no part of a code.
	if (path.includes("/") && readEntry(path).kind === "unclear")
		throw new AppError("MALFORMED_CODE", "What stands behind the slash is neither a unit nor the number of a phone.");
	return code;
}

/** The token of the link that shows a private address. Caches store no page with a token, nor any token that was made up. */
function shareOf(c: Context<AppEnv>, { share }: PublicRequest, { visibility }: PublicAddress): string | undefined {
	return share && visibility === "private" ? c.req.query("share") : undefined;
}

/** What the page of a code takes over from an entry: the unit, and the token of a link to a private address. */
function carriedFromEntry(entered: string): { unit?: string; share?: string } {
	const entry = readEntry(entered);
	if (entry.kind === "no country") return entry.unit ? { unit: entry.unit } : {};
	const { units: [unit] = [], share } = findCode(entered) ?? {};
	return { ...(unit ? { unit } : {}), ...(share ? { share } : {}) };
}

/** The address and the unit that a page was asked for; undefined if no unit was named. */
async function askedUnit(c: Context<AppEnv>, request: PublicRequest) {
	const written = unitName(c.req.query("unit") ?? "");
	const unit = normalizeUnit(written);
	if (!isUnit(unit)) return undefined;
	const registry = c.get("registry");
	// There may be any number of units, so their pages are not cached, but the list of units is.
	const [resolved, units] = await Promise.all([
		resolveAddress(registry, request),
		answerUnits(registry, request).then((answer) => answer.json<{ data: UnitRecord[] }>()),
	]);
	const pasted = (text: string) => normalizeUnit(besideCode(text));
	const named =
		units.data.find((own) => own.unit === unit) ?? units.data.find(({ name }) => pasted(name) === pasted(written));
	const asked: AskedUnit = named ?? { unit: written, name: written, label: undefined };
	return { ...resolved, unit: { ...asked, name: besideCode(asked.name) } };
}

/** The pages of addresses, for people. Mounted at /a. Every answer is a page, errors too; methods that read nothing never come here. */
export const addressPages = newRoutes()
	.use(async (c, next) => {
		await next();
		// Pictures and contacts have no tag for it.
		c.header("X-Robots-Tag", "noindex");
	})
	.use(conditional)
	.get("/", async (c) => {
		const entered = c.req.query("code") ?? "";
		const path = normalizeCode(entered) ? `/a/${encodeURIComponent(await pathOf(c, entered))}` : "/";
		return c.redirect(pathIn(askedLanguage(c), path, carriedFromEntry(entered)));
	})
	.get("/:code", async (c) => {
		const registry = c.get("registry");
		const asked = publicRequestOf(c, codeOfPage(c.req.param("code")));
		const draw = async (address: PublicAddress, unit?: AskedUnit): Promise<PublicAnswer> => {
			const [locale, { sketch, isPartial }] = await Promise.all([localeOf(c), streetsAround(registry, address)]);
			const share = shareOf(c, asked, address);
			const page = addressPage(viewOf(address, locale, registry.webUrl, unit), locale, { sketch, share });
			const carried = { ...(share ? { share } : {}), ...(unit ? { unit: unit.unit } : {}) };
			const layout = pageLayout({ ...page, previewed: !share, carried });
			return {
				body: htmlText(layout, registry.webUrl),
				headers: { "Content-Type": "text/html; charset=UTF-8", ...htmlHeaders(layout), ...PAGE_HEADERS },
				isPartial: isPartial || isStandIn(locale),
			};
		};
		const found = await askedUnit(c, asked);
		if (!found) {
			const { asked: language, query } = askedLanguage(c);
			return answerAddress(registry, asked, pageFormat(language, query !== ""), (address) => draw(address));
		}
		const drawn = await draw(found.address, found.unit);
		const stored = drawn.isPartial ? { "Cache-Control": "no-store" } : {};
		return new Response(drawn.body, { headers: { ...drawn.headers, ...found.headers, ...stored } });
	})
	.get("/:code/contact.vcf", async (c) => {
		const registry = c.get("registry");
		const asked = publicRequestOf(c, codeOfPage(c.req.param("code")));
		const draw = async (address: PublicAddress, unit?: AskedUnit): Promise<PublicAnswer> => ({
			body: contactOf(viewOf(address, await englishOf(c), registry.webUrl, unit)),
			headers: {
				"Content-Type": "text/vcard; charset=utf-8",
				"Content-Disposition": `attachment; filename="${address.canonical}.vcf"`,
			},
		});
		const found = await askedUnit(c, asked);
		if (!found) return answerAddress(registry, asked, "contact", (address) => draw(address));
		const drawn = await draw(found.address, found.unit);
		return new Response(drawn.body, { headers: { ...drawn.headers, ...found.headers } });
	})
	.get("/:code/og.png", (c) => {
		const registry = c.get("registry");
		// A link to a private address gives no right to a picture of it: messengers store pictures.
		const asked = { ...publicRequestOf(c, codeOfPage(c.req.param("code"))), share: undefined };
		return answerAddress(registry, asked, "og", async (address) => {
			assertMayDraw(registry);
			return {
				body: await sharedPng(
					await readCardFont(c.env),
					address.canonical,
					whereabouts(address).join(", "),
					address.label,
				),
				headers: { "Content-Type": "image/png", "Cross-Origin-Resource-Policy": "cross-origin" },
			};
		});
	})
	.get("/:code/print", async (c) => {
		const registry = c.get("registry");
		const asked = publicRequestOf(c, codeOfPage(c.req.param("code")));
		const { unit, address, headers } = (await askedUnit(c, asked)) ?? {
			...(await resolveAddress(registry, asked)),
			unit: undefined,
		};
		const query = new URL(c.req.url).searchParams;
		const isPublic = address.visibility === "public";
		const [locale, hasMap, { sketch }] = await Promise.all([
			localeOf(c),
			isPublic && hasBasemap(registry),
			isPublic && query.has("map") ? streetsAround(registry, address) : { sketch: undefined },
		]);
		const paper = choosePaper(query.get("paper"), partsOf(address.canonical).country);
		const share = shareOf(c, asked, address);
		const view = viewOf(address, locale, registry.webUrl, unit);
		const page = printPage(view, locale, { paper, asked: query, hasMap, sketch, share });
		return pageResponse(c, { ...page, headers });
	})
	.get("/*", () => {
		throw new AppError("MALFORMED_CODE", "A code has no slashes in it.");
	});

addressPages.onError(async (error, c) => {
	const entered = c.req.param("code") ?? "";
	const mistake = toAppError(error, c.var.requestId);
	const isUnknown = mistake.code === "MALFORMED_CODE" && readEntry(entered).kind === "unknown";
	const [locale, found] = await Promise.all([localeOf(c), isUnknown ? placeFound(c, entered) : undefined]);
	return pageResponse(c, mistakePage(mistake, entered, locale, likelyFor(c, entered), found));
});

/** The place that was entered instead of a code, with its zone; undefined if it is none. */
async function placeFound(c: Context<AppEnv>, entered: string): Promise<FoundPlace | undefined> {
	const place = readPastedLocation(entered);
	if (place.kind !== "point") return place.kind === "refused" && place.short ? { zone: undefined } : undefined;
	const { point } = place;
	return { point, zone: await c.get("registry").zones.locate(point.lat, point.lng) };
}

/** Answers a browser at an unknown path: with the page of the code that it ends in, or the box for one. */
export async function unknownPage(c: Context<AppEnv>): Promise<Response> {
	const canonical = canonicalOf(withoutClosing(c.req.path.split("/").findLast(Boolean) ?? ""));
	if (canonical) return c.redirect(`/a/${canonical}${askedLanguage(c).query}`);
	return pageResponse(c, mistakePage(new AppError("NOT_FOUND", "No page has this path."), "", await localeOf(c)));
}
