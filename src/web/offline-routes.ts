/** The service worker (browser/offline.ts), and the one that removes it. */
import { newRoutes } from "../http/app-env.ts";
import { assetAt } from "./docs-routes.ts";
import { offlineScript } from "./scripts.ts";

/** Replaces an installed service worker, deletes all that it stored, and unregisters itself. */
const ENDING = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(caches.delete("seen").then(() => registration.unregister())));
`;

/** Mounted at /. Browsers ask for the worker again with every visit, so one that is switched off is removed at the next. */
export const offlineRoutes = newRoutes().get("/offline.js", async (c) => {
	const isOn = c.get("registry").settings.hasOfflinePages;
	const text = isOn ? await (await assetAt(c, offlineScript.file)).text() : ENDING;
	return c.body(text, 200, {
		"Content-Type": "text/javascript; charset=utf-8",
		"Cache-Control": "no-cache",
		"Content-Security-Policy": "default-src 'none'; connect-src 'self'",
	});
});
