/** What `<address-code>` loads once its button has opened a tab of the registry (/give): takes the code that is sent from there. */
import { checkDigitFits, isCanonical } from "../codes/code.ts";

/** What the page of the registry sends. */
interface Given {
	nonce?: unknown;
	code?: unknown;
	/** The token of a link to a private address. */
	share?: unknown;
}

/**
 * Waits for the code that a customer sends from a tab, and enters it in the field as if it had been typed: the field shows it, and the
 * address once the registry has answered, and the form stays where it is.
 * @param url What the tab was opened with, with `nonce`. Nothing but that tab, while it shows this origin, can enter a code, and only once.
 * @param tab Null where the browser opens none, as inside some applications. The page then goes there itself, and comes back by Back.
 */
export function receive(field: HTMLElement, url: URL, tab: Window | null): void {
	if (!tab) {
		// A frame would only show that the registry's pages are not for frames.
		if (parent === window) location.assign(url);
		return;
	}
	const nonce = url.searchParams.get("nonce");
	const listener = ({ source, origin, data }: MessageEvent<Given | null>) => {
		if (source !== tab || origin !== url.origin || data?.nonce !== nonce) return;
		const { code, share } = data;
		if (typeof code !== "string" || !isCanonical(code) || !checkDigitFits(code)) return;
		removeEventListener("message", listener);
		const input = field.shadowRoot!.querySelector<HTMLInputElement>("[part=code]")!;
		const isToken = typeof share === "string" && /^[\w.]{1,100}$/.test(share);
		input.value = isToken ? `${url.origin}/a/${code}?share=${share}` : code;
		for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
		field.focus();
		tab.postMessage({ received: nonce }, origin);
	};
	addEventListener("message", listener);
}
