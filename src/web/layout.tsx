import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { contentSecurityPolicy, type Inline } from "./inline.ts";
import { type Language, languages } from "./languages.ts";

const ICON_PATH =
	"M12 2a7 7 0 0 0-7 7c0 5.2 7 13 7 13s7-7.8 7-13a7 7 0 0 0-7-7zm0 9.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5z";
const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0b7a6b" d="${ICON_PATH}"/></svg>`)}`;

/** The registry's sign, a pin. */
export function Icon() {
	return (
		<svg viewBox="0 0 24 24" aria-hidden="true">
			<path d={ICON_PATH} />
		</svg>
	);
}

/** Everything that makes one HTML document. */
export interface Layout {
	language: Language;
	siteName: string;
	title: string;
	description: string;
	/** The canonical path of the page, without a query. */
	path: string;
	/** Whether search engines may list the page. */
	indexed: boolean;
	header: Child;
	main: Child;
	footer?: Child;
	styles: Inline;
	/** Scripts that only add comfort: every page works without them. */
	scripts: Inline[];
	/** Directives of the Content-Security-Policy besides those that every page has. */
	policy: string[];
}

/** How an HTML document is answered. */
export interface Answered {
	/** 200 when unset. */
	status?: ContentfulStatusCode;
	/** Response headers; Cache-Control among them. */
	headers: Record<string, string>;
}

function HtmlDocument({ layout, url }: { layout: Layout; url: string }) {
	const { language, siteName, title, description, indexed, header, main, footer, styles, scripts } = layout;
	return (
		<html lang={language} dir={languages[language].direction}>
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				{/* Or Safari takes a code for a phone number. */}
				<meta name="format-detection" content="telephone=no" />
				<title>{title}</title>
				<meta name="description" content={description} />
				{indexed ? null : <meta name="robots" content="noindex" />}
				<link rel="canonical" href={url} />
				<link rel="icon" href={ICON} />
				<meta property="og:type" content="website" />
				<meta property="og:site_name" content={siteName} />
				<meta property="og:title" content={title} />
				<meta property="og:description" content={description} />
				<meta property="og:url" content={url} />
				<meta property="og:locale" content={language} />
				<style>{raw(styles.text)}</style>
			</head>
			<body>
				<header class="screen">{header}</header>
				<main>{main}</main>
				{footer ? <footer class="screen">{footer}</footer> : null}
				{scripts.map(({ text }) => (
					<script>{raw(text)}</script>
				))}
			</body>
		</html>
	);
}

/** An HTML document for a registry at `origin`, complete in itself: it fetches nothing and runs no script but its own. */
export function htmlText(layout: Layout, origin: string): string {
	return `<!DOCTYPE html>${<HtmlDocument layout={layout} url={origin + layout.path} />}`;
}

/** The headers that belong to the text of an HTML document. */
export function htmlHeaders({ language, styles, scripts, policy }: Layout): Record<string, string> {
	return {
		"Content-Language": language,
		"Content-Security-Policy": contentSecurityPolicy(styles, scripts, policy),
	};
}

/** Answers an HTML document. */
export function htmlResponse(c: Context<AppEnv>, layout: Layout, { status = 200, headers }: Answered): Response {
	return c.html(htmlText(layout, webUrl(c)), status, { ...htmlHeaders(layout), ...headers });
}
