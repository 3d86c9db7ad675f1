/**
 * The tab in which a customer sends a shop the code of an address. Its buttons work once the page has had the focus for a while, so that
 * no click meant for another page, such as the second of a double one, consents to anything. What was consented to is sent to the page
 * that opened the tab, if that is still the shop's.
 */

/** For how long the page must have the focus before it takes a click, in milliseconds. */
const GUARD_MILLISECONDS = 700;

const shop: Window | null = window.opener;
const buttons = [...document.querySelectorAll<HTMLButtonElement>("[data-sends]")];
for (const button of buttons) {
	// Nothing can be sent from a tab that nobody opened, such as in an application's own browser.
	if (!shop || shop.closed) button.textContent = button.dataset.copied!;
	button.hidden = false;
}

let guard: ReturnType<typeof setTimeout>;
function protect(): void {
	clearTimeout(guard);
	for (const button of buttons) button.disabled = true;
	if (!document.hasFocus()) return;
	guard = setTimeout(() => {
		for (const button of buttons) button.disabled = false;
	}, GUARD_MILLISECONDS);
}
for (const event of ["focus", "blur", "pageshow", "resize"]) addEventListener(event, protect);
document.addEventListener("visibilitychange", protect);
protect();

const given = document.getElementById("given");
if (given && shop) {
	const { to = "", nonce, code, share } = given.dataset;
	addEventListener("message", ({ source, origin, data }) => {
		if (source !== shop || origin !== to || data?.received !== nonce) return;
		given.hidden = true;
		document.getElementById("received")!.hidden = false;
		// Leads back to the shop, in browsers that let a page close its tab.
		window.close();
	});
	// A browser drops this where the opener is another site by now.
	shop.postMessage({ nonce, code, share }, to);
}
