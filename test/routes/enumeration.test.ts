import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { codeOfUnit } from "../../src/addresses/code.ts";
import { call, freshAddress, LAGOS, mint, ORIGIN, signUp } from "../support/client.ts";

/** More misses than a network has in a minute are two batches, and a third where the minute ends between them. */
const BATCHES_MAX = 3;

/** Asks for codes that do not exist until the network gets no answer any more. */
async function enumerate(address: string): Promise<void> {
	const codes = Array.from({ length: 120 }, (_, unit) => codeOfUnit("ZW", "0003", unit)).filter((code) => code);
	for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
		const { status } = await call("/v1/public/addresses/batch", {
			method: "POST",
			body: { codes: codes.slice(0, 100) },
			headers: { "CF-Connecting-IP": address },
		});
		if (status === 429) return;
	}
	throw new Error("The enumeration was not stopped");
}

it.each([
	["another host", "http://localhost"],
	["another port", "http://127.0.0.1:8443"],
	["another scheme", ORIGIN.replace("https", "http")],
])("a network that enumerates codes gets no answer from the database under %s either", async (_, origin) => {
	const { access } = await signUp();
	const { canonical } = await mint(access, LAGOS);
	const ask = (address: string) => {
		const headers = { "CF-Connecting-IP": address, Host: new URL(origin).host };
		return exports.default.fetch(new Request(`${origin}/v1/public/addresses/${canonical}`, { headers }));
	};
	const address = freshAddress();
	await enumerate(address);
	// An address that exists: only the cached mark of the network keeps it back.
	expect((await ask(address)).status).toBe(429);
	expect((await ask(freshAddress())).status).toBe(200);
});
