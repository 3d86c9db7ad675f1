import { AppError } from "../errors.ts";
import { newRoutes, webUrl } from "../http/app-env.ts";
import { openToBrowsers } from "../http/cors.ts";
import { PIN_PATH } from "../print/outline.ts";
import { PLATE_COLOURS } from "../print/plate.ts";
import { DAY } from "../time/time.ts";
import { localeOf } from "./locale.ts";
import { PAGE_HEADERS } from "./page.tsx";

/** How long a security.txt is valid, in milliseconds: less than a year, as RFC 9116 section 2.5.5 recommends. */
const SECURITY_TEXT_MILLISECONDS = 180 * DAY;

/**
 * Search engines may list the pages about the service. Those of addresses may be read, and say `noindex`: an engine that must not read a
 * page never sees that, and lists the bare link. A link to a private address is nobody's to follow.
 */
const ROBOTS = "User-agent: *\nDisallow: /*?*share=\nDisallow: /v1/\nDisallow: /my\n";

/**
 * What crawlers, programs that look for APIs (RFC 9727, as a linkset of RFC 9264) and people who found a weakness look for at a fixed path.
 * Mounted at /.
 */
export const wellKnownRoutes = newRoutes()
	.get("/robots.txt", (c) => c.text(ROBOTS, 200, { "Cache-Control": "public, max-age=86400" }))
	.get("/manifest.webmanifest", async (c) => {
		const { siteName } = await localeOf(c);
		const icon = (viewBox: string, ground: string, ink: string) => ({
			src: `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}">${ground}<path fill="${ink}" d="${PIN_PATH}"/></svg>`)}`,
			sizes: "any",
			type: "image/svg+xml",
		});
		const { face, ink } = PLATE_COLOURS;
		// A launcher cuts a maskable icon to its own shape: the mark lies within the inner circle of four fifths (W3C Web App Manifest).
		const ground = `<path fill="${face}" d="M-8-8h40v40H-8z"/>`;
		const manifest = {
			name: siteName,
			short_name: siteName,
			id: "/",
			start_url: "/",
			scope: "/",
			display: "standalone",
			background_color: PLATE_COLOURS.ink,
			theme_color: PLATE_COLOURS.face,
			icons: [icon("0 0 24 24", "", face), { ...icon("-8 -8 40 40", ground, ink), purpose: "maskable" }],
		};
		const headers = {
			"Content-Type": "application/manifest+json",
			"Cache-Control": "public, max-age=3600",
			...PAGE_HEADERS,
		};
		return c.body(JSON.stringify(manifest), 200, headers);
	})
	.get("/.well-known/api-catalog", openToBrowsers, (c) => {
		const origin = webUrl(c);
		const at = (path: string, type: string) => [{ href: `${origin}${path}`, type }];
		const documents = { "service-doc": at("/docs", "text/html"), status: at("/healthz", "application/json") };
		const linkset = [
			{ anchor: `${origin}/.well-known/api-catalog`, item: [{ href: `${origin}/v1` }, { href: `${origin}/mcp` }] },
			{ anchor: `${origin}/v1`, "service-desc": at("/openapi.json", "application/json"), ...documents },
			{ anchor: `${origin}/mcp`, ...documents },
		];
		return c.body(JSON.stringify({ linkset }), 200, {
			"Content-Type": 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
			"Cache-Control": "public, max-age=86400",
			Link: `<${origin}/.well-known/api-catalog>; rel="api-catalog"`,
		});
	})
	.get("/.well-known/security.txt", (c) => {
		const { securityContact, identity } = c.var.config;
		const contact = securityContact ?? identity.operatorContact;
		if (!contact) throw new AppError("NOT_FOUND", "This registry has not named a contact for security reports.");
		const expires = new Date(Date.now() + SECURITY_TEXT_MILLISECONDS).toISOString();
		const lines = [
			`Contact: ${contact}`,
			`Expires: ${expires}`,
			"Preferred-Languages: en",
			`Canonical: ${webUrl(c)}/.well-known/security.txt`,
		];
		return c.text(`${lines.join("\n")}\n`, 200, { "Cache-Control": "no-store" });
	});
