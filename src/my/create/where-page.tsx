import { raw } from "hono/html";
import { consolePage } from "../../forms/console-page.tsx";
import { formSheet } from "../../forms/console-sheet.ts";
import type { Failure } from "../../forms/failure.ts";
import { ButtonForm, Form } from "../../forms/form.tsx";
import type { Visit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import type { Point } from "../../points/point.ts";
import { PIN_PATH } from "../../print/outline.ts";
import { Field } from "../../web/fields.tsx";
import { Submit } from "../../web/parts.tsx";
import { gpsScript } from "../../web/scripts.ts";
import { placeLine } from "./pin-form.tsx";
import { areaMetres, type Settlement, titleOf } from "./settlement.ts";

const EXAMPLE = "\u20666.5244,\u00a03.3792\u2069";

/**
 * A picture of how to copy coordinates from a map: press and hold the place until a pin appears, then touch the numbers in the box above.
 */
const COPYING = `<svg width="288" viewBox="0 0 288 168" direction="ltr" aria-hidden="true"><rect x="1" y="1" width="286" height="166" rx="14" fill="var(--near)" stroke="var(--soft)"/><path d="M0 128C70 96 120 150 288 92M84 50L132 168M212 44L188 168" fill="none" stroke="var(--way)" stroke-width="9"/><rect x="16" y="14" width="256" height="36" rx="18" fill="var(--card)" stroke="var(--accent)" stroke-width="3"/><text x="34" y="38" font-size="17" font-weight="700" fill="var(--text)">6.5244, 3.3792</text><path d="M244 23h12v13h-12zm-5 5v13h12" fill="none" stroke="var(--accent)" stroke-width="2.5"/><path transform="translate(135 84) scale(1.7)" d="${PIN_PATH}" fill="#b3261e"/><circle cx="155" cy="121" r="15" fill="none" stroke="var(--text)" stroke-width="2" stroke-dasharray="4 3"/><path d="M178 106C206 96 224 84 236 58m-8 6l9-8 3 11" fill="none" stroke="var(--text)" stroke-width="2.5"/><g fill="var(--text)" font-size="15" font-weight="700"><text x="116" y="126">1</text><text x="222" y="104">2</text></g></svg>`;

/** Coordinates in one line, isolated, so that they stay left to right in Arabic. */
export function pointText({ lat, lng }: Point): string {
	return `\u2066${lat},\u00a0${lng}\u2069`;
}

/** The form that uses the device's position. It is hidden until a script can use it. */
function GpsForm({ visit, action, isAtOnce }: { visit: Visit; action: string; isAtOnce: boolean }) {
	const { title, useHere, useHereHelp, paste, pasteHelp, howTo, howToSteps, startAgain, ...said } = visit.words.where;
	const texts = { ...said, ...(isAtOnce ? { atonce: "" } : {}) };
	return (
		<Form visit={visit} action={action} id="gps" hidden texts={texts} sends={{ lat: "", lng: "", accuracy: "" }}>
			<section>
				<button type="button" class="first" id="here">
					{useHere}
				</button>
				<p class="help">{useHereHelp}</p>
				<meter id="gps-meter" min={0} max={100} low={70} high={90} optimum={100} hidden aria-hidden="true" />
				<p role="status" id="gps-says" />
				<button type="submit" class="first" id="take" hidden>
					{said.take}
				</button>
			</section>
		</Form>
	);
}

/** The forms to say where a place is: by the device's position, if gpsScript runs, and by pasting it. */
export function PlaceForms({
	visit,
	action,
	entered,
	failure,
	isAtOnce = false,
}: {
	visit: Visit;
	action: string;
	entered: string;
	failure: Failure | undefined;
	/** Whether to find the position at once if the visitor has allowed it before. */
	isAtOnce?: boolean;
}) {
	const { where, refused } = visit.words;
	const isShortLink = failure?.message === refused["short link"];
	return (
		<>
			<GpsForm visit={visit} action={action} isAtOnce={isAtOnce} />
			<section>
				<Form visit={visit} action={action}>
					<Field
						name="place"
						label={where.paste}
						help={fill(where.pasteHelp, { example: EXAMPLE })}
						value={entered}
						dir="ltr"
						failure={failure}
					/>
					<Submit class="button" text={visit.words.continue} />
				</Form>
				<details open={isShortLink}>
					<summary>{where.howTo}</summary>
					{isShortLink ? raw(COPYING) : null}
					<ol>
						{where.howToSteps.map((text) => (
							<li>{text}</li>
						))}
					</ol>
				</details>
			</section>
		</>
	);
}

/** Another reading of what was pasted. It is offered, never used silently. */
export interface Offer {
	point: Point;
	/** What was pasted, if that is a place too. */
	asTyped: Point | undefined;
}

/** Step 1: where the address is. */
export function wherePage(
	visit: Visit,
	{
		entered = "",
		failure,
		offer,
		settlements = [],
	}: { entered?: string; failure?: Failure | undefined; offer?: Offer | undefined; settlements?: Settlement[] } = {},
): Response {
	const { where, swapAsk, asTyped } = visit.words;
	return consolePage(visit, {
		title: where.title,
		step: 1,
		failure,
		styles: formSheet,
		scripts: [gpsScript],
		body: (
			<>
				{offer ? (
					<section>
						<ButtonForm
							visit={visit}
							action="/my/new"
							sends={{ ...offer.point }}
							class="first"
							text={fill(swapAsk, { point: pointText(offer.point) })}
						/>
						{offer.asTyped ? (
							<ButtonForm visit={visit} action="/my/new" sends={{ ...offer.asTyped }} text={asTyped} />
						) : null}
					</section>
				) : null}
				{settlements.length > 0 ? (
					<section>
						{settlements.map((place) => (
							<ButtonForm
								visit={visit}
								action="/my/new"
								sends={{ lat: place.lat, lng: place.lng, accuracy: areaMetres(place) }}
								text={placeLine(titleOf(place), place.region, place.country, visit.locale)}
							/>
						))}
					</section>
				) : null}
				<PlaceForms visit={visit} action="/my/new" entered={entered} failure={failure} isAtOnce={!failure && !offer} />
			</>
		),
	});
}
