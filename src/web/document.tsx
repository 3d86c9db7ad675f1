import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { dictionary } from "./dictionary.ts";
import { contentSecurityPolicy, type Inline } from "./inline.ts";
import { chooseLanguage, type Language, languages } from "./languages.ts";
import type { Messages } from "./messages-en.ts";
import { pageStyles } from "./styles.ts";

/** How long a page may be kept, in seconds, unless it says otherwise, as the page of an address does. */
const PAGE_SECONDS = 60;

const ICON_PATH =
	"M12 2a7 7 0 0 0-7 7c0 5.2 7 13 7 13s7-7.8 7-13a7 7 0 0 0-7-7zm0 9.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5z";
export const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0b7a6b" d="${ICON_PATH}"/></svg>`)}`;

/** The language a page is asked in, what it says in it, and how its links keep it. */
export interface Speech {
	language: Language;
	say: Messages;
	/** `?lang=xx` when the language was asked for by name, else nothing: the browser's choice then holds on the next page too. */
	query: string;
}

export function speechOf(c: Context<AppEnv>): Speech {
	const asked = c.req.query("lang");
	const language = chooseLanguage(asked, c.req.header("Accept-Language"));
	return { language, say: dictionary[language], query: asked === undefined ? "" : `?lang=${language}` };
}

export interface PageParts {
	speech: Speech;
	title: string;
	description: string;
	/** Path of the page as others should know it, without a query. */
	path: string;
	body: Child;
	/** Scripts that only add comfort. */
	scripts?: Inline[];
	/** For pages laid out otherwise than the rest. */
	styles?: Inline;
	/** Whether the page is for search engines. */
	indexed?: boolean;
	status?: 200 | 400 | 404 | 410 | 429 | 500 | 503;
	headers?: Record<string, string>;
}

/** Links to the same page in every language; work without a script. */
function LanguageSwitcher({ speech }: { speech: Speech }) {
	return (
		<nav aria-label={speech.say.chooseLanguage}>
			<ul>
				{Object.entries(languages).map(([tag, { name, direction }]) => (
					<li>
						<a
							href={`?lang=${tag}`}
							hreflang={tag}
							lang={tag}
							dir={direction}
							aria-current={tag === speech.language ? "true" : undefined}
						>
							{name}
						</a>
					</li>
				))}
			</ul>
		</nav>
	);
}

function Document({ parts, url }: { parts: PageParts; url: string }) {
	const { speech, title, description, indexed, scripts = [], styles = pageStyles } = parts;
	const { language, say, query } = speech;
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
				<meta property="og:site_name" content={say.siteName} />
				<meta property="og:title" content={title} />
				<meta property="og:description" content={description} />
				<meta property="og:url" content={url} />
				<meta property="og:locale" content={language} />
				<style>{raw(styles.text)}</style>
			</head>
			<body>
				<header class="screen">
					<a class="home" href={`/${query}`}>
						<svg viewBox="0 0 24 24" aria-hidden="true">
							<path d={ICON_PATH} />
						</svg>
						{say.siteName}
					</a>
				</header>
				<main>{parts.body}</main>
				<footer class="screen">
					<LanguageSwitcher speech={speech} />
				</footer>
				{scripts.map(({ text }) => (
					<script>{raw(text)}</script>
				))}
			</body>
		</html>
	);
}

/** Answers a page for people: one response, complete in itself. */
export function pageResponse(c: Context<AppEnv>, parts: PageParts): Response {
	const { speech, scripts = [], styles = pageStyles, status = 200, headers = {} } = parts;
	const url = webUrl(c) + parts.path;
	return c.html(`<!DOCTYPE html>${<Document parts={parts} url={url} />}`, status, {
		"Content-Language": speech.language,
		Vary: "Accept-Language",
		"Cache-Control": status === 200 ? `public, max-age=${PAGE_SECONDS}` : "no-store",
		"Content-Security-Policy": contentSecurityPolicy(styles, scripts, ["form-action 'self'"]),
		...headers,
	});
}
