/** The service worker (browser/offline.ts), and the one that ends it. */
import { newRoutes } from "../http/app-env.ts";
import { assetAt } from "./docs-routes.ts";
import { offlineScript } from "./scripts.ts";

/** Takes the place of a worker that was there, deletes all that it stored, and leaves. */
const ENDING = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(caches.delete("seen").then(() => registration.unregister())));
`;

/** Mounted at /. Browsers ask for the worker again with every visit, so that one that is switched off leaves at the next. */
export const offlineRoutes = newRoutes().get("/offline.js", async (c) => {
	const isOn = c.get("registry").settings.hasOfflinePages;
	const text = isOn ? await (await assetAt(c, offlineScript.file)).text() : ENDING;
	return c.body(text, 200, {
		"Content-Type": "text/javascript; charset=utf-8",
		"Cache-Control": "no-cache",
		"Content-Security-Policy": "default-src 'none'; connect-src 'self'",
	});
});
