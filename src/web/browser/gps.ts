/**
 * Asks the device for its position, once the button is pressed or at once if that is already allowed, and takes the most accurate
 * answer. It stops by itself, and the point can be taken at any time. The texts are in the data attributes of the form, with the gap
 * `{metres}`.
 */
import { lengthText } from "../measures.ts";

/** Accuracies in metres: the one at which to stop, and the upper bounds of the words very good, good and rough. */
const EXACT_ENOUGH = 8;
const VERY_GOOD = 10;
const GOOD = 30;
const ROUGH = 100;
/** When to stop looking for a better answer, and how long to look for the first, in milliseconds. */
const SEARCHED_FOR = 25_000;
const FIRST_WITHIN = 30_000;
/** How often the status may change, so that a screen reader can follow, in milliseconds. */
const SAID_EVERY = 3000;

const element = <Element extends HTMLElement>(id: string) => document.getElementById(id) as Element;
const form = element<HTMLFormElement>("gps");
const here = element<HTMLButtonElement>("here");
const take = element<HTMLButtonElement>("take");
const says = element("gps-says");
const meter = element<HTMLMeterElement>("gps-meter");
const texts = form.dataset as Record<string, string>;

let best: GeolocationCoordinates | undefined;
let watch = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let saidAt = 0;

function stop(): void {
	navigator.geolocation.clearWatch(watch);
	clearTimeout(timer);
	here.textContent = texts.again!;
	here.hidden = false;
	here.classList.toggle("first", !best);
}

function tell(isUrgent: boolean): void {
	if (!best || (!isUrgent && Date.now() - saidAt < SAID_EVERY)) return;
	saidAt = Date.now();
	const { accuracy } = best;
	const text =
		accuracy <= VERY_GOOD
			? texts.verygood!
			: accuracy <= GOOD
				? texts.good!
				: accuracy <= ROUGH
					? texts.rough!
					: texts.area!;
	says.textContent = text.replace("{metres}", lengthText(Math.max(1, accuracy), document.documentElement.lang));
	meter.value = Math.max(2, 100 - accuracy);
	take.textContent = accuracy > ROUGH ? texts.takerough! : texts.take!;
}

function found({ coords }: GeolocationPosition): void {
	if (best && coords.accuracy >= best.accuracy) return;
	const isFirst = !best;
	best = coords;
	const fill = (name: string, value: string) => {
		(form.elements.namedItem(name) as HTMLInputElement).value = value;
	};
	fill("lat", coords.latitude.toFixed(6));
	fill("lng", coords.longitude.toFixed(6));
	fill("accuracy", Math.min(99_999, Math.max(1, coords.accuracy)).toFixed(1));
	meter.hidden = take.hidden = false;
	const isDone = coords.accuracy <= EXACT_ENOUGH;
	tell(isFirst || isDone);
	if (isDone) stop();
}

function failed({ code }: GeolocationPositionError): void {
	if (best) return;
	stop();
	says.textContent = code === 1 ? texts.denied! : code === 2 ? texts.unavailable! : texts.timeout!;
}

if (isSecureContext && "geolocation" in navigator) {
	form.hidden = false;
	here.onclick = () => {
		best = undefined;
		here.hidden = true;
		says.textContent = texts.searching!;
		watch = navigator.geolocation.watchPosition(found, failed, {
			enableHighAccuracy: true,
			maximumAge: 0,
			timeout: FIRST_WITHIN,
		});
		timer = setTimeout(() => {
			tell(true);
			stop();
		}, SEARCHED_FOR);
	};
	// Who has allowed it before is not asked again, and need not press the button.
	if ("atonce" in texts) {
		navigator.permissions?.query({ name: "geolocation" }).then(({ state }) => {
			if (state === "granted" && !watch) here.click();
		});
	}
} else {
	// The styles show it as soon as scripts run, so that nothing moves when this one does.
	form.remove();
}
