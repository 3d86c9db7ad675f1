/** Tells, once the button is pressed, how far the address is from the visitor and in which direction. The position stays on the device. */
import { COMPASS, greatCircle } from "../../points/plane.ts";
import { lengthText } from "../measures.ts";

const item = document.getElementById("distance")!;
const says = item.querySelector("p")!;
const texts = item.dataset as Record<string, string>;

if (isSecureContext && "geolocation" in navigator) {
	item.hidden = false;
	item.querySelector("button")!.onclick = () =>
		navigator.geolocation.getCurrentPosition(
			({ coords }) => {
				const { metres, direction } = greatCircle(
					{ lat: coords.latitude, lng: coords.longitude },
					{ lat: Number(texts.lat), lng: Number(texts.lng) },
				);
				says.textContent = texts
					.away!.replace("{distance}", lengthText(metres, document.documentElement.lang))
					.replace("{direction}", texts.compass!.split("|")[COMPASS.indexOf(direction)]!);
			},
			() => {
				says.textContent = texts.unknown!;
			},
			{ enableHighAccuracy: true, maximumAge: 60_000, timeout: 20_000 },
		);
}
