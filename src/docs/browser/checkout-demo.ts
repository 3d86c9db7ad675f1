/** Shows what the form of the guide to the checkout sends, and what the guide's sample of a shop's server makes of it. */
import { createClient } from "../../client/client.ts";
import { deliveryOf } from "../samples/checkout.ts";

const demo = document.querySelector<HTMLElement>("#demo")!;
const form = demo.querySelector("form")!;
const [sent, found] = demo.querySelectorAll("output");
const client = createClient({ registry: location.origin });

form.addEventListener("submit", async (event) => {
	event.preventDefault();
	const data = new FormData(form);
	sent!.textContent = Array.from(data, ([name, value]) => `${name}=${String(value)}`).join("\n");
	found!.textContent = "…";
	found!.textContent = JSON.stringify(await deliveryOf(client, data), null, "  ");
});
