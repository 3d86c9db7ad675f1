import { expect, it } from "vitest";
import { networkOf } from "../../src/client-network.ts";

it.each([
	["203.0.113.7", "203.0.113.7"],
	["::ffff:203.0.113.7", "203.0.113.7"],
	["2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0000::/56"],
	["2001:0DB8:0001:12ff::1", "2001:0db8:0001:1200::/56"],
	["2001:db8::1", "2001:0db8:0000:0000::/56"],
	["::1", "0000:0000:0000:0000::/56"],
	["::", "0000:0000:0000:0000::/56"],
	["1:2:3:4567::", "0001:0002:0003:4500::/56"],
	["1:2:3:4:5:6:7::", "0001:0002:0003:0000::/56"],
	[undefined, undefined],
	["", undefined],
	["unknown", undefined],
	["1:2:3", undefined],
	["1::2::3", undefined],
	["12345::", undefined],
])("the network of %s is %s", (address, network) => {
	expect(networkOf(address)).toBe(network);
});
