import { type Client, parseCode, RegistryError } from "address-registry/client";

/** What a shop's server does with the code of an order: it trusts no page, so it reads and resolves the code itself. */
export async function deliveryOf(client: Client, form: FormData) {
	const { canonical } = parseCode(String(form.get("delivery")));
	if (!canonical) return { refused: "This is not an address code." };
	try {
		const address = await client.resolve(canonical);
		// Nothing stands there.
		if (address.test) return { refused: "This is a code for tests." };
		return { address, unit: form.get("delivery_unit"), note: form.get("delivery_note") };
	} catch (error) {
		if (!(error instanceof RegistryError)) throw error;
		// The registry is away or busy: take the order, and resolve the code when the parcel leaves.
		if (error.code.endsWith("_ANSWER") || error.status === 429 || error.status >= 500) return { unchecked: canonical };
		// A wrong key is the shop's mistake, not the customer's.
		if (error.status === 401) throw error;
		return { refused: error.detail, successor: error.successor };
	}
}
