import { Hono } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { codeCheckScript } from "./code-check-script.ts";
import { CodeField } from "./code-field.tsx";
import { pageResponse, speechOf } from "./document.tsx";

/** Mounted at /. */
export const homeRoutes = new Hono<AppEnv>().get("/", conditional, (c) => {
	const speech = speechOf(c);
	const { say } = speech;
	return pageResponse(c, {
		speech,
		title: say.siteName,
		description: `${say.what.title} ${say.what.text}`,
		path: "/",
		indexed: true,
		scripts: [codeCheckScript],
		body: (
			<>
				<section>
					<h1>{say.what.title}</h1>
					<p>{say.what.text}</p>
				</section>
				<section>
					<CodeField speech={speech} />
				</section>
				<p>
					<a href="/docs">{say.forDevelopers}</a>
				</p>
			</>
		),
	});
});
