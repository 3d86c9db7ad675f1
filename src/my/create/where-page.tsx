import { fill } from "../../languages/template.ts";
import type { Point } from "../../points/coordinate-text.ts";
import { gpsScript } from "../../web/scripts.ts";
import { consolePage } from "../shared/console-page.tsx";
import type { Failure } from "../shared/failure.ts";
import { Field, Form } from "../shared/form.tsx";
import type { Visit } from "../shared/visit.ts";

const EXAMPLE = "\u20666.5244,\u00a03.3792\u2069";

/** Coordinates in one line, isolated, so that they stay left to right in Arabic. */
export function pointText({ lat, lng }: Point): string {
	return `\u2066${lat}, ${lng}\u2069`;
}

/** The way by the device's own position; hidden until a script can use it. */
function GpsForm({ visit, action, isAtOnce }: { visit: Visit; action: string; isAtOnce: boolean }) {
	const { where } = visit.words;
	const texts = {
		searching: where.searching,
		verygood: where.veryGood,
		good: where.good,
		rough: where.rough,
		area: where.area,
		take: where.take,
		takerough: where.takeRough,
		again: where.again,
		denied: where.denied,
		unavailable: where.unavailable,
		timeout: where.timeout,
		...(isAtOnce ? { atonce: "" } : {}),
	};
	return (
		<Form visit={visit} action={action} id="gps" hidden texts={texts}>
			<section>
				<button type="button" class="first" id="here">
					{where.useHere}
				</button>
				<p class="help">{where.useHereHelp}</p>
				<meter id="gps-meter" min={0} max={100} low={70} high={90} optimum={100} hidden aria-hidden="true" />
				<p role="status" id="gps-says" />
				<input type="hidden" name="lat" />
				<input type="hidden" name="lng" />
				<input type="hidden" name="accuracy" />
				<button type="submit" class="first" id="take" hidden>
					{where.take}
				</button>
			</section>
		</Form>
	);
}

/** The ways to say where a place is: by the device's own position, where gpsScript runs, and by pasting it. */
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
	/** Whether to look for the position at once where the visitor has allowed it before. */
	isAtOnce?: boolean;
}) {
	const { where } = visit.words;
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
					<button type="submit" class="button">
						{visit.words.continue}
					</button>
				</Form>
				<details>
					<summary>{where.howTo}</summary>
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

/** Another reading of what was pasted, offered and never taken silently. */
export interface Offer {
	point: Point;
	/** What was pasted, when that is a place too. */
	asTyped: Point | undefined;
}

/** Step 1: where the address is. */
export function wherePage(
	visit: Visit,
	{ entered = "", failure, offer }: { entered?: string; failure?: Failure | undefined; offer?: Offer | undefined } = {},
): Response {
	const { where, step, swapAsk, asTyped } = visit.words;
	return consolePage(visit, {
		title: where.title,
		hasHeading: true,
		failure,
		scripts: [gpsScript],
		body: (
			<>
				<p class="step">{fill(step, { number: "1" })}</p>
				<h1>{where.title}</h1>
				{offer ? (
					<section>
						<PointChoice
							visit={visit}
							point={offer.point}
							text={fill(swapAsk, { point: pointText(offer.point) })}
							isFirst
						/>
						{offer.asTyped ? <PointChoice visit={visit} point={offer.asTyped} text={asTyped} isFirst={false} /> : null}
					</section>
				) : null}
				<PlaceForms visit={visit} action="/my/new" entered={entered} failure={failure} isAtOnce={!failure && !offer} />
			</>
		),
	});
}

function PointChoice({ visit, point, text, isFirst }: { visit: Visit; point: Point; text: string; isFirst: boolean }) {
	return (
		<Form visit={visit} action="/my/new">
			<input type="hidden" name="lat" value={point.lat} />
			<input type="hidden" name="lng" value={point.lng} />
			<button type="submit" class={isFirst ? "first" : ""}>
				{text}
			</button>
		</Form>
	);
}
