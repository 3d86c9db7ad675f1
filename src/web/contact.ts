import { type AddressView, codeText } from "./address-view.ts";

/** Text in a value of a vCard (RFC 2426 section 4). */
function escaped(text: string): string {
	return text.replace(/[\\,;]/g, "\\$&").replace(/\r?\n/g, "\\n");
}

/** Longest line before it is folded, in bytes (RFC 2425 section 5.8.1). */
const LINE_BYTES_MAX = 75;

/** A line folded into pieces that fit. Each after the first begins with a space, and no character is split. */
function folded(line: string): string {
	const encoder = new TextEncoder();
	let text = "";
	let bytes = 0;
	for (const character of line) {
		const size = encoder.encode(character).length;
		if (bytes + size > LINE_BYTES_MAX) {
			text += "\r\n ";
			bytes = 1;
		}
		text += character;
		bytes += size;
	}
	return text;
}

/**
 * An address for the contacts of a phone: a vCard 3.0 (RFC 2426) with the code, the words, the point and the link. The contacts of Android
 * refuse a vCard 4.0.
 */
export function contactOf({
	display,
	unit,
	placeAndCountry,
	coordinates: { lat, lng },
	url,
	...view
}: AddressView): string {
	// Marks of direction are for pages: a contact is plain text.
	const plain = placeAndCountry.replace(/[\u2066-\u2069]/g, "");
	const code = codeText({ display, unit });
	const label = [unit?.label, view.label].filter(Boolean).join(", ");
	const name = escaped(label ? `${label} (${code})` : code);
	const lines = [
		"BEGIN:VCARD",
		"VERSION:3.0",
		`N:${name};;;;`,
		`FN:${name}`,
		`ADR:;;${escaped(code)};${escaped(plain)};;;`,
		`LABEL:${escaped([code, plain].join(", "))}`,
		`GEO:${lat};${lng}`,
		`URL:${url}`,
		`NOTE:${escaped([code, label, plain].filter(Boolean).join("\n"))}`,
		"END:VCARD",
	];
	return `${lines.map(folded).join("\r\n")}\r\n`;
}
