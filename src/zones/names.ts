/** The names in a part of the zone index. */
import { type Sums, sumAt } from "./sums.ts";

export interface Names {
	/** where each name ends in the text, in bytes; it begins where the previous one ends */
	nameEnds: Sums;
	/** the names, UTF-8; each is decoded when it is asked for, because strings take three times the memory */
	nameText: Uint8Array;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A name by its number, from 1 on; "" for number 0. */
export function nameIn({ nameEnds, nameText }: Names, name: number): string {
	if (name === 0) return "";
	return utf8.decode(nameText.subarray(name === 1 ? 0 : sumAt(nameEnds, name - 2), sumAt(nameEnds, name - 1)));
}
