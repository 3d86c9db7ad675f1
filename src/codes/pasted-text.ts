/** What people paste from chats and applications, before anything is looked for in it. */
import { UNSEEN } from "./invisible.ts";

/** A link in a text: where it is, and as what. */
interface PastedLink {
	url: URL;
	written: string;
	at: number;
}

/** Links with a scheme, those of applications too, and those of a host with a path or a query, as people type them. */
const LINKS =
	/(?<![\p{L}\d@.-])(?:[a-z][a-z\d]{1,20}:\/\/[^\s<>"]+|(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,10}[/?][^\s<>"]+)/giu;

/** Marks behind a link that belong to the sentence around it. */
const CLOSING = /[.,;:!?'”’»…،؛؟。、，；：！？)\]}*_~`]/u;

/** A link without the marks behind it, which chats make a part of it. A bracket stays that was opened in it. */
export function withoutClosing(link: string): string {
	const isOpened = link.includes("(");
	let end = link.length;
	while (end > 0 && CLOSING.test(link[end - 1]!) && !(isOpened && link[end - 1] === ")")) end -= 1;
	return link.slice(0, end);
}

/** The links in a text. */
export function linksIn(text: string): PastedLink[] {
	return Array.from(text.matchAll(LINKS)).flatMap(({ 0: found, index: at }) => {
		const written = withoutClosing(found);
		const href = /^[a-z\d]+:\/\//i.test(written) ? written : `https://${written}`;
		return URL.canParse(href) ? [{ url: new URL(href), written, at }] : [];
	});
}

/** A text with something else in the place of each of its links. */
export function replaceLinks(
	text: string,
	links: readonly PastedLink[],
	replace: (link: PastedLink) => string,
): string {
	let replaced = "";
	let from = 0;
	for (const link of links) {
		replaced += text.slice(from, link.at) + replace(link);
		from = link.at + link.written.length;
	}
	return replaced + text.slice(from);
}

/** How deep messengers wrap links in links. */
const WRAPPINGS_MAX = 3;

/** What a link wraps: a parameter of it that has a link, as messengers count who follows it, or share a text. */
function wrappedIn({ searchParams }: URL): string | undefined {
	return [...searchParams.values()].find((value) => /[a-z][a-z\d]{1,20}:\/\/[^\s<>"]|\bgeo:[\d-]/i.test(value));
}

const UNSEEN_CHARACTERS = new RegExp(`[${UNSEEN}]`, "gu");

/** A text without the characters in it that take no room, and with a line feed for U+0085, the one white space that `\s` lacks. */
export function withoutUnseen(text: string): string {
	return text.replace(UNSEEN_CHARACTERS, "").replaceAll("\u0085", "\n");
}

/** A text with what its links wrap in their place. A link that holds what is looked for itself is to be read before. */
export function unwrapped(text: string): string {
	let read = text;
	for (let depth = 0; depth < WRAPPINGS_MAX; depth += 1) {
		const links = linksIn(read);
		if (!links.some(({ url }) => wrappedIn(url))) break;
		read = replaceLinks(read, links, ({ url, written }) => wrappedIn(url) ?? written);
	}
	return read;
}
