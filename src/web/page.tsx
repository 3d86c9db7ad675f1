import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../http/app-env.ts";
import type { Inline } from "./inline.ts";
import { languages } from "./languages.ts";
import { type Answered, htmlResponse, Icon, type Layout } from "./layout.tsx";
import { isStandIn, type Locale } from "./locale.ts";
import { pageStyles } from "./styles.ts";

/** How long a page may be cached, in seconds, unless it says otherwise, as the page of an address does. */
const PAGE_SECONDS = 60;

/** What every page for people is answered with. */
export const PAGE_HEADERS = { Vary: "Accept-Language" };

/** A page for people, in their language. */
export interface Page extends Pick<Layout, "title" | "description" | "path"> {
	locale: Locale;
	body: Child;
	scripts?: Inline[];
	/** For pages that look different from the rest. */
	styles?: Inline;
	/** Whether search engines may list the page; not when unset. */
	indexed?: boolean;
	status?: NonNullable<Answered["status"]>;
	headers?: Record<string, string>;
}

/** Links to the same page in every language. They work without a script. */
function LanguageSwitcher({ locale }: { locale: Locale }) {
	return (
		<nav aria-label={locale.messages.chooseLanguage}>
			<ul>
				{Object.entries(languages).map(([tag, { name, direction }]) => (
					<li>
						<a
							href={`?lang=${tag}`}
							hreflang={tag}
							lang={tag}
							dir={direction}
							aria-current={tag === locale.language ? "true" : undefined}
						>
							{name}
						</a>
					</li>
				))}
			</ul>
		</nav>
	);
}

/** The ways to the parts of the site. They do not depend on who is signed in, so that public pages stay cacheable. */
function SiteNavigation({ locale: { messages, query } }: { locale: Locale }) {
	const links = [
		["/", messages.find],
		["/my/new", messages.create],
		["/my", messages.mine],
	] as const;
	return (
		<nav class="site">
			<ul>
				{links.map(([path, name]) => (
					<li>
						<a href={path + query}>{name}</a>
					</li>
				))}
			</ul>
		</nav>
	);
}

/** What every page begins with: the registry's name, and the ways to its parts. */
export function SiteHeader({ locale }: { locale: Locale }) {
	return (
		<>
			<a class="home" href={`/${locale.query}`}>
				<Icon />
				{locale.messages.siteName}
			</a>
			<SiteNavigation locale={locale} />
		</>
	);
}

/** The layout of a page for people. */
export function pageLayout(page: Page): Layout {
	const { locale, title, description, path, body, scripts = [], styles = pageStyles } = page;
	const { language, messages } = locale;
	return {
		language,
		siteName: messages.siteName,
		title,
		description,
		path,
		indexed: page.indexed ?? false,
		header: <SiteHeader locale={locale} />,
		main: body,
		footer: <LanguageSwitcher locale={locale} />,
		styles,
		scripts,
		policy: ["form-action 'self'"],
	};
}

/** Answers a page for people. */
export function pageResponse(c: Context<AppEnv>, page: Page): Response {
	const { status = 200 } = page;
	const headers = {
		...PAGE_HEADERS,
		"Cache-Control": status === 200 ? `public, max-age=${PAGE_SECONDS}` : "no-store",
		...page.headers,
		...(isStandIn(page.locale) ? { "Cache-Control": "no-store" } : {}),
	};
	return htmlResponse(c, pageLayout(page), { status, headers });
}
