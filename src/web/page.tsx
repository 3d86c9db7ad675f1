import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../http/app-env.ts";
import { languages } from "../languages/languages.ts";
import { fill } from "../languages/template.ts";
import { isolated } from "../print/label-for-display.ts";
import { type Answered, htmlResponse, Icon, type Layout } from "./layout.tsx";
import { isStandIn, type Locale } from "./locale.ts";
import { LinkItems } from "./parts.tsx";
import { pageStyles } from "./styles.ts";

/** How long a page may be cached, in seconds, unless it says otherwise, as the page of an address does. */
const PAGE_SECONDS = 60;

/** Headers of every page for people. */
export const PAGE_HEADERS = { Vary: "Accept-Language" };

/** What a page for people may leave out. By default it is not indexed, has the usual styles, and is answered with 200. */
type Usual = Partial<
	Pick<Layout, "indexed" | "previewed" | "image" | "asOf" | "styles" | "scripts" | "policy"> & Answered
>;

/** A page for people, in their language. */
export interface Page extends Pick<Layout, "title" | "description" | "path">, Usual {
	locale: Locale;
	body: Child;
	/** Further parameters of the query that links to other languages carry. */
	carried?: Record<string, string>;
}

/** The language of the page, which unfolds links to the same page in each. */
export function LanguageChoice({ locale, carried }: { locale: Locale; carried: Record<string, string> }) {
	const { messages, language } = locale;
	return (
		<details>
			<summary>
				<svg viewBox="0 0 24 24" aria-hidden="true">
					<path d="M12 3a9 9 0 1 0 .1 0M3 12h18M12 3q-8 9 0 18 8-9 0-18" />
				</svg>
				<span class="unseen">{messages.chooseLanguage}: </span>
				{languages[language].name}
			</summary>
			<ul>
				{Object.entries(languages).map(([tag, { name }]) => (
					<li>
						<a
							href={`?${new URLSearchParams({ ...carried, lang: tag })}`}
							lang={tag}
							aria-current={tag === language ? "true" : undefined}
						>
							{name}
						</a>
					</li>
				))}
			</ul>
		</details>
	);
}

/** The head of every page: whose it is, and links to its parts. */
export function Masthead({
	home,
	sign = <Icon />,
	name,
	links,
}: {
	home: string;
	/** The icon, or the crest of the registry. */
	sign?: Child;
	name: string;
	links: Parameters<typeof LinkItems>[0]["links"];
}) {
	return (
		<>
			<a class="home" href={home}>
				{sign}
				<span>{name}</span>
			</a>
			{links.length > 0 ? (
				<nav>
					<ul>
						<LinkItems links={links} />
					</ul>
				</nav>
			) : null}
		</>
	);
}

/** The masthead of pages for people. It does not depend on who is signed in, so that public pages stay cacheable. */
export function SiteHeader({ locale, path }: { locale: Locale; path: string }) {
	const { messages, query, siteName, identity } = locale;
	return (
		<Masthead
			home={`/${query}`}
			sign={identity.crest ? <img src={`/crest/${identity.crest}`} alt="" width="28" height="28" /> : undefined}
			name={siteName}
			links={[
				[`/${query}`, messages.find, path === "/"],
				[`/my${query}`, messages.mine, path.startsWith("/my")],
			]}
		/>
	);
}

/** The foot of every page: who runs the registry, what it says about itself, and the languages. */
function SiteFooter({ locale, carried }: { locale: Locale; carried: Record<string, string> }) {
	const { messages, query, identity } = locale;
	const links = [
		[identity.privacyUrl ?? `/privacy${query}`, messages.privacy],
		[`/help${query}`, messages.helpTitle],
		[`/about${query}`, messages.aboutTitle],
		["/docs", "API"],
	] as const;
	return (
		<>
			{identity.operatorName ? <p>{fill(messages.runBy, { name: isolated(identity.operatorName) })}</p> : null}
			<ul>
				<LinkItems links={links} />
			</ul>
			<LanguageChoice locale={locale} carried={carried} />
		</>
	);
}

/** The layout of a page for people. */
export function pageLayout({ locale, body, carried = {}, policy = [], ...page }: Page): Layout {
	return {
		indexed: false,
		styles: pageStyles,
		scripts: [],
		...page,
		language: locale.language,
		siteName: locale.siteName,
		header: <SiteHeader locale={locale} path={page.path} />,
		main: body,
		footer: <SiteFooter locale={locale} carried={carried} />,
		policy: ["form-action 'self'", ...policy],
	};
}

/** Answers a page for people. */
export function pageResponse(c: Context<AppEnv>, page: Page): Response {
	const { status = 200 } = page;
	const headers = {
		...PAGE_HEADERS,
		"Cache-Control": status === 200 ? `public, max-age=${PAGE_SECONDS}, s-maxage=${PAGE_SECONDS}` : "no-store",
		...page.headers,
		...(isStandIn(page.locale) ? { "Cache-Control": "no-store" } : {}),
	};
	return htmlResponse(c, pageLayout(page), { status, headers });
}
