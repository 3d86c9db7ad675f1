import { type Client, parseCode, RegistryError } from "address-registry/client";

/** What a shop's server does with the code of an order: it trusts no page, so it reads and resolves the code itself. */
export async function deliveryOf(client: Client, form: FormData) {
	// A private address comes with its link. It is resolved now and not stored, because a link ends.
	const sent = String(form.get("delivery_share") || form.get("delivery"));
	const read = parseCode(sent);
	if (read.mistake) return { refused: read.mistake === "wrong" ? "BAD_CHECK_DIGIT" : "MALFORMED_CODE" };
	// Without a script, the unit may stand behind the code, or in the link.
	const unit = String(form.get("delivery_unit") || read.unit);
	try {
		const { lat, lng, label, display, test } = await client.resolve(sent);
		// Nothing stands there.
		if (test) return { refused: "SANDBOX" };
		const { data } = unit ? await client.listUnits(sent) : { data: [] };
		// A remark for whoever packs the parcel, and no refusal: the owner may not have listed every flat.
		const unlisted = data.length > 0 && !data.some((listed) => listed.unit === unit);
		return { display, lat, lng, label, unit, unlisted, note: form.get("delivery_note") };
	} catch (error) {
		if (!(error instanceof RegistryError)) throw error;
		// The registry is away or busy: take the order, and resolve the code when the parcel leaves.
		if (error.code.endsWith("_ANSWER") || error.status === 429 || error.status >= 500) return { unchecked: sent, unit };
		// A wrong key is the shop's mistake, not the customer's.
		if (error.status === 401) throw error;
		return { refused: error.code, successor: error.successor };
	}
}

/** What the shop says to a refusal, in the customer's language: its own texts come here. */
export const REFUSALS: Record<string, string> = {
	MALFORMED_CODE: "This is not an address code.",
	BAD_CHECK_DIGIT: "One character of the code is wrong.",
	ADDRESS_NOT_FOUND: "No address has this code.",
	ADDRESS_RETIRED: "This address is no longer used.",
	ADDRESS_PRIVATE: "This address is private. Paste a link to it, which its owner can create.",
	SANDBOX: "This is a code for tests.",
};
