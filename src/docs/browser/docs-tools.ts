/** Searches the text of the documentation, and copies samples. */
const search = document.querySelector<HTMLInputElement>("#search")!;
const found = document.querySelector<HTMLElement>("#found")!;
const FOUND_MAX = 10;

/** How much of a text is shown around the first word that was found, in UTF-16 units. */
const EXCERPT = 80;

interface Section {
	title: string;
	path: string;
	text: string;
}

let index: Promise<Section[]> | undefined;

/** The part of a text around the first of the words in it. */
function excerptOf(text: string, words: string[]): string {
	const at = Math.max(
		0,
		Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0)),
	);
	if (!Number.isFinite(at)) return "";
	const start = Math.max(0, text.lastIndexOf(" ", at - EXCERPT / 2) + 1);
	return `${start > 0 ? "… " : ""}${text.slice(start, start + EXCERPT)} …`;
}

function entryOf({ title, path, text }: Section, words: string[]): HTMLElement {
	const item = document.createElement("li");
	const link = document.createElement("a");
	link.href = path;
	link.textContent = title;
	item.append(link);
	if (!words.every((word) => title.toLowerCase().includes(word))) {
		const excerpt = document.createElement("small");
		excerpt.textContent = excerptOf(text, words);
		item.append(document.createElement("br"), excerpt);
	}
	return item;
}

search.addEventListener("input", async () => {
	index ??= fetch("/docs/search.json").then((answer) => answer.json());
	const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
	const entries = await index;
	const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word));
	// Headings first.
	const fitting = new Set([
		...entries.filter(({ title }) => hasAll(title)),
		...entries.filter(({ title, text }) => hasAll(`${title} ${text}`)),
	]);
	const none = document.createElement("li");
	none.textContent = "Nothing found";
	const shown = [...fitting].slice(0, FOUND_MAX).map((section) => entryOf(section, words));
	found.replaceChildren(...(words.length === 0 ? [] : shown.length > 0 ? shown : [none]));
});

for (const sample of document.querySelectorAll("pre")) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "copy";
	button.textContent = "Copy";
	button.addEventListener("click", async () => {
		await navigator.clipboard.writeText(sample.textContent ?? "");
		button.textContent = "Copied";
	});
	sample.before(button);
}

for (const box of document.querySelectorAll<HTMLElement>("[hidden]")) box.hidden = false;
