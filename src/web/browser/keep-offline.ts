/** Registers the service worker (offline.ts) on pages that may be stored, and only there. */
export function keepOffline(): void {
	const mayStore = document.querySelector("main")?.dataset.asOf !== undefined;
	if (mayStore && "serviceWorker" in navigator) navigator.serviceWorker.register("/offline.js").catch(() => {});
}
