import type { HonoBase } from "hono/hono-base";
import type { AppEnv } from "./http/app-env.ts";
import { giveRoutes } from "./my/give/routes.tsx";
import { consoleRoutes } from "./my/routes.tsx";
import { operatorRoutes } from "./operate/pages/routes.tsx";
import { aboutRoutes } from "./web/about-pages.tsx";
import { addressPages } from "./web/address-pages.tsx";
import { listRoutes } from "./web/courier-list.tsx";
import { docsRoutes } from "./web/docs-routes.ts";
import { homeRoutes } from "./web/home.tsx";
import { mcpRoutes } from "./web/mcp.ts";
import { offlineRoutes } from "./web/offline-routes.ts";
import { reportRoutes } from "./web/report-pages.tsx";
import { wellKnownRoutes } from "./web/well-known.ts";

export { unknownPage } from "./web/address-pages.tsx";

/** Adds all routes for people. src/app.ts calls it before the first request for any of them. */
export function addPages(app: HonoBase<AppEnv>): void {
	// Before the pages of addresses, which take every path below /a.
	app.route("/", reportRoutes);
	app.route("/a", addressPages);
	app.route("/my", consoleRoutes);
	app.route("/give", giveRoutes);
	app.route("/operate", operatorRoutes);
	app.route("/", docsRoutes);
	app.route("/", mcpRoutes(app.fetch));
	app.route("/", wellKnownRoutes);
	app.route("/", offlineRoutes);
	app.route("/", homeRoutes);
	app.route("/", listRoutes);
	app.route("/", aboutRoutes);
}
