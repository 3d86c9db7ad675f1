/**
 * Tells an agent how far they are from the pin, and fills their position into the form. Without a script or a position the form stays
 * hidden, and the sentence that says why stays. The texts are in the data attributes of the form.
 */
import { greatCircle } from "../../points/plane.ts";
import { lengthText } from "../measures.ts";

const form = document.querySelector<HTMLFormElement>("#visit")!;
const says = form.querySelector<HTMLElement>("[role=status]")!;
const why = document.getElementById("needs-location")!;
const texts = form.dataset as Record<string, string>;
const pin = { lat: Number(texts.lat), lng: Number(texts.lng) };

function fill(name: string, value: string): void {
	(form.elements.namedItem(name) as HTMLInputElement).value = value;
}

function found({ coords }: GeolocationPosition): void {
	const { latitude: lat, longitude: lng, accuracy } = coords;
	fill("lat", lat.toFixed(6));
	fill("lng", lng.toFixed(6));
	fill("accuracy", String(Math.min(99_999, Math.ceil(accuracy))));
	const { lang } = document.documentElement;
	const { metres } = greatCircle({ lat, lng }, pin);
	const away = texts
		.away!.replace("{distance}", lengthText(metres, lang))
		.replace("{accuracy}", lengthText(Math.max(1, accuracy), lang));
	// Said before the agent writes anything, because it would be refused.
	const isTooFar = metres > Math.min(Number(texts.most), Number(texts.metres) + accuracy);
	says.textContent = isTooFar ? `${away} ${texts.toofar}` : away;
	says.classList.toggle("wrong", isTooFar);
	for (const button of form.querySelectorAll<HTMLButtonElement>("[type=submit]")) button.disabled = isTooFar;
	form.hidden = false;
	why.hidden = true;
}

if (isSecureContext && "geolocation" in navigator) {
	navigator.geolocation.watchPosition(found, () => {}, { enableHighAccuracy: true, maximumAge: 10_000 });
}
