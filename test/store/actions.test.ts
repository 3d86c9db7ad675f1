import { describe, expect, it } from "vitest";
import {
	addressHistory,
	changeAddress,
	listAddresses,
	lookUpAddress,
	mintAddress,
	resolveAddress,
	retireAddress,
} from "../../src/addresses/actions.ts";
import { perText } from "../../src/addresses/content.ts";
import { parseCode } from "../../src/codes/code.ts";
import { limitHeaders } from "../../src/limits/rate-limit-headers.ts";
import { LAGOS, signUp } from "../support/people.ts";
import { callerOf, openTestRegistry } from "../support/registry.ts";

const content = { entrance: null, ...LAGOS, ...perText(() => ""), label: "Blue gate", visibility: "public" as const };

describe("the actions on addresses, on a registry that no request has opened", () => {
	it("mint, resolve, change and retire", async () => {
		const registry = openTestRegistry();
		const owner = await callerOf(registry, await signUp());
		const address = await mintAddress(registry, owner, { ...content, idempotencyKey: "order-1" });
		expect(address).toMatchObject({ ...content, ownerId: owner.userId, version: 1 });
		const again = await mintAddress(registry, owner, { ...content, idempotencyKey: "order-1" });
		expect(again).toMatchObject({ canonical: address.canonical });
		expect(new Map(limitHeaders(registry)).get("RateLimit")).toContain('"new-addresses";r=1999;');

		const code = parseCode(address.canonical);
		const request = { code, isAnonymous: true };
		const resolved = () => resolveAddress(registry, request).then(({ address }) => address.label);
		expect(await resolved()).toBe("Blue gate");
		await changeAddress(registry, owner, { code, change: { label: "Green gate" } });
		expect(await resolved()).toBe("Green gate");
		expect(await lookUpAddress(registry, owner, code)).toMatchObject({ label: "Green gate", version: 2 });
		expect((await listAddresses(registry, owner, { limit: 20, search: "green" })).addresses).toHaveLength(1);

		// As the request after those would.
		await retireAddress(openTestRegistry(), owner, { code, successor: undefined });
		await expect(resolved()).rejects.toMatchObject({ code: "ADDRESS_RETIRED" });
		const events = await addressHistory(registry, owner, code);
		expect(events.map(({ change }) => change)).toEqual(["created", "label", "retired"]);
	});
});
