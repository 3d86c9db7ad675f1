/**
 * Shows the buttons that need a script and gives them their work: copying, sharing, printing. Where a browser refuses to copy, as those
 * inside other applications do, the text beside the button is selected, or put there first.
 */

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
	says.textContent = button.textContent = done;
	setTimeout(() => {
		button.textContent = name;
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

// The maps that the device has, where those are not the usual ones.
const go = document.querySelector<HTMLAnchorElement>("[data-apple]");
if (go && /iPhone|iPad/.test(navigator.userAgent)) go.href = go.dataset.apple!;

for (const button of document.querySelectorAll<HTMLElement>("[data-does]")) {
	const does = work[button.dataset.does ?? ""];
	const name = button.textContent;
	if (!does) continue;
	button.hidden = button.parentElement!.hidden = false;
	button.onclick = () => does(button, name);
	// A link to a sheet may ask for the print dialog at once.
	if (location.hash === "#print" && button.dataset.does === "print") addEventListener("load", () => button.click());
}
