import { expect, it } from "vitest";
import { networkOf, wideNetworkOf } from "../../src/platform/client-network.ts";
import { vectors } from "../support/vectors.ts";

it.each([...vectors<[string, string]>("networks"), [undefined, "none"]])(
	"the network of %s is %s",
	(address, network) => {
		expect(networkOf(address) ?? "none").toBe(network);
	},
);

it.each([
	["192.0.2.77", "192.0.2.0/24"],
	["2001:0db8:0001:0200::/56", "2001:0db8:0001::/48"],
])("the network %s is part of %s", (network, wide) => {
	expect(wideNetworkOf(network)).toBe(wide);
});
