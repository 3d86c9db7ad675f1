/** Lets the service worker store pages that may be stored (offline.ts); elsewhere nothing is registered. */
export function keepOffline(): void {
	const mayStore = document.querySelector("main")?.dataset.asOf !== undefined;
	if (mayStore && "serviceWorker" in navigator) navigator.serviceWorker.register("/offline.js").catch(() => {});
}
