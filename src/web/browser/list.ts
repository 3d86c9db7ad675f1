/**
 * Keeps the lines of a list in the fragment of its URL, which no server sees, and orders the stops from where the device is. The
 * position stays on the device.
 */
import { greatCircle } from "../../points/plane.ts";
import { shortRound } from "../../points/round.ts";
import { lengthText } from "../measures.ts";

const box = document.querySelector<HTMLTextAreaElement>("#codes")!;
const list = document.getElementById("stops");
const order = document.getElementById("order");
const says = document.getElementById("order-says");
const pointOf = ({ dataset }: HTMLElement) => ({ lat: Number(dataset.lat), lng: Number(dataset.lng) });
const all = (selector: string) => [...(list?.querySelectorAll<HTMLElement>(selector) ?? [])];
const keep = () => {
	const lines = all("[data-line]").map(({ dataset }) => encodeURIComponent(dataset.line!));
	history.replaceState(null, "", `#${lines.join(",")}`);
};

if (list) keep();
else if (location.hash.length > 1 && !box.value) {
	box.value = location.hash.slice(1).split(",").map(decodeURIComponent).join("\n");
	box.form!.requestSubmit();
}

if (list && order && says && isSecureContext && "geolocation" in navigator) {
	const texts = order.dataset as Record<string, string>;
	order.hidden = false;
	order.querySelector("button")!.onclick = () =>
		navigator.geolocation.getCurrentPosition(
			({ coords }) => {
				let before = { lat: coords.latitude, lng: coords.longitude };
				const items = all("[data-lat]");
				const sorted = shortRound(before, items.map(pointOf)).map((index) => items[index]!);
				list.prepend(...sorted);
				for (const item of sorted) {
					const point = pointOf(item);
					const distance = lengthText(greatCircle(before, point).metres, document.documentElement.lang);
					item.querySelector("[data-distance]")!.textContent = texts.onward!.replace("{distance}", distance);
					before = point;
				}
				says.textContent = "";
				keep();
			},
			() => {
				says.textContent = texts.unknown!;
			},
			{ enableHighAccuracy: true, maximumAge: 60_000, timeout: 20_000 },
		);
}
