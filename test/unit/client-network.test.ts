import { expect, it } from "vitest";
import { networkOf } from "../../src/http/client-network.ts";

it.each([
	["203.0.113.7", "203.0.113.7"],
	["::ffff:203.0.113.7", "203.0.113.7"],
	["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
	["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
	["2001:db8::1", "2001:db8:0:0::/64"],
	["::1", "0:0:0:0::/64"],
	["::", "0:0:0:0::/64"],
	["1:2:3:4::", "1:2:3:4::/64"],
	["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
	[undefined, undefined],
	["", undefined],
	["unknown", undefined],
	["1:2:3", undefined],
	["1::2::3", undefined],
	["12345::", undefined],
])("the network of %s is %s", (address, network) => {
	expect(networkOf(address)).toBe(network);
});
