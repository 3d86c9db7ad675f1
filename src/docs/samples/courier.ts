import { createClient } from "address-registry/client";

const { REGISTRY = "", KEY = "" } = process.env;
const client = createClient({ registry: REGISTRY, key: KEY });

/** Resolves the codes of a round, 100 at a time. */
export async function* resolveAll(codes: string[]) {
	for (let start = 0; start < codes.length; start += 100)
		yield* (await client.resolveMany(codes.slice(start, start + 100))).data;
}

for await (const item of resolveAll(["NG-1377-48215", "NG-1377-48212"])) {
	if (item.status === "found") console.log(item.code, item.address.lat, item.address.lng);
	if (item.status === "failed") console.log(item.code, item.problem.code, item.problem.detail);
}
