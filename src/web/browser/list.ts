/**
 * Stores the codes of a list in the fragment of its URL, which no server sees, and orders the stops from where the device is. The position
 * stays on the device. Which stops are done is stored for the tab, and the map application that was chosen until another is.
 */

import { greatCircle } from "../../points/plane.ts";
import { shortRound } from "../../points/round.ts";
import { MAP_APPS } from "../map-apps.ts";
import { lengthText } from "../measures.ts";
import { keepOffline } from "./keep-offline.ts";

const box = document.querySelector<HTMLTextAreaElement>("#codes")!;
const list = document.getElementById("stops");
const order = document.getElementById("order");
const says = document.getElementById("order-says");
const way = document.getElementById("way");
const pointOf = ({ dataset }: HTMLElement) => ({ lat: Number(dataset.lat), lng: Number(dataset.lng) });
const all = (selector: string) => [...(list?.querySelectorAll<HTMLElement>(selector) ?? [])];
const storeInUrl = () => {
	const lines = all("[data-line]").map(({ dataset }) => encodeURIComponent(dataset.line!));
	history.replaceState(null, "", `#${lines.join(",")}`);
};

/** The value that this browser stores under a name, after storing `value` if it is given; empty if pages may not store anything. */
function stored(storage: "localStorage" | "sessionStorage", name: string, value?: string): string {
	try {
		if (value !== undefined) globalThis[storage].setItem(name, value);
		return globalThis[storage].getItem(name) ?? "";
	} catch {
		return "";
	}
}

/** Sets the links to the stops that are not done, for the chosen map application. */
function lead(): void {
	const app = MAP_APPS[stored("localStorage", "map")] ?? MAP_APPS.google!;
	for (const stop of all("[data-to]"))
		stop.querySelector<HTMLAnchorElement>(".button")!.href = app.way([stop.dataset.to!]);
	const link = way?.querySelector("a");
	const open = all("[data-to]").filter((stop) => !stop.querySelector<HTMLInputElement>("[data-done]")!.checked);
	const next = open.slice(0, app.stopsMax).map(({ dataset }) => dataset.to!);
	if (!way || !link) return;
	link.hidden = next.length === 0;
	link.href = app.way(next);
	link.textContent = way.dataset.route!.replace("{count}", String(next.length));
}

if (list) storeInUrl();
else if (location.hash.length > 1 && !box.value) {
	box.value = location.hash.slice(1).split(",").map(decodeURIComponent).join("\n");
	box.form!.requestSubmit();
}

const done = new Set(stored("sessionStorage", "done").split("\n"));
for (const stop of all("[data-to]")) {
	const tick = stop.querySelector<HTMLInputElement>("[data-done]")!;
	const line = stop.dataset.line!;
	tick.checked = done.has(line);
	tick.onchange = () => {
		if (tick.checked) done.add(line);
		else done.delete(line);
		stored("sessionStorage", "done", [...done].join("\n"));
		lead();
	};
}
const app = document.querySelector<HTMLSelectElement>("#app");
if (app) {
	app.parentElement!.hidden = false;
	const chosen = stored("localStorage", "map");
	if (MAP_APPS[chosen]) app.value = chosen;
	app.onchange = () => {
		stored("localStorage", "map", app.value);
		lead();
	};
}
if (list) lead();
const forget = document.getElementById("forget");
if (forget && "caches" in window) {
	forget.hidden = false;
	forget.querySelector("button")!.onclick = async () => {
		await caches.delete("seen");
		forget.textContent = forget.dataset.done!;
	};
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
				storeInUrl();
				lead();
			},
			() => {
				says.textContent = texts.unknown!;
			},
			{ enableHighAccuracy: true, maximumAge: 60_000, timeout: 20_000 },
		);
}

keepOffline();
