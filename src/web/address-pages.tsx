import type { Context } from "hono";
import { answerAddress, resolveAddress } from "../addresses/actions.ts";
import { defineFormat } from "../addresses/address-cache.ts";
import { askedPublicly } from "../addresses/public-endpoints.ts";
import { streetsAround } from "../basemap/around.ts";
import { codeIn, LINK, normalizeCode, parseCode } from "../codes/code.ts";
import { AppError } from "../errors.ts";
import { toAppError } from "../failures.ts";
import type { AppEnv } from "../http/app-env.ts";
import { newRoutes } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { type Language, languages } from "../languages/languages.ts";
import { addressPage, viewOf } from "./address-page.tsx";
import { contactOf } from "./contact.ts";
import { htmlHeaders, htmlText } from "./layout.tsx";
import { type AskedLanguage, askedLanguage, english, isStandIn, localeOf } from "./locale.ts";
import { mistakePage } from "./mistake-page.tsx";
import { PAGE_HEADERS, pageLayout, pageResponse } from "./page.tsx";
import { printPage } from "./print-page.tsx";

/** The format of an address's page in a locale: a page that was asked for in a language by name has other links. */
function pageFormat({ asked, query }: AskedLanguage): string {
	return `page-${asked}${query ? "-asked" : ""}`;
}

const CONTACT = defineFormat("contact");

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

/**
 * The code that an entry holds, in canonical spelling; where nothing but a mistyped code was entered, that as it was typed, to be
 * shown.
 */
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
		const registry = c.get("registry");
		const asked = askedPublicly(c, parseCode(c.req.param("code")));
		return answerAddress(registry, asked, pageFormat(askedLanguage(c)), async (address) => {
			const [locale, { sketch, isPartial }] = await Promise.all([localeOf(c), streetsAround(registry, address)]);
			const page = addressPage(viewOf(address, locale, registry.webUrl), locale, sketch);
			// Only a link that works shows a private address.
			const share = address.visibility === "private" && c.req.query("share");
			const layout = pageLayout(share ? { ...page, previewed: false, kept: { share } } : page);
			return {
				body: htmlText(layout, registry.webUrl),
				headers: { "Content-Type": "text/html; charset=UTF-8", ...htmlHeaders(layout), ...PAGE_HEADERS },
				isPartial: isPartial || isStandIn(locale),
			};
		});
	})
	.get("/:code/contact.vcf", (c) => {
		const registry = c.get("registry");
		return answerAddress(registry, askedPublicly(c, parseCode(c.req.param("code"))), CONTACT, (address) => ({
			body: contactOf(viewOf(address, english, registry.webUrl)),
			headers: {
				"Content-Type": "text/vcard; charset=utf-8",
				"Content-Disposition": `attachment; filename="${address.canonical}.vcf"`,
			},
		}));
	})
	.get("/:code/print", async (c) => {
		const registry = c.get("registry");
		const { address, headers } = await resolveAddress(registry, askedPublicly(c, parseCode(c.req.param("code"))));
		const locale = await localeOf(c);
		const page = printPage(viewOf(address, locale, registry.webUrl), locale);
		return pageResponse(c, { ...page, headers });
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
