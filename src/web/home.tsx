import { raw } from "hono/html";
import { DEMO_CODE } from "../codes/demo.ts";
import { newRoutes } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { plateSvg } from "../print/plate.ts";
import { CodeField } from "./code-field.tsx";
import { inline } from "./inline.ts";
import { localeOf } from "./locale.ts";
import { pageResponse } from "./page.tsx";
import { HOUSE_PICTURE, Illustration, Way } from "./parts.tsx";
import { codeFieldScript } from "./scripts.ts";
import { pageStyles } from "./styles.ts";

const homeStyles = inline(`${pageStyles.text}
.start{border:0;background:none;padding:0}
.start .first{min-height:3.5rem;margin-top:1rem;font-size:1.0625rem}
.start .plate{margin-top:1rem;max-width:24rem}
@media(min-width:40rem){.start{display:grid;grid-template-columns:1fr 18rem;column-gap:2rem}.start>*{grid-column:1}.start .first{width:fit-content;min-width:14rem}.start .plate{grid-area:1/2/4;margin-top:.25rem}}
.ways{display:grid;grid-template-columns:repeat(auto-fit,minmax(5.25rem,1fr));gap:.75rem;padding:0;margin:0 0 1rem;list-style:none;font-size:.9375rem;line-height:1.35}
.ways svg{display:block;width:100%;max-width:6rem;height:4rem;margin-bottom:.375rem;fill:var(--accent)}
`);

/** Three pictures, of a door, a gate with its plate, and somebody on the way. */
const PICTURES = [
	HOUSE_PICTURE,
	'<path d="M4 46V10h4v36zm60 0V10h4v36zM8 18h16v3H8zm40 0h16v3H48zM8 40h16v3H8zm40 0h16v3H48z"/><rect x="20" y="22" width="32" height="13" rx="2"/>',
	'<path d="M4 38V20h34v18h-2a6 6 0 0 0-12 0h-8a6 6 0 0 0-12 0zm36-14h12l8 8v6h-4a6 6 0 0 0-12 0h-4z"/><circle cx="10" cy="39" r="4"/><circle cx="50" cy="39" r="4"/><path d="M19 24h4v3h3v4h-3v3h-4v-3h-3v-4h3z" fill="var(--ground)"/>',
];

/** Mounted at /. */
export const homeRoutes = newRoutes().get("/", conditional, async (c) => {
	const locale = await localeOf(c);
	const { messages, query, siteName } = locale;
	return pageResponse(c, {
		locale,
		title: siteName,
		description: `${messages.what.title} ${messages.what.text}`,
		path: "/",
		indexed: true,
		asOf: locale.asOf,
		styles: homeStyles,
		scripts: [codeFieldScript],
		body: (
			<>
				<section class="start">
					<h1>{messages.what.title}</h1>
					<p>{messages.what.text}</p>
					<a class="button first" href={`/my/new${query}`}>
						{messages.getMine}
					</a>
					{raw(plateSvg(DEMO_CODE))}
				</section>
				<div>
					<ol class="ways">
						{messages.ways.map((text, index) => (
							<li>
								<Illustration of={PICTURES[index] ?? ""} />
								{text}
							</li>
						))}
					</ol>
					<section>
						<h2>{messages.findTitle}</h2>
						<CodeField locale={locale} />
						<Way to={`/list${query}`} text={messages.list.title} />
					</section>
				</div>
			</>
		),
	});
});
