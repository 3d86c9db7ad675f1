import { Hono } from "hono";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { docsPage } from "./docs-page.tsx";
import { llmsText } from "./llms.ts";
import { apiDocument } from "./openapi.ts";
import { problemCode, problemList, problemPage, unknownProblem } from "./problem-pages.tsx";
import { DOCUMENT_CACHE_CONTROL, referenceResponse } from "./reference.tsx";

/** The documents, for developers and their machines. Mounted at /. */
export const documentRoutes = new Hono<AppEnv>()
	.get("/openapi.json", conditional, (c) =>
		c.json(apiDocument(webUrl(c)), 200, {
			"Cache-Control": DOCUMENT_CACHE_CONTROL,
			"Cross-Origin-Resource-Policy": "cross-origin",
		}),
	)
	.get("/docs", conditional, (c) => referenceResponse(c, docsPage(apiDocument(webUrl(c)), webUrl(c))))
	.get("/problems", conditional, (c) => referenceResponse(c, problemList()))
	.get("/problems/:code", conditional, (c) => {
		const code = problemCode(c.req.param("code"));
		return referenceResponse(c, code ? problemPage(code) : unknownProblem());
	})
	.get("/llms.txt", conditional, (c) => c.text(llmsText(webUrl(c)), 200, { "Cache-Control": DOCUMENT_CACHE_CONTROL }));
