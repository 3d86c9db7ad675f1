import { Hono } from "hono";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { DOCS_CACHE_CONTROL, docsResponse } from "./docs-layout.tsx";
import { docsPage } from "./docs-page.tsx";
import { llmsText } from "./llms.ts";
import { apiDocument } from "./openapi.ts";
import { problemCode, problemList, problemPage, unknownProblem } from "./problem-pages.tsx";

/** What developers and their machines read. Mounted at /. */
export const docsRoutes = new Hono<AppEnv>()
	.get("/openapi.json", conditional, (c) =>
		c.json(apiDocument(webUrl(c)), 200, {
			"Cache-Control": DOCS_CACHE_CONTROL,
			"Cross-Origin-Resource-Policy": "cross-origin",
		}),
	)
	.get("/docs", conditional, (c) => docsResponse(c, docsPage(apiDocument(webUrl(c)), webUrl(c))))
	.get("/problems", conditional, (c) => docsResponse(c, problemList()))
	.get("/problems/:code", conditional, (c) => {
		const code = problemCode(c.req.param("code"));
		return docsResponse(c, code ? problemPage(code) : unknownProblem());
	})
	.get("/llms.txt", conditional, (c) => c.text(llmsText(webUrl(c)), 200, { "Cache-Control": DOCS_CACHE_CONTROL }));
