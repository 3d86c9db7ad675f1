/** Lets the service worker keep pages that may be kept (offline.ts); elsewhere nothing is registered. */
export function keepOffline(): void {
	const mayKeep = document.querySelector("main")?.dataset.asOf !== undefined;
	if (mayKeep && "serviceWorker" in navigator) navigator.serviceWorker.register("/offline.js").catch(() => {});
}
