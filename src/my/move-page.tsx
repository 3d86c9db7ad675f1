import { displayCode } from "../addresses/code.ts";
import type { Address } from "../addresses/resolve.ts";
import { gpsScript, pinScript } from "../web/scripts.ts";
import type { Failure } from "./failure.ts";
import { consolePage } from "./page.tsx";
import type { Pin, Surroundings } from "./pin.ts";
import { PinForm } from "./pin-form.tsx";
import { pathTo, type SignedInVisit } from "./visit.ts";
import { PlaceForms } from "./where-page.tsx";

/**
 * The page on which the pin of an address is moved: in the drawing, or to where the device is, or to a place that is pasted. The form holds where the pin is by now,
 * so that what was seen is what is saved, whatever another tab does.
 */
export function movePage(
	visit: SignedInVisit,
	{ canonical }: Address,
	pin: Pin,
	{
		around,
		step,
		entered = "",
		failure,
	}: { around: Surroundings; step: number; entered?: string; failure?: Failure | undefined },
): Response {
	const { move, cancel } = visit.words;
	const path = `/my/${canonical}/move`;
	return consolePage(visit, {
		title: move.title,
		failure,
		scripts: [pinScript, gpsScript],
		body: (
			<>
				<p class="code">
					<span dir="ltr">{displayCode(canonical)}</span>
				</p>
				<p>{move.help}</p>
				<PinForm visit={visit} action={path} pin={pin} around={around} step={step}>
					<input type="hidden" name="lat" value={pin.lat} />
					<input type="hidden" name="lng" value={pin.lng} />
					<input type="hidden" name="shown" value={pin.window} />
				</PinForm>
				<h2>{move.elsewhere}</h2>
				<PlaceForms visit={visit} action={path} entered={entered} failure={failure} />
				<p class="way">
					<a href={pathTo(visit, `/my/${canonical}`)}>{cancel}</a>
				</p>
			</>
		),
	});
}
