import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, json, LAGOS, mint, signUp } from "../support/client.ts";

const KEY = "world.zones";

/** Puts another object in the index's place, under which the Worker's memory of the old one no longer counts. */
async function replaceIndex(change: (bytes: Uint8Array) => Uint8Array | undefined): Promise<void> {
	const bytes = change(new Uint8Array(env.TEST_ZONES.slice(0)));
	if (bytes) await env.ZONES.put(KEY, bytes);
	else await env.ZONES.delete(KEY);
}

afterEach(async () => {
	vi.restoreAllMocks();
	await env.ZONES.put(KEY, env.TEST_ZONES);
});

describe("while the zone index is", () => {
	it.each<[string, string, (bytes: Uint8Array) => Uint8Array | undefined]>([
		["missing", "missing", () => undefined],
		["empty", "truncated", () => new Uint8Array()],
		["cut short", "truncated", (bytes) => bytes.slice(0, 5000)],
		["another file", "not_a_zone_index", (bytes) => bytes.fill(0x20)],
		["corrupt", "corrupt", (bytes) => bytes.fill(0xff, 40, 60)],
		["of a newer format", "unsupported_version", (bytes) => bytes.fill(99, 8, 9)],
	])("%s, the copy in the deployment serves, and the log names why", async (_, reason, change) => {
		const { access } = await signUp();
		const { canonical } = await mint(access, LAGOS);
		await replaceIndex(change);
		const log = vi.spyOn(console, "error");
		// A bucket of its own by identity, so that the index is opened anew whatever this isolate has read before.
		const ZONES = {
			get: (...args: Parameters<R2Bucket["get"]>) => env.ZONES.get(...args),
			head: (key: string) => env.ZONES.head(key),
		} as R2Bucket;
		const body = { lat: -41.2866, lng: 174.7756 };
		const minted = await json(call("/v1/addresses", { method: "POST", token: access, body, settings: { ZONES } }), 201);
		expect(minted.country).toBe("NZ");
		const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string; reason: string });
		expect(lines.find(({ event }) => event === "zone_index_copy_used")?.reason).toBe(reason);
		await json(call(`/v1/public/addresses/${canonical}`));
	});
});
