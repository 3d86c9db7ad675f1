import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { displayCode } from "../addresses/code.ts";
import { COMPASS, directionOf, metresBetween, wayBetween } from "../addresses/plane.ts";
import type { Address } from "../addresses/resolve.ts";
import { drawSpot, SPOT_HEIGHT, SPOT_WIDTH, SPOT_WINDOWS } from "../addresses/spot-drawing.ts";
import { lengthText } from "../web/lengths.ts";
import { Choice, Form } from "./form.tsx";
import { type Pin, STEPS_METRES, type Surroundings } from "./pin.ts";
import { pathTo, type Visit } from "./visit.ts";

/** Closer than this, in metres, another address of the same holder may be the same place. */
const SAME_PLACE_METRES = 15;

/** A picture of one clear pixel: where it is clicked is sent even without a script, and the drawing lies below it. */
const CLEAR = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

/** How far from the first point the pin is called far, in metres. */
function farMetres({ accuracy }: Pin): number {
	return Math.max(3 * (accuracy ?? 0), 200);
}

/** Where the pin is, seen from the first point, in words. */
function movedText(visit: Visit, pin: Pin): string {
	const { spot } = visit.words;
	const metres = metresBetween(pin.first, pin);
	if (metres < 0.5) return spot.onFirst;
	const direction = visit.locale.messages.compass[directionOf(wayBetween(pin.first, pin))];
	const moved = spot.moved(lengthText(Math.round(metres), visit.locale.language), direction);
	return metres > farMetres(pin) ? `${moved} ${spot.far}` : moved;
}

/** An address of the visitor's own that is at the pin already. */
function Duplicate({ visit, pin, own }: { visit: Visit; pin: Pin; own: Address[] }) {
	const nearest = own
		.map((address) => ({ address, metres: metresBetween(pin, address) }))
		.sort((a, b) => a.metres - b.metres)[0];
	if (!nearest || nearest.metres > SAME_PLACE_METRES) return null;
	const code = displayCode(nearest.address.canonical);
	const { spot } = visit.words;
	return (
		<div class="notice">
			<p>{spot.duplicate(code, lengthText(Math.round(nearest.metres), visit.locale.language))}</p>
			<p class="way">
				<a href={pathTo(visit, `/my/${nearest.address.canonical}`)}>{spot.open(code)}</a>
			</p>
		</div>
	);
}

/**
 * The form by which a pin is placed, on a drawing without map tiles: by choosing a point in it, by buttons, and, where pinScript runs, by dragging and
 * arrow keys.
 */
export function PinForm({
	visit,
	action,
	pin,
	around: { edges, own },
	step,
	children,
}: {
	visit: Visit;
	action: string;
	pin: Pin;
	around: Surroundings;
	/** In metres, one of STEPS_METRES. */
	step: number;
	/** Hidden fields. */
	children?: Child;
}) {
	const { spot } = visit.words;
	const length = (metres: number) => lengthText(metres, visit.locale.language);
	const drawing = drawSpot(
		{
			pin,
			window: pin.window,
			first: { point: pin.first, accuracy: pin.accuracy },
			others: own.map((address) => ({ point: address, display: displayCode(address.canonical) })),
			edges,
		},
		length,
	);
	const { north, east } = wayBetween(pin.first, pin);
	return (
		<>
			<Duplicate visit={visit} pin={pin} own={own} />
			<Form visit={visit} action={action}>
				{children}
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
					data-far={String(farMetres(pin))}
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
					{movedText(visit, pin)}
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
								aria-current={index === pin.window ? "true" : undefined}
							>
								{length(metres)}
							</button>
						))}
					</div>
				</fieldset>
				<button type="submit" class="small" name="go" value="first">
					{spot.toFirst}
				</button>
			</Form>
		</>
	);
}
