/**
 * Shows the buttons that need a script and gives them their work: copying, sharing, printing. Where a browser refuses to copy, as those
 * inside other applications do, the text beside the button is selected, or put there first.
 */
import { keepOffline } from "./keep-offline.ts";

/** How long a button says that it has copied, in milliseconds. */
const DONE_SHOWN_FOR = 2000;

const says = document.querySelector("[role=status]")!;

async function copy(button: HTMLElement, name: string): Promise<void> {
	const { text = "", done = "" } = button.dataset;
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		let beside = button.previousElementSibling;
		if (!beside) {
			beside = document.createElement("bdi");
			beside.textContent = text;
			button.before(beside);
		}
		getSelection()?.selectAllChildren(beside);
		return;
	}
	const shown = button.querySelector("span") ?? button;
	says.textContent = shown.textContent = done;
	setTimeout(() => {
		shown.textContent = name;
		says.textContent = "";
	}, DONE_SHOWN_FOR);
}

/** What each button does, by its data-does, where this browser can. */
const work: Record<string, ((button: HTMLElement, name: string) => unknown) | false> = {
	copy: "clipboard" in navigator && copy,
	// Closing the share sheet rejects the promise, which is no error.
	// Where there is nothing to share with, the link is copied.
	share:
		"share" in navigator
			? ({ dataset: { text = "" } }) => navigator.share({ title: document.title, url: text }).catch(() => {})
			: copy,
	print: "print" in window && (() => window.print()),
};

// An iPhone has maps of its own, and many have Google's too: the one that was taken last leads the way.
const go = document.querySelector<HTMLAnchorElement>("[data-apple]");
if (go && /iPhone|iPad/.test(navigator.userAgent)) {
	const [apple, google] = go.dataset.maps!.split("|") as [string, string];
	const links = { [apple]: go.dataset.apple!, [google]: go.href };
	let chosen: string | null = null;
	try {
		chosen = localStorage.getItem("maps");
	} catch {
		// Without a memory the device's own come first.
	}
	const [first, second] = chosen === google ? [google, apple] : [apple, google];
	const other = document.createElement("a");
	other.className = "button";
	other.textContent = second;
	other.rel = go.rel;
	[go.href, other.href] = [links[first]!, links[second]!];
	go.textContent += ` · ${first}`;
	go.after(other);
	for (const [link, name] of [
		[go, first],
		[other, second],
	] as const) {
		link.addEventListener("click", () => {
			try {
				localStorage.setItem("maps", name);
			} catch {}
		});
	}
}

for (const button of document.querySelectorAll<HTMLElement>("[data-does]")) {
	const does = work[button.dataset.does ?? ""];
	const name = (button.querySelector("span") ?? button).textContent!;
	if (!does) continue;
	button.hidden = button.parentElement!.hidden = false;
	button.onclick = () => does(button, name);
	// A link to a sheet may ask for the print dialog at once.
	if (location.hash === "#print" && button.dataset.does === "print") addEventListener("load", () => button.click());
}

keepOffline();
