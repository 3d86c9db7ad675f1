import { conditional } from "../http/conditional.ts";
import { newRoutes } from "../http/routes.ts";
import { CodeField } from "./code-field.tsx";
import { localeOf } from "./locale.ts";
import { pageResponse } from "./page.tsx";
import { codeFieldScript } from "./scripts.ts";

/** Mounted at /. */
export const homeRoutes = newRoutes().get("/", conditional, async (c) => {
	const locale = await localeOf(c);
	const { messages } = locale;
	return pageResponse(c, {
		locale,
		title: messages.siteName,
		description: `${messages.what.title} ${messages.what.text}`,
		path: "/",
		indexed: true,
		scripts: [codeFieldScript],
		body: (
			<>
				<section>
					<h1>{messages.what.title}</h1>
					<p>{messages.what.text}</p>
				</section>
				<section>
					<CodeField locale={locale} />
				</section>
				<p>
					<a href="/docs">{messages.forDevelopers}</a>
				</p>
			</>
		),
	});
});
