import type { FuzzRequest } from "./send.ts";

/** Fewer tries than this, so that a failure that comes and goes ends too. */
const TRIES_MAX = 120;

function* smallerTexts(text: string): Generator<string> {
	for (let part = Math.floor(text.length / 2); part >= 1; part = Math.floor(part / 4)) {
		for (let from = 0; from < text.length && from < part * 8; from += part)
			yield text.slice(0, from) + text.slice(from + part);
	}
}

function* smallerBodies(body: string): Generator<string> {
	let value: unknown;
	try {
		value = JSON.parse(body);
	} catch {
		yield* smallerTexts(body);
		return;
	}
	if (typeof value !== "object" || value === null || Array.isArray(value)) return;
	for (const name of Object.keys(value)) {
		yield JSON.stringify(Object.fromEntries(Object.entries(value).filter(([field]) => field !== name)));
	}
}

function* smallerRequests(request: FuzzRequest): Generator<FuzzRequest> {
	const { headers, target, body } = request;
	for (const at of headers.keys()) yield { ...request, headers: headers.filter((_, index) => index !== at) };
	const [path = "", query] = target.split("?");
	if (query !== undefined) {
		yield { ...request, target: path };
		const parts = query.split("&");
		for (const at of parts.keys())
			yield { ...request, target: `${path}?${parts.filter((_, index) => index !== at).join("&")}` };
	}
	if (body !== undefined) {
		yield { ...request, body: undefined };
		for (const smaller of smallerBodies(body)) yield { ...request, body: smaller };
	}
}

/** The smallest request, by leaving parts out one at a time, that still fails. */
export async function shrink(
	request: FuzzRequest,
	fails: (candidate: FuzzRequest) => Promise<boolean>,
): Promise<FuzzRequest> {
	let smallest = request;
	let tries = 0;
	for (let shrunk = true; shrunk && tries < TRIES_MAX; ) {
		shrunk = false;
		for (const candidate of smallerRequests(smallest)) {
			tries += 1;
			if (tries > TRIES_MAX) break;
			if (await fails(candidate)) {
				smallest = candidate;
				shrunk = true;
				break;
			}
		}
	}
	return smallest;
}
