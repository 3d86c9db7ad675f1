/**
 * Moves the ground below the pin without a round trip: by dragging, by choosing a point, by the arrow keys, and by the buttons. The way
 * that the pin moved is sent with the form, in metres from where the page was drawn. The texts are in the data attributes of the frame,
 * with the gaps `{distance}` and `{direction}`.
 */
import { COMPASS, directionOf, pointAfter } from "../../points/plane.ts";
import { lengthText } from "../measures.ts";

/** Farthest that the pin can be moved at once, in metres. */
const MOVED_MAX = 5000;
/** A pointer that moves less than this, in CSS pixels, has chosen a point and not dragged. */
const DRAG_FROM = 4;

const frame = document.getElementById("frame")!;
const form = frame.closest("form")!;
const ground = frame.querySelector(".ground")!;
const over = frame.querySelector("input")!;
const says = document.getElementById("pin-says")!;
const links = form.querySelectorAll<HTMLAnchorElement>("[data-link]");
const texts = frame.dataset as Record<string, string>;
const words = texts.directions!.split("|");
/** Metres per unit of the drawing. */
const scale = Number(frame.querySelector("svg")!.dataset.metres);
/** Metres per CSS pixel: on a wide screen the drawing is larger than its units. */
const metresInPixel = () => (scale * frame.querySelector("svg")!.viewBox.baseVal.width) / over.clientWidth;
const input = (name: string) => form.elements.namedItem(name) as HTMLInputElement;

/** How far the pin was moved on this page, in metres. */
let north = 0;
let east = 0;
let drag: { x: number; y: number; north: number; east: number; isFar: boolean } | undefined;

function placeAt(newNorth: number, newEast: number): void {
	const bounded = (metres: number) => Math.max(-MOVED_MAX, Math.min(MOVED_MAX, metres));
	north = bounded(newNorth);
	east = bounded(newEast);
	ground.setAttribute("transform", `translate(${-east / scale} ${north / scale})`);
	input("north").value = north.toFixed(2);
	input("east").value = east.toFixed(2);
	const way = { north: Number(texts.north) + north, east: Number(texts.east) + east };
	const metres = Math.hypot(way.north, way.east);
	const moved = texts
		.moved!.replace("{distance}", lengthText(Math.round(metres), document.documentElement.lang))
		.replace("{direction}", words[COMPASS.indexOf(directionOf(way))]!);
	const point = pointAfter({ lat: Number(texts.lat), lng: Number(texts.lng) }, { north, east });
	for (const link of links) {
		link.href = link.dataset.link!.replaceAll("{lat}", String(point.lat)).replaceAll("{lng}", String(point.lng));
	}
	says.textContent = metres < 0.5 ? texts.onfirst! : metres > Number(texts.far) ? `${moved} ${texts.farwords}` : moved;
}

// Otherwise the browser would drag the picture away.
over.ondragstart = (event) => event.preventDefault();
over.onpointerdown = (event) => {
	drag = { x: event.clientX, y: event.clientY, north, east, isFar: false };
	over.setPointerCapture(event.pointerId);
};
over.onpointermove = (event) => {
	if (!drag) return;
	const [right, down] = [event.clientX - drag.x, event.clientY - drag.y];
	if (!drag.isFar && Math.hypot(right, down) < DRAG_FROM) return;
	drag.isFar = true;
	placeAt(drag.north + down * metresInPixel(), drag.east - right * metresInPixel());
};
over.onpointerup = over.onpointercancel = () => {
	// The click that ends a drag comes after it.
	setTimeout(() => {
		drag = undefined;
	});
};
over.onclick = (event) => {
	event.preventDefault();
	// A key press on the picture does not choose a point in it.
	if (drag?.isFar || event.detail === 0) return;
	const { left, top, width, height } = over.getBoundingClientRect();
	placeAt(
		north + (height / 2 - (event.clientY - top)) * metresInPixel(),
		east + (event.clientX - left - width / 2) * metresInPixel(),
	);
};

function moveBySteps([northward, eastward]: readonly [number, number]): void {
	const step = Number(new FormData(form).get("step"));
	placeAt(north + northward * step, east + eastward * step);
}

const ways = { n: [1, 0], s: [-1, 0], e: [0, 1], w: [0, -1] } as const;
const keys = { ArrowUp: ways.n, ArrowDown: ways.s, ArrowRight: ways.e, ArrowLeft: ways.w };
over.tabIndex = 0;
over.onkeydown = (event) => {
	const way = keys[event.key as keyof typeof keys];
	if (!way) return;
	// Otherwise the page would scroll.
	event.preventDefault();
	moveBySteps(way);
};
for (const button of form.querySelectorAll<HTMLButtonElement>("[name=move]")) {
	button.onclick = (event) => {
		event.preventDefault();
		moveBySteps(ways[button.value as keyof typeof ways]);
	};
}
document.getElementById("drag")?.removeAttribute("hidden");
