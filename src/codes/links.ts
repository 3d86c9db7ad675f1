/** Finds links in text pasted from chats and applications, before anything else is searched for in it. */

/** A link in a text: parsed, as written, and its offset in UTF-16 units. */
interface PastedLink {
	url: URL;
	written: string;
	at: number;
}

/** Links with a scheme, including those of applications, and host names with a path or a query, as people type them. */
const LINKS =
	/(?<![\p{L}\d@.-])(?:[a-z][a-z\d]{1,20}:\/\/[^\s<>"]+|(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,10}[/?][^\s<>"]+)/giu;

/** Marks after a link that belong to the sentence around it. */
const CLOSING = /[.,;:!?'”’»…،؛؟。、，；：！？)\]}*_~`]/u;

/** A link without the marks after it, which chats make a part of it. A closing bracket stays if one was opened in the link. */
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

/** A text with each of its links replaced. */
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

/** How many levels deep messengers wrap links in links. */
const WRAPPINGS_MAX = 3;

/** What a link wraps: a parameter that contains a link. Messengers wrap links to count clicks or to share a text. */
function wrappedIn({ searchParams }: URL): string | undefined {
	return [...searchParams.values()].find((value) => /[a-z][a-z\d]{1,20}:\/\/[^\s<>"]|\bgeo:[\d-]/i.test(value));
}

/** A text with its links replaced by what they wrap. A link may itself hold what is sought, so read the text as written first. */
export function unwrapped(text: string): string {
	let read = text;
	for (let depth = 0; depth < WRAPPINGS_MAX; depth += 1) {
		const links = linksIn(read);
		if (!links.some(({ url }) => wrappedIn(url))) break;
		read = replaceLinks(read, links, ({ url, written }) => wrappedIn(url) ?? written);
	}
	return read;
}
