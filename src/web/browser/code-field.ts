/**
 * Says at the box, while a code is typed, whether it can be one, groups it as people write it, and takes the code out of what is
 * pasted. Only an empty box is kept from being sent: the server judges everything else.
 */
import { displayCode, normalizeCode } from "../../codes/code.ts";
import { findCode } from "../../codes/code-text.ts";
import { readEntry } from "../../codes/entry.ts";
import { judgeCode } from "../../codes/written-code.ts";
import { keepOffline } from "./keep-offline.ts";

const box = document.querySelector<HTMLInputElement>("#code")!;
const says = document.querySelector<HTMLElement>("#state")!;

function say(what: string): void {
	says.textContent = says.dataset[what] ?? "";
	const isWrong = /malformed|letter|large|wrong/.test(what);
	for (const element of [says, box]) element.classList.toggle("right", what === "complete");
	says.classList.toggle("wrong", isWrong);
	box.setAttribute("aria-invalid", String(isWrong));
}

function tell(isDone: boolean): void {
	const entry = readEntry(box.value);
	const state = judgeCode(entry.kind === "codes" ? entry.codes[0]!.canonical : box.value);
	// The next page asks which of them, about what is unclear, or for the country of nine digits.
	if (entry.kind === "unclear" || entry.kind === "no country" || (entry.kind === "codes" && entry.codes.length > 1))
		say("");
	else if (isDone && entry.kind === "miscounted") say("malformed");
	else if (isDone && entry.kind === "large line") say("large");
	else say(state === "partial" && isDone ? "malformed" : state);
}

/** What was typed so far, in groups; unchanged if it is not the beginning of a code. A hyphen that ends a group stays. */
function grouped(typed: string): string {
	const code = normalizeCode(typed);
	if (!/^[A-Z]{1,2}$|^[A-Z]{2}\d{1,9}$/.test(code)) return typed;
	const isGroupDone = /[-\s]$/.test(typed) && (code.length === 2 || code.length === 6);
	return displayCode(code).replace(/-+$/, "") + (isGroupDone ? "-" : "");
}

box.addEventListener("input", (event) => {
	const { inputType = "" } = event as InputEvent;
	const only = findCode(box.value);
	// The link to a private address stays as it is, because its token opens it.
	if (inputType === "insertFromPaste" && only && !only.share) {
		box.value = [displayCode(only.canonical), ...only.units.slice(0, 1)].join(" / ");
	} else if (inputType.startsWith("insert") && box.selectionStart === box.value.length) box.value = grouped(box.value);
	tell(false);
});
box.addEventListener("change", () => tell(true));
// Nothing was entered: the page says what to enter, rather than the browser in its own language.
box.addEventListener("invalid", (event) => {
	event.preventDefault();
	say("malformed");
	box.focus();
});
// What the server found wrong stays until the entry changes.
if (box.getAttribute("aria-invalid") !== "true") tell(false);

keepOffline();
