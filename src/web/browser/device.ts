/**
 * Shows the buttons that need a script and makes them work: copying, sharing, printing. If a browser refuses to copy, as those inside
 * other applications do, the text beside the button is selected, after being put there if need be.
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

/** What each button does, by its data-does; false if this browser cannot do it. */
const work: Record<string, ((button: HTMLElement, name: string) => unknown) | false> = {
	copy: "clipboard" in navigator && copy,
	// Closing the share sheet rejects the promise, which is no error.
	// If the browser cannot share, the link is copied.
	share:
		"share" in navigator
			? ({ dataset: { text = "" } }) => navigator.share({ title: document.title, url: text }).catch(() => {})
			: copy,
	print: "print" in window && (() => window.print()),
};

// An iPhone has Apple Maps, and many have Google Maps too: the one that was used last, here or for a round, comes first.
const go = document.querySelector<HTMLAnchorElement>("[data-apple]");
if (go && /iPhone|iPad/.test(navigator.userAgent)) {
	const [apple, google] = go.dataset.maps!.split("|");
	const apps = { apple: [apple!, go.dataset.apple!], google: [google!, go.href] } as const;
	let chosen: string | null = null;
	try {
		chosen = localStorage.getItem("map");
	} catch {
		// Without storage, the device's own maps come first.
	}
	const other = document.createElement("a");
	other.className = "button";
	other.rel = go.rel;
	go.after(other);
	const order = chosen === "google" ? (["google", "apple"] as const) : (["apple", "google"] as const);
	for (const [index, app] of order.entries()) {
		const [name, href] = apps[app];
		const link = index === 0 ? go : other;
		link.href = href;
		link.textContent = index === 0 ? `${go.textContent} · ${name}` : name;
		link.addEventListener("click", () => {
			try {
				localStorage.setItem("map", app);
			} catch {
				// The next page asks again.
			}
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
