/**
 * What the forms of the console gain where scripts run: a password can be shown, characters are counted, words begin with a chip, and
 * nothing is sent twice.
 */

/** The counter speaks once fewer characters than this are left. */
const COUNTED_FROM = 50;

function field(id: string | undefined): HTMLInputElement {
	return document.getElementById(id ?? "") as HTMLInputElement;
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-shows]")) {
	const password = field(button.dataset.shows);
	const show = button.textContent;
	button.hidden = false;
	button.onclick = () => {
		const isShown = password.type === "text";
		password.type = isShown ? "password" : "text";
		button.textContent = isShown ? show : (button.dataset.hide ?? show);
	};
}

for (const says of document.querySelectorAll<HTMLElement>("[data-counts]")) {
	const counted = field(says.dataset.counts);
	const count = () => {
		// A field takes twice as many UTF-16 units as characters are allowed.
		const left = counted.maxLength / 2 - Array.from(counted.value).length;
		says.textContent = left < COUNTED_FROM ? (says.dataset.left ?? "").replace("{count}", String(left)) : "";
	};
	counted.oninput = count;
	count();
}

// A chip begins the sentence, which its writer ends.
for (const chip of document.querySelectorAll<HTMLButtonElement>("[data-starts]")) {
	const started = field(chip.dataset.starts);
	chip.hidden = chip.parentElement!.hidden = false;
	chip.onclick = () => {
		const { value } = started;
		started.value = value.trim() ? `${value.trim()}, ${chip.dataset.text}` : chip.dataset.text!;
		started.focus();
	};
}

const sent = new Set<HTMLFormElement>();
for (const form of document.forms) {
	form.addEventListener("submit", (event) => {
		if (sent.has(form)) event.preventDefault();
		sent.add(form);
	});
}
// Going back shows the page as it was left, and its form may be sent again.
addEventListener("pageshow", () => sent.clear());
