import type { Child } from "hono/jsx";
import docsTools from "../../dist/browser/docs-tools.inline.js";
import { en } from "../languages/messages-en.ts";
import { type Inline, inline, type ScriptFile } from "../web/inline.ts";
import { htmlHeaders, htmlText, type Layout } from "../web/layout.tsx";
import { localeIn } from "../web/locale.ts";
import { SiteHeader } from "../web/page.tsx";
import { frameStyles } from "../web/styles.ts";

const styles = inline(`${frameStyles}
@media(scripting:enabled){label[hidden],#credentials[hidden]{display:block!important}button[hidden]{display:inline-block!important}}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;overflow-wrap:anywhere}
footer{max-width:65rem;margin:auto;padding:.5rem 1rem}
.pages>*{min-width:0}
.pages>nav ul{padding:0;margin:0;list-style:none;display:flex;flex-wrap:wrap;gap:0 min(1.125rem,3vw)}
@media(min-width:60rem){.pages{display:grid;grid-template-columns:15rem 1fr;gap:2.5rem}.pages>nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto}.pages>nav ul{display:block}.pages>nav ul ul{padding-left:1rem}}
@media(max-width:60rem){.pages>nav ul ul{display:none}}
.pages [aria-current]{font-weight:700}
.copy{float:right;position:relative;min-height:2rem;padding:0 .75rem;margin:.375rem;border:0;background:var(--own);color:var(--accent);font-size:.9375rem}
h1{font-size:1.75rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.375rem;margin:2rem 0 .5rem}
h3,article h2{font-size:1.0625rem;margin:0 0 .5rem}
p,ul,pre,dl,table{margin:0 0 .75rem}
ul{padding-left:1.25rem}
.pages>nav a{display:inline-flex;align-items:center;min-height:2.75rem;font-size:.9375rem}
article{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.125rem;margin:0 0 1rem}
article>:last-child{margin-bottom:0}
code,pre,output,textarea,input{font-family:ui-monospace,"Cascadia Mono","Roboto Mono","DejaVu Sans Mono",monospace;font-size:.9375rem}
pre,output{display:block;background:var(--ground);border:1px solid var(--line);border-radius:.5rem;padding:.625rem .75rem;white-space:pre-wrap}
output{max-height:24rem;overflow:auto;margin-bottom:.75rem}
output:empty{display:none}
.wide{overflow-x:auto;margin:0 0 .75rem}
table{border-collapse:collapse;min-width:100%;margin:0}
th,td{border:1px solid var(--line);padding:.375rem .625rem;text-align:start;vertical-align:top}
th{background:var(--card)}
td{min-width:8rem}
.method{display:inline-block;min-width:3.75rem;font-weight:700;color:var(--accent);text-transform:uppercase}
small{font-size:.9375rem}
.soft,dd{color:var(--soft)}
dd{margin:0 0 .375rem}
label{display:block;margin:0 0 .5rem}
input,textarea{display:block;width:100%;margin-top:.25rem;padding:.5rem .625rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--ground);color:var(--text)}
::placeholder{color:var(--soft);opacity:1}
button{min-height:2.75rem;padding:.375rem 1.25rem;margin:0 0 .75rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
`);

/** Searches the documentation and copies samples. */
const toolsScript = inline(docsTools);

/** The locale of these pages. They are the same in every registry, so they do not name an operator. */
const english = localeIn({ asked: "en", query: "" }, "en", en, {});

/** A page for developers, in English. */
export interface DocsPage extends Pick<Layout, "title" | "description" | "path"> {
	body: Child;
	scripts?: (Inline | ScriptFile)[];
	/** Entries of the side navigation beside those that every page has. */
	side?: Child;
}

/** The text of a page for developers in a registry at `origin`, and its headers. Its scripts may call only this registry. */
export function docsHtml(page: DocsPage, origin: string): { text: string; headers: Record<string, string> } {
	const { title, description, path, body, scripts = [], side } = page;
	const layout: Layout = {
		language: "en",
		siteName: english.siteName,
		title,
		description,
		path,
		indexed: true,
		header: <SiteHeader locale={english} path={path} />,
		main: (
			<div class="pages">
				<nav aria-label="Documentation">
					<label hidden>
						Search
						<input type="search" id="search" autocomplete="off" />
					</label>
					<ul id="found" aria-live="polite" />
					<ul>
						<li>
							<a href="/docs">API</a>
						</li>
						{side}
						<li>
							<a href="/docs/guides">Guides</a>
						</li>
						<li>
							<a href="/problems">Errors</a>
						</li>
						<li>
							<a href="/openapi.json">OpenAPI</a>
						</li>
						<li>
							<a href="/docs/changelog">Changelog</a>
						</li>
					</ul>
				</nav>
				<div>{body}</div>
			</div>
		),
		footer: (
			<p class="soft">
				Zones, places and regions contain data from <a href="https://www.geonames.org/">GeoNames</a> and{" "}
				<a href="https://simplemaps.com/data/world-cities">SimpleMaps</a>,{" "}
				<a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>, and lines from{" "}
				<a href="https://www.naturalearthdata.com/">Natural Earth</a>. Some lines between regions are{" "}
				<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap contributors</a>,{" "}
				<a href="https://opendatacommons.org/licenses/odbl/1-0/">ODbL</a>.{" "}
				<a href="/docs/guides/third-party">Everything that others have made</a>
			</p>
		),
		styles,
		scripts: [toolsScript, ...scripts],
		policy: ["connect-src 'self'", "form-action 'none'"],
	};
	return { text: htmlText(layout, origin), headers: htmlHeaders(layout) };
}

/** Text with `code` between backticks. */
export function Prose({ text }: { text: string }) {
	return <>{text.split("`").map((part, index) => (index % 2 ? <code>{part}</code> : part))}</>;
}
