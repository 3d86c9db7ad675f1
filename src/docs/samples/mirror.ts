/** Keeps a copy of all addresses in a file: from a snapshot the first time, and then by what has changed since. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const { REGISTRY = "", KEY = "", COPY = "addresses.json" } = process.env;

interface Copy {
	cursor: string;
	addresses: { [code: string]: { canonical: string; lat: number; lng: number; label: string } };
}

async function get(url: string): Promise<Response> {
	const headers = { Authorization: `Api-Key ${KEY}` };
	const answer = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
	// Too many calls in this minute, or a snapshot that is being made.
	if (answer.status === 429 || answer.status === 503) {
		await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get("Retry-After") ?? 60)));
		return get(url);
	}
	if (!answer.ok && answer.status !== 410) throw new Error(await answer.text());
	return answer;
}

const readLines = (text: string) =>
	text
		.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line));

async function loadSnapshot(): Promise<Copy> {
	const manifest = await (await get(`${REGISTRY}/v1/snapshots/latest`)).json();
	const { cursor, parts } = manifest as { cursor: string; parts: { url: string; sha256: string }[] };
	const addresses: Copy["addresses"] = {};
	for (const { url, sha256 } of parts) {
		const answer = await get(url);
		// The part has been written anew under another name, which the list has.
		if (answer.status === 410) return loadSnapshot();
		const file = Buffer.from(await answer.arrayBuffer());
		if (createHash("sha256").update(file).digest("hex") !== sha256)
			throw new Error(`${url} is damaged. Run this again.`);
		for (const address of readLines(gunzipSync(file).toString())) addresses[address.canonical] = address;
	}
	return { cursor, addresses };
}

let copy: Copy = existsSync(COPY) ? JSON.parse(readFileSync(COPY, "utf8")) : await loadSnapshot();
for (let hasMore = true; hasMore; ) {
	const answer = await get(`${REGISTRY}/v1/changes?after=${copy.cursor}`);
	if (answer.status === 410) {
		copy = await loadSnapshot();
		continue;
	}
	for (const { code, kind, address } of readLines(await answer.text())) {
		console.log(kind, code);
		if (address) copy.addresses[code] = address;
		else delete copy.addresses[code];
	}
	copy.cursor = answer.headers.get("Next-Cursor") ?? copy.cursor;
	hasMore = answer.headers.has("Link");
}

// The cursor and what it stands for are written together.
writeFileSync(`${COPY}.part`, JSON.stringify(copy));
renameSync(`${COPY}.part`, COPY);
console.log(`${Object.keys(copy.addresses).length} addresses`);
