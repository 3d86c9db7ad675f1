import { createClient, display, type PublicAddress, parseCode, RegistryError } from "address-registry/client";

declare const process: { env: Record<string, string | undefined> };

const { REGISTRY = "", KEY = "" } = process.env;
const client = createClient({ registry: REGISTRY, key: KEY });
const { canonical } = await client.create({ lat: 6.5244, lng: 3.3792, label: "Blue gate" });
const { label, updated_at }: PublicAddress = await client.resolve(display(canonical));
const error: unknown = await client.resolve("NG-1377-48216").catch((error: unknown) => error);
const parsed = parseCode(canonical);
if (parsed.canonical !== canonical || !(error instanceof RegistryError) || error.code !== "BAD_CHECK_DIGIT")
	throw error;
const { data } = await client.list();
console.log([...data.map((address) => address.canonical), label, updated_at].join(" "));
