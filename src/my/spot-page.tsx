import { raw } from "hono/html";
import { displayCode } from "../addresses/code.ts";
import { COMPASS, directionOf, metresBetween, wayBetween } from "../addresses/plane.ts";
import type { Address } from "../addresses/resolve.ts";
import { drawSpot, SPOT_HEIGHT, SPOT_WIDTH, SPOT_WINDOWS, type Spot } from "../addresses/spot-drawing.ts";
import { lengthText } from "../web/lengths.ts";
import { pinScript } from "../web/scripts.ts";
import type { Draft } from "./draft.ts";
import type { Failure } from "./failure.ts";
import { Choice, Form } from "./form.tsx";
import { consolePage } from "./page.tsx";
import { pathTo, type Visit } from "./visit.ts";

/** How far one press of a button moves the pin, in metres. */
export const STEPS_METRES = [1, 5, 25] as const;
const USUAL_STEP = 5;

/** Closer than this, in metres, another address of the same holder may be the same place. */
export const SAME_PLACE_METRES = 15;

/** A picture of one clear pixel: where it is clicked is sent even without a script, and the drawing lies below it. */
const CLEAR = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

/** How far from the first point the pin is called far, in metres. */
export function farMetres({ accuracy }: Draft): number {
	return Math.max(3 * (accuracy ?? 0), 200);
}

/** Where the pin is, seen from the first point, in words. */
function movedText(visit: Visit, draft: Draft): string {
	const { spot } = visit.words;
	const metres = metresBetween(draft.first, draft);
	if (metres < 0.5) return spot.onFirst;
	const direction = visit.locale.messages.compass[directionOf(wayBetween(draft.first, draft))];
	const moved = spot.moved(lengthText(Math.round(metres), visit.locale.language), direction);
	return metres > farMetres(draft) ? `${moved} ${spot.far}` : moved;
}

/** An address of the visitor's own that is at the pin already. */
function Duplicate({ visit, draft, own }: { visit: Visit; draft: Draft; own: Address[] }) {
	const nearest = own
		.map((address) => ({ address, metres: metresBetween(draft, address) }))
		.sort((a, b) => a.metres - b.metres)[0];
	if (!nearest || nearest.metres > SAME_PLACE_METRES) return null;
	const code = displayCode(nearest.address.canonical);
	const { spot } = visit.words;
	return (
		<div class="notice">
			<p>{spot.duplicate(code, lengthText(Math.round(nearest.metres), visit.locale.language))}</p>
			<p>
				<a href={pathTo(visit, `/my/${nearest.address.canonical}`)}>{spot.open(code)}</a>
			</p>
		</div>
	);
}

/** Step 2: whether the pin is right, on a drawing without map tiles. */
export function spotPage(
	visit: Visit,
	draft: Draft,
	{
		edges,
		own,
		step = USUAL_STEP,
		failure,
	}: { edges: Spot["edges"]; own: Address[]; step?: number; failure?: Failure },
): Response {
	const { spot, where } = visit.words;
	const { language } = visit.locale;
	const length = (metres: number) => lengthText(metres, language);
	const drawing = drawSpot(
		{
			pin: draft,
			window: draft.window,
			first: { point: draft.first, accuracy: draft.accuracy },
			others: own.map((address) => ({ point: address, display: displayCode(address.canonical) })),
			edges,
		},
		length,
	);
	const { north, east } = wayBetween(draft.first, draft);
	return consolePage(visit, {
		title: spot.title,
		hasHeading: true,
		failure,
		scripts: [pinScript],
		body: (
			<>
				<p class="step">{visit.words.step("2")}</p>
				<h1>{spot.title}</h1>
				<Duplicate visit={visit} draft={draft} own={own} />
				<Form visit={visit} action="/my/new/spot">
					{/* The first button is what the Enter key presses. */}
					<button type="submit" class="unseen" name="go" value="right" tabindex={-1}>
						{spot.right}
					</button>
					<input type="hidden" name="north" value="0" />
					<input type="hidden" name="east" value="0" />
					<p>
						{spot.help}{" "}
						<span id="drag" hidden>
							{spot.drag}
						</span>
					</p>
					<div
						class="spot-frame"
						id="frame"
						data-north={north.toFixed(2)}
						data-east={east.toFixed(2)}
						data-onfirst={spot.onFirst}
						data-moved={spot.moved("{d}", "{w}")}
						data-directions={COMPASS.map((direction) => visit.locale.messages.compass[direction]).join("|")}
						data-far={String(farMetres(draft))}
						data-farwords={spot.far}
					>
						{raw(drawing)}
						<input
							type="image"
							name="map"
							src={CLEAR}
							alt={spot.drawing}
							width={SPOT_WIDTH}
							height={SPOT_HEIGHT}
							tabindex={-1}
						/>
					</div>
					<p role="status" id="pin-says">
						{movedText(visit, draft)}
					</p>
					<button type="submit" class="first" name="go" value="right">
						{spot.right}
					</button>
					<div class="pad">
						{(["n", "w", "e", "s"] as const).map((direction) => (
							<button type="submit" name="move" value={direction}>
								{{ n: spot.north, w: spot.west, e: spot.east, s: spot.south }[direction]}
							</button>
						))}
					</div>
					<fieldset>
						<legend>{spot.stepLength}</legend>
						<div class="row-choices">
							{STEPS_METRES.map((metres) => (
								<Choice name="step" value={String(metres)} checked={metres === step}>
									{length(metres)}
								</Choice>
							))}
						</div>
					</fieldset>
					<fieldset>
						<legend>{spot.shown}</legend>
						<div class="inline">
							{SPOT_WINDOWS.map(({ metres }, index) => (
								<button
									type="submit"
									name="window"
									value={String(index)}
									aria-current={index === draft.window ? "true" : undefined}
								>
									{length(metres)}
								</button>
							))}
						</div>
					</fieldset>
					<div class="inline">
						<button type="submit" name="go" value="first">
							{spot.toFirst}
						</button>
						<a href={pathTo(visit, "/my/new")}>{where.startAgain}</a>
					</div>
				</Form>
			</>
		),
	});
}
