import { expect, it } from "vitest";
import { networkOf, networksOf } from "../../src/http/client-network.ts";

it.each([
	["203.0.113.7", "203.0.113.7"],
	["::ffff:203.0.113.7", "203.0.113.7"],
	["2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002::/64"],
	["2001:0DB8:0001:0002::1", "2001:0db8:0001:0002::/64"],
	["2001:db8::1", "2001:0db8:0000:0000::/64"],
	["::1", "0000:0000:0000:0000::/64"],
	["::", "0000:0000:0000:0000::/64"],
	["1:2:3:4::", "0001:0002:0003:0004::/64"],
	["1:2:3:4:5:6:7::", "0001:0002:0003:0004::/64"],
	[undefined, undefined],
	["", undefined],
	["unknown", undefined],
	["1:2:3", undefined],
	["1::2::3", undefined],
	["12345::", undefined],
])("the network of %s is %s", (address, network) => {
	expect(networkOf(address)).toBe(network);
});

it("a client is counted by wider networks too, which one subscriber may move in", () => {
	expect(networksOf("2001:db8:1:2345::1")).toEqual([
		"2001:0db8:0001:2345::/64",
		"2001:0db8:0001:2300::/56",
		"2001:0db8:0001::/48",
	]);
	expect(networksOf("203.0.113.7")).toEqual(["203.0.113.7", "203.0.113.0/24"]);
	expect(networksOf(undefined)).toEqual([]);
});
