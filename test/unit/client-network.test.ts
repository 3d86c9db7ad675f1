import { expect, it } from "vitest";
import { networkOf } from "../../src/client-network.ts";
import { vectors } from "../support/vectors.ts";

it.each([...vectors<[string, string]>("networks"), [undefined, "none"]])(
	"the network of %s is %s",
	(address, network) => {
		expect(networkOf(address) ?? "none").toBe(network);
	},
);
