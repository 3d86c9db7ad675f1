import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { type Language, languages } from "../languages/languages.ts";
import type { Template } from "../languages/template.ts";
import { SHARED_HEIGHT, SHARED_WIDTH } from "../print/card-png.ts";
import { PIN_PATH } from "../print/outline.ts";
import { PLATE_COLOURS } from "../print/plate.ts";
import { contentSecurityPolicy, type Inline, type ScriptFile, type Styles } from "./inline.ts";

/** Only the characters that a URL requires are encoded, so that it compresses with the same path in the header. */
const ICON = `data:image/svg+xml,${`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="${PLATE_COLOURS.face}" d="${PIN_PATH}"/></svg>`.replace(/[<>"#]/g, encodeURIComponent)}`;

/** The registry's sign, a pin. */
export function Icon() {
	return (
		<svg viewBox="0 0 24 24" aria-hidden="true">
			<path d={PIN_PATH} />
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
	/** Whether messengers may show a preview; otherwise they get only the title. True when unset. */
	previewed?: boolean;
	/** The path of the picture that messengers show with a link to it, of SHARED_WIDTH by SHARED_HEIGHT pixels. */
	image?: string | undefined;
	header: Child;
	main: Child;
	/** The sentence, with a gap `{time}`, that a browser adds when it shows the page without a network; unset if none may store the page. */
	asOf?: string | Template<"time"> | undefined;
	footer?: Child;
	styles: Styles;
	/** Scripts that only add comfort: every page works without them. */
	scripts: (Inline | ScriptFile)[];
	/** Directives of the Content-Security-Policy besides those that every page has. */
	policy: string[];
}

/** The status and headers with which an HTML document is answered. */
export interface Answered {
	/** 200 when unset. */
	status?: ContentfulStatusCode;
	/** Response headers, including Cache-Control. */
	headers: Record<string, string>;
}

function HtmlDocument({ layout, url }: { layout: Layout; url: string }) {
	const { language, image, styles, scripts, footer } = layout;
	// Tabs and messengers show direction marks as boxes.
	const [title, description] = [layout.title, layout.description].map((text) => text.replace(/[\u2066-\u2069]/g, ""));
	const previews = {
		"og:type": "website",
		"og:site_name": layout.siteName,
		"og:title": title,
		"og:description": description,
		"og:url": url,
		"og:locale": language,
		...(image && {
			"og:image": new URL(image, url).href,
			"og:image:width": String(SHARED_WIDTH),
			"og:image:height": String(SHARED_HEIGHT),
		}),
	};
	const isPreviewed = layout.previewed ?? true;
	return (
		<html lang={language} dir={languages[language].direction}>
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				{/* Otherwise Safari takes a code for a phone number. */}
				<meta name="format-detection" content="telephone=no" />
				<title>{title}</title>
				{layout.indexed ? null : <meta name="robots" content="noindex" />}
				<link rel="canonical" href={url} />
				<link rel="icon" href={ICON} />
				<link rel="manifest" href="/manifest.webmanifest" />
				{isPreviewed ? (
					<>
						<meta name="description" content={description} />
						{Object.entries(previews).map(([property, content]) => (
							<meta property={property} content={content} />
						))}
					</>
				) : null}
				{isPreviewed && image ? <meta name="twitter:card" content="summary_large_image" /> : null}
				{"sheet" in styles ? <link rel="stylesheet" href={styles.sheet} /> : <style>{raw(styles.text)}</style>}
				{/* Fetched when nothing else is left to do, and not applied, so that the next page has it at once. */}
				{"next" in styles && styles.next ? <link rel="stylesheet" href={styles.next} media="not all" /> : null}
			</head>
			<body>
				<header class="site screen">{layout.header}</header>
				<main data-as-of={layout.asOf as string | undefined}>{layout.main}</main>
				{footer ? <footer class="site screen">{footer}</footer> : null}
				{scripts.map((script) =>
					"file" in script ? <script type="module" src={script.file} /> : <script>{raw(script.text)}</script>,
				)}
			</body>
		</html>
	);
}

/** An HTML document for a registry at `origin`. It fetches only files of that registry, and runs only its own scripts. */
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
