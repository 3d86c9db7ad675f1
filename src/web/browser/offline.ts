/**
 * The service worker: what a courier has seen stays available without a network. It stores pages that say that they may be stored
 * (`data-as-of`, the sentence that they show then): the home page, `/list` with the last round, and the last addresses. The network
 * always comes first. No page of a private address may be stored.
 */

/** The parts of a service worker's world that this uses; the types of pages lack them. */
interface Worker {
	skipWaiting(): Promise<void>;
	clients: { claim(): Promise<void>; matchAll(): Promise<readonly { url: string }[]> };
	addEventListener(
		type: "install" | "activate",
		listener: (event: { waitUntil(work: Promise<unknown>): void }) => void,
	): void;
	addEventListener(
		type: "fetch",
		listener: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void,
	): void;
}

const worker = self as unknown as Worker;
const CACHE = "seen";
const PAGES_MAX = 102;
const MILLISECONDS_MAX = 72 * 3600 * 1000;
/** When a page was stored, in milliseconds since the epoch. */
const STORED_AT = "X-Kept-At";
/** Where the last round is stored, because the answer to a form has no URL of its own. */
const ROUND = "/list?round";

worker.addEventListener("install", () => worker.skipWaiting());
// The page that registered the worker was loaded without it. The browser still has that page, so this loads nothing.
worker.addEventListener("activate", (event) =>
	event.waitUntil(
		(async () => {
			await worker.clients.claim();
			for (const { url } of await worker.clients.matchAll()) {
				const key = keyOf("GET", url);
				if (key) await answer(new Request(url), key);
			}
		})(),
	),
);

/** The key under which the answer to a request for a page is stored; undefined if it never is. */
function keyOf(method: string, url: string): string | undefined {
	const { origin, pathname, searchParams } = new URL(url);
	if (origin !== location.origin) return undefined;
	if (method === "POST") return pathname === "/list" ? ROUND : undefined;
	const isOfLanguage = [...searchParams.keys()].every((name) => name === "lang");
	const isStored = method === "GET" && isOfLanguage && /^\/(list|a\/[A-Z]{2}\d{9})?$/.test(pathname);
	return isStored ? pathname : undefined;
}

/** Stores an answer if its page says so, and deletes what is too old or too much. */
async function store(cache: Cache, key: string, answer: Response): Promise<void> {
	const text = await answer.text();
	await cache.delete(key);
	if (!text.includes("<main data-as-of=")) return;
	const headers = new Headers(answer.headers);
	headers.set(STORED_AT, String(Date.now()));
	await cache.put(key, new Response(text, { headers }));
	const keys = await cache.keys();
	for (const [index, old] of keys.entries()) {
		if (index < keys.length - PAGES_MAX || !isFresh(await cache.match(old))) await cache.delete(old);
	}
}

function isFresh(page: Response | undefined): page is Response {
	return Date.now() - Number(page?.headers.get(STORED_AT)) < MILLISECONDS_MAX;
}

/** Deletes an address that is gone or became private, and the round that holds it. */
async function forget(cache: Cache, key: string): Promise<void> {
	await cache.delete(key);
	const round = await (await cache.match(ROUND))?.text();
	if (round?.includes(key.slice(3))) await cache.delete(ROUND);
}

/** A stored page, which says since when it has been stored. */
async function stored(cache: Cache, key: string): Promise<Response | undefined> {
	const page = await cache.match(key);
	if (!isFresh(page)) return undefined;
	const at = new Date(Number(page.headers.get(STORED_AT)));
	const isToday = at.toDateString() === new Date().toDateString();
	const time = at.toLocaleString("en-GB", {
		...(isToday ? {} : { day: "numeric", month: "numeric" }),
		...{ hour: "2-digit", minute: "2-digit" },
	});
	const text = (await page.text()).replace(
		/<main data-as-of="([^"]*)">/,
		(main, sentence: string) => `${main}<p class="kind" role="status">${sentence.replace("{time}", time)}</p>`,
	);
	return new Response(text, { headers: page.headers });
}

async function answer(request: Request, key: string): Promise<Response> {
	const cache = await caches.open(CACHE);
	try {
		const fetched = await fetch(request);
		if (fetched.status === 200) await store(cache, key, fetched.clone());
		else if ([403, 404, 410].includes(fetched.status)) await forget(cache, key);
		return fetched;
	} catch (error) {
		const page = (key === "/list" ? await stored(cache, ROUND) : undefined) ?? (await stored(cache, key));
		if (page) return page;
		throw error;
	}
}

worker.addEventListener("fetch", (event) => {
	const key = event.request.mode === "navigate" ? keyOf(event.request.method, event.request.url) : undefined;
	if (key) event.respondWith(answer(event.request, key));
});

export {};
