import type { Context } from "hono";
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { ICON } from "./document.tsx";
import { contentSecurityPolicy, type Inline, inline } from "./inline.ts";
import { palette } from "./styles.ts";

/** Documents change with a deployment, which empties the shared cache: ages in seconds. */
export const DOCUMENT_CACHE_CONTROL = "public, max-age=300, s-maxage=3600";

const styles = inline(`${palette}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;overflow-wrap:anywhere}
header,main{max-width:52rem;margin:auto;padding:.5rem 1rem}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
h1{font-size:1.75rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.375rem;margin:2.5rem 0 .5rem}
h3{font-size:1.0625rem;margin:0 0 .5rem}
p,ul,pre,dl,table{margin:0 0 .75rem}
ul{padding-left:1.25rem}
nav ul{padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem}
article{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.125rem;margin:0 0 1rem}
article>:last-child{margin-bottom:0}
code,pre,output,textarea,input{font-family:ui-monospace,"Cascadia Mono","Roboto Mono","DejaVu Sans Mono",monospace;font-size:.875rem}
pre,output{display:block;background:var(--ground);border:1px solid var(--line);border-radius:.5rem;padding:.625rem .75rem;overflow:auto;white-space:pre-wrap}
output{max-height:24rem;margin-bottom:.75rem}
output:empty{display:none}
.method{display:inline-block;min-width:3.75rem;font-weight:700;color:var(--accent);text-transform:uppercase}
.soft,dd{color:var(--soft)}
dd{margin:0 0 .375rem}
label{display:block;margin:0 0 .5rem}
input,textarea{display:block;width:100%;margin-top:.25rem;padding:.5rem .625rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--ground);color:var(--text)}
button{min-height:2.75rem;padding:.375rem 1.25rem;margin:0 0 .75rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;cursor:pointer}
`);

export interface ReferencePage {
	title: string;
	description: string;
	/** Path of the page, without a query. */
	path: string;
	body: Child;
	script?: Inline;
	status?: 200 | 404;
}

function Reference({ page, origin }: { page: ReferencePage; origin: string }) {
	return (
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<title>{page.title}</title>
				<meta name="description" content={page.description} />
				<link rel="canonical" href={origin + page.path} />
				<link rel="icon" href={ICON} />
				<style>{raw(styles.text)}</style>
			</head>
			<body>
				<header>
					<nav aria-label="Site">
						<ul>
							<li>
								<a href="/">Home</a>
							</li>
							<li>
								<a href="/docs">API</a>
							</li>
							<li>
								<a href="/problems">Errors</a>
							</li>
							<li>
								<a href="/openapi.json">OpenAPI</a>
							</li>
						</ul>
					</nav>
				</header>
				<main>{page.body}</main>
				{page.script ? <script>{raw(page.script.text)}</script> : null}
			</body>
		</html>
	);
}

/** Answers a page for developers: one response that fetches nothing, and whose script may call this registry alone. */
export function referenceResponse(c: Context<AppEnv>, page: ReferencePage): Response {
	const { status = 200, script } = page;
	return c.html(`<!DOCTYPE html>${<Reference page={page} origin={webUrl(c)} />}`, status, {
		"Content-Language": "en",
		"Cache-Control": status === 200 ? DOCUMENT_CACHE_CONTROL : "no-store",
		"Content-Security-Policy": contentSecurityPolicy(styles, script ? [script] : [], [
			...(script ? ["connect-src 'self'"] : []),
			"form-action 'none'",
		]),
	});
}

/** Text with `code` between backticks. */
export function Prose({ text }: { text: string }) {
	return <>{text.split("`").map((part, index) => (index % 2 ? <code>{part}</code> : part))}</>;
}
