import { LOOPBACK } from "../../http/origin.ts";

/** The website that asks a customer for the code of an address. */
export interface Shop {
	/** Its origin (HTML, ASCII serialisation of an origin): what it is sent goes to exactly this. */
	origin: string;
	/** What the customer is shown: its host, in ASCII, so that no letter looks like another; its whole origin on their own device. */
	name: string;
	/** The random text by which the field on its page knows the answer; empty if it sent none. */
	nonce: string;
}

/** The longest origin: a host as long as DNS allows, with scheme and port. */
const ORIGIN_CHARACTERS_MAX = 270;

/**
 * The shop that a link to /give or a form of it names by `to` and `nonce`. Undefined if `to` is no origin, or one that others in the
 * network could answer for, because it lacks HTTPS.
 */
export function shopOf(asked: URLSearchParams): Shop | undefined {
	const to = asked.get("to") ?? "";
	const url = to.length > ORIGIN_CHARACTERS_MAX ? null : URL.parse(to);
	if (url?.origin !== to) return undefined;
	const isProtected = url.protocol === "https:";
	if (!isProtected && !(url.protocol === "http:" && LOOPBACK.test(url.hostname))) return undefined;
	const nonce = asked.get("nonce") ?? "";
	return { origin: to, name: isProtected ? url.host : to, nonce: /^[\w-]{1,64}$/.test(nonce) ? nonce : "" };
}
