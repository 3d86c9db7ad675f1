/** Searches the headings of the documentation, and copies samples. */
const search = document.querySelector<HTMLInputElement>("#search")!;
const found = document.querySelector<HTMLElement>("#found")!;
const FOUND_MAX = 10;

let index: Promise<{ title: string; path: string }[]> | undefined;

search.addEventListener("input", async () => {
	index ??= fetch("/docs/search.json").then((answer) => answer.json());
	const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
	const entries = await index;
	const fitting = entries.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
	found.replaceChildren(
		...(words.length > 0 ? fitting.slice(0, FOUND_MAX) : []).map(({ title, path }) => {
			const link = document.createElement("a");
			link.href = path;
			link.textContent = title;
			const item = document.createElement("li");
			item.append(link);
			return item;
		}),
	);
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
