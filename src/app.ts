import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { methodNotAllowed } from "hono/method-not-allowed";
import { accountRoutes } from "./accounts/routes.ts";
import { addressPages, unknownPage } from "./addresses/page-routes.tsx";
import { addressRoutes, publicAddressRoutes } from "./addresses/routes.ts";
import { readConfig } from "./env.ts";
import { AppError } from "./errors.ts";
import type { AppEnv } from "./http/app-env.ts";
import { noStore } from "./http/authentication.ts";
import { openToBrowsers } from "./http/cors.ts";
import { problemResponse } from "./http/problem.ts";
import { limitAuthCalls } from "./http/rate-limit.ts";
import { requestLog } from "./http/request-log.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { keyRoutes } from "./keys/routes.ts";
import { verificationRoutes } from "./verification/routes.ts";
import { documentRoutes } from "./web/document-routes.tsx";
import { homeRoutes } from "./web/home.tsx";
import { zoneRoutes } from "./zones/routes.ts";

/** The whole service on one screen: what every request passes, and what answers where. A path answers with and without its last slash. */
export const app = new Hono<AppEnv>({ strict: false });

app.use(requestLog);
app.use(securityHeaders);
for (const path of ["/v1/*", "/healthz", "/openapi.json"]) app.use(path, openToBrowsers);
app.use(
	methodNotAllowed({
		app,
		onMethodNotAllowed: (c, methods) =>
			problemResponse(
				new AppError("METHOD_NOT_ALLOWED", `Use ${methods.join(" or ")} here.`, {
					headers: { Allow: methods.join(", ") },
				}),
				c,
			),
	}),
);

app.use(async (c, next) => {
	c.set("config", readConfig(c.env));
	await next();
});

app.get("/healthz", (c) => c.json({ status: "ok" }, 200, { "Cache-Control": "no-store" }));
app.use("/v1/auth/*", limitAuthCalls, noStore);
app.route("/v1/auth", accountRoutes);
app.route("/v1/auth", verificationRoutes);
app.route("/v1/addresses", addressRoutes);
app.route("/v1/keys", keyRoutes);
app.route("/v1/public/addresses", publicAddressRoutes);
app.route("/v1/public/zones", zoneRoutes);
app.route("/a", addressPages);
app.route("/", documentRoutes);
app.route("/", homeRoutes);

app.notFound((c) => {
	const wanted = accepts(c, {
		header: "Accept",
		supports: ["application/problem+json", "application/json", "text/html"],
		default: "application/problem+json",
	});
	return wanted === "text/html" && !/^\/v1(\/|$)/.test(c.req.path)
		? unknownPage(c)
		: problemResponse(new AppError("NOT_FOUND", "No endpoint has this path. The endpoints are listed at /docs."), c);
});
app.onError((error, c) => problemResponse(error, c));
