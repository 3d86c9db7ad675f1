import type { Context } from "hono";
import { defineFormat, publicHeaders } from "../addresses/address-cache.ts";
import { codeIn, LINK, normalizeCode, parseCode } from "../addresses/code.ts";
import { answerPublicly, lookUpPublicAddress } from "../addresses/look-up.ts";
import { type Neighbourhood, neighbourhood } from "../addresses/map.ts";
import type { PublicAddress } from "../addresses/record.ts";
import { beforeDeadline } from "../deadline.ts";
import { AppError } from "../errors.ts";
import { toAppError } from "../failures.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { newRoutes } from "../http/routes.ts";
import { log } from "../log.ts";
import { ZoneIndexError } from "../zones/format.ts";
import { openZoneLocator } from "../zones/open.ts";
import { addressPage, viewOf } from "./address-page.tsx";
import { type Language, languages } from "./languages.ts";
import { htmlHeaders, htmlText } from "./layout.tsx";
import { type AskedLanguage, askedLanguage, isStandIn, localeOf } from "./locale.ts";
import { mistakePage } from "./mistake-page.tsx";
import { PAGE_HEADERS, pageLayout, pageResponse } from "./page.tsx";
import { printPage } from "./print-page.tsx";

/** What to draw around an address. Without a readable zone index the page still serves, only without a map. */
async function mapOf(c: Context<AppEnv>, address: PublicAddress): Promise<Neighbourhood | undefined> {
	try {
		const drawn = neighbourhood(openZoneLocator(c.env), address);
		return await beforeDeadline(drawn, c.var.config.limits.MAP_MILLISECONDS, "R2 took too long");
	} catch (error) {
		const reason = error instanceof ZoneIndexError ? error.reason : String(error);
		log("error", "map_unavailable", { request_id: c.var.requestId, reason });
		return undefined;
	}
}

/** The format of an address's page in a locale: a page that was asked for in a language by name has other links. */
function pageFormat({ asked, query }: AskedLanguage): string {
	return `page-${asked}${query ? "-asked" : ""}`;
}

for (const asked of Object.keys(languages) as Language[]) {
	for (const query of ["", `?lang=${asked}`]) defineFormat(pageFormat({ asked, query }));
}

/** The canonical spelling of what was entered, or undefined where it is no code. */
function canonicalOf(entered: string): string | undefined {
	try {
		return parseCode(entered).canonical;
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		return undefined;
	}
}

/** The code that an entry holds, in canonical spelling; where nothing but a mistyped code was entered, that as it was typed, to be shown. */
function codeOf(entered: string): string {
	const typed = entered.replace(LINK, "$1");
	const found = codeIn(entered);
	return found && (canonicalOf(found) || normalizeCode(typed) !== found) ? found : typed;
}

/** The pages of addresses, for people. Mounted at /a. Every answer is a page, errors too; methods that read nothing never come here. */
export const addressPages = newRoutes()
	.use(conditional)
	.get("/", (c) => {
		const entered = c.req.query("code") ?? "";
		const { query } = askedLanguage(c);
		return c.redirect(normalizeCode(entered) ? `/a/${encodeURIComponent(codeOf(entered))}${query}` : `/${query}`);
	})
	.get("/:code", (c) => {
		return answerPublicly(c, parseCode(c.req.param("code")), pageFormat(askedLanguage(c)), async (address) => {
			const [map, locale] = await Promise.all([mapOf(c, address), localeOf(c)]);
			const layout = pageLayout(addressPage(viewOf(address, locale, webUrl(c)), map, locale));
			return {
				body: htmlText(layout, webUrl(c)),
				headers: { "Content-Type": "text/html; charset=UTF-8", ...htmlHeaders(layout), ...PAGE_HEADERS },
				isPartial: map === undefined || isStandIn(locale),
			};
		});
	})
	.get("/:code/print", async (c) => {
		const address = await lookUpPublicAddress(c, parseCode(c.req.param("code")));
		const locale = await localeOf(c);
		const page = printPage(viewOf(address, locale, webUrl(c)), locale);
		return pageResponse(c, { ...page, headers: publicHeaders(c, address.canonical) });
	})
	.get("/*", () => {
		throw new AppError("MALFORMED_CODE", "A code has no slashes in it.");
	});

addressPages.onError(async (error, c) =>
	pageResponse(c, mistakePage(toAppError(error, c.var.requestId), c.req.param("code") ?? "", await localeOf(c))),
);

/** What a browser gets at a path that nothing has: the page of the code that it ends in, or the box for one. */
export async function unknownPage(c: Context<AppEnv>): Promise<Response> {
	const canonical = canonicalOf(c.req.path.split("/").findLast(Boolean) ?? "");
	if (canonical) return c.redirect(`/a/${canonical}${askedLanguage(c).query}`);
	return pageResponse(c, mistakePage(new AppError("NOT_FOUND", "No page has this path."), "", await localeOf(c)));
}
