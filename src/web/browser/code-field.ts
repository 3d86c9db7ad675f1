/**
 * Says at the box, while a code is typed, whether it can be one, and takes the code out of what is pasted. Sending is never prevented: the
 * server judges.
 */
import { codeIn, displayCode, judgeCode } from "../../codes/code.ts";

const box = document.querySelector<HTMLInputElement>("#code")!;
const says = document.querySelector<HTMLElement>("#state")!;

function tell(isDone: boolean): void {
	const state = judgeCode(box.value);
	const shown = state === "partial" && isDone ? "malformed" : state;
	says.textContent = says.dataset[shown] ?? "";
	const isWrong = shown === "malformed" || shown === "letter" || shown === "wrong";
	says.classList.toggle("wrong", isWrong);
	box.setAttribute("aria-invalid", String(isWrong));
}

box.addEventListener("input", (event) => {
	const code = codeIn(box.value);
	if ((event as InputEvent).inputType === "insertFromPaste" && code) box.value = displayCode(code);
	tell(false);
});
box.addEventListener("change", () => tell(true));
// What the server found wrong stays until the entry changes.
if (box.getAttribute("aria-invalid") !== "true") tell(false);
