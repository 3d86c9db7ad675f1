import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { Address } from "../../addresses/store.ts";
import { groundOf } from "../../basemap/sketch-drawing.ts";
import { displayCode } from "../../codes/code.ts";
import { Form } from "../../forms/form.tsx";
import { pathTo, type Visit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { COMPASS, directionOf, displacementBetween, metresBetween } from "../../points/plane.ts";
import { drawSpot, SPOT_HEIGHT, SPOT_WIDTH, SPOT_WINDOWS, windowFor } from "../../print/spot-drawing.ts";
import { inOneLine, nearbyText } from "../../web/address-view.ts";
import { Choice } from "../../web/fields.tsx";
import { lengthText } from "../../web/measures.ts";
import { Submit, Way } from "../../web/parts.tsx";
import type { NamedPoint } from "../../zones/locate.ts";
import { countryName, placeWords } from "../../zones/naming.ts";
import { type Pin, STEPS_METRES, type Surroundings, USUAL_STEP } from "./placing.ts";

/** Within this distance, in metres, another address of the same owner may be for the same place. */
const SAME_PLACE_METRES = 15;

/** A transparent picture of one pixel over the drawing. Even without a script, the browser sends where it is clicked. */
const CLEAR = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

/** The distance from the first point, in metres, beyond which the pin counts as far. */
function farMetres({ accuracy }: Pin): number {
	return Math.max(3 * (accuracy ?? 0), 200);
}

/** Where the pin is from the first point, in words. If it is still there, how to move it. */
function movedText(visit: Visit, pin: Pin): Child {
	const { spot } = visit.words;
	const metres = metresBetween(pin.first, pin);
	if (metres < 0.5) {
		return (
			<>
				<span class="no-script">{spot.onFirst}</span>
				<span id="drag" hidden>
					{spot.drag}
				</span>
			</>
		);
	}
	const direction = visit.locale.messages.compass[directionOf(displacementBetween(pin.first, pin))];
	const moved = fill(spot.moved, { distance: lengthText(Math.round(metres), visit.locale.language), direction });
	return metres > farMetres(pin) ? `${moved} ${spot.far}` : moved;
}

/** Maps that show a point among streets and roofs. The drawing's script fills the gaps `{lat}` and `{lng}` again. */
const MAPS = [
	["Google Maps", "https://www.google.com/maps/search/?api=1&query={lat}%2C{lng}"],
	["OpenStreetMap", "https://www.openstreetmap.org/?mlat={lat}&mlon={lng}#map=19/{lat}/{lng}"],
] as const;

function linkTo(link: string, { lat, lng }: Pin): string {
	return link.replaceAll("{lat}", String(lat)).replaceAll("{lng}", String(lng));
}

/** The worst accuracy, in metres, at which a point is said to show a house, a few houses, or a street. Beyond, only the area is known. */
const EXACTNESS_METRES = { house: 15, houses: 40, street: 150 } as const;

/** The device's accuracy at the first point, in metres and in words. */
export function accuracyText({ words, locale }: Visit, accuracy: number): string {
	const { house, houses, street } = EXACTNESS_METRES;
	const { exactness } = words.spot;
	const size = accuracy <= house ? "house" : accuracy <= houses ? "houses" : accuracy <= street ? "street" : "area";
	return fill(exactness[size], { metres: lengthText(Math.ceil(accuracy), locale.language) });
}

/** A place with its region and country (ISO 3166-1 alpha-2), in one line of text. */
export function placeLine(name: string, region: string, country: string, { language }: Visit["locale"]): string {
	return inOneLine([...placeWords(name, region), countryName(country, language)], language);
}

/**
 * Asks which of several places near the pin its address names. The first answer is empty. It leaves the choice to the registry, so that a
 * better list of places can correct it later.
 */
function LocalityChoice({ visit, point, chosen }: { visit: Visit; point: NamedPoint; chosen: string | undefined }) {
	const { localities } = point;
	if (localities.length < 2) return null;
	const isOffered = localities.some(({ name }) => name === chosen);
	return (
		<fieldset>
			<legend>{visit.words.spot.locality}</legend>
			{localities.map(({ name }, index) => (
				<Choice
					name="locality"
					value={index === 0 && chosen !== name ? "" : name}
					checked={isOffered ? name === chosen : index === 0}
				>
					<bdi>{name}</bdi>
				</Choice>
			))}
		</fieldset>
	);
}

/** The locality that a form asks for; undefined if it leaves the choice to the registry, or the point does not offer it. */
export function sentLocality(form: URLSearchParams, point: NamedPoint | undefined): string | undefined {
	return point?.localities.find(({ name }) => name === form.get("locality"))?.name;
}

/** Warns that the visitor already has an address at the pin. */
function Duplicate({ visit, pin, own }: { visit: Visit; pin: Pin; own: Address[] }) {
	const nearest = own
		.map((address) => ({ address, metres: metresBetween(pin, address) }))
		.sort((a, b) => a.metres - b.metres)[0];
	if (!nearest || nearest.metres > SAME_PLACE_METRES) return null;
	const code = displayCode(nearest.address.canonical);
	const { spot } = visit.words;
	return (
		<div class="notice">
			<p>{fill(spot.duplicate, { code, distance: lengthText(Math.round(nearest.metres), visit.locale.language) })}</p>
			<Way to={pathTo(visit, `/my/${nearest.address.canonical}`)} text={fill(spot.open, { code })} />
		</div>
	);
}

/**
 * The form to place a pin, on a drawing without map tiles: by choosing a point in it, by buttons, and, if pinScript runs, by dragging and
 * arrow keys. It holds where the pin is, so that exactly what was seen is saved, whatever another tab does.
 */
export function PinForm({
	visit,
	action,
	pin,
	around: { edges, own, point, sketch },
	step,
	locality,
	fields,
	version,
}: {
	visit: Visit;
	action: string;
	pin: Pin;
	around: Surroundings;
	/** One of STEPS_METRES. */
	step: number;
	/** The place that the owner has chosen; null if the form does not ask. */
	locality: string | undefined | null;
	/** What else the form asks, above its first button. */
	fields?: Child;
	/** The version of what the form changes. */
	version?: string;
}) {
	const { spot } = visit.words;
	const length = (metres: number) => lengthText(metres, visit.locale.language);
	const drawing = drawSpot(
		{
			pin,
			window: pin.window,
			first: { point: pin.first, accuracy: pin.accuracy },
			streets: sketch && ((metresPerUnit) => groundOf(sketch.svg, metresPerUnit)),
			others: own.map((address) => ({ point: address, display: displayCode(address.canonical) })),
			edges,
		},
		length,
	);
	const { north, east } = displacementBetween(pin.first, pin);
	return (
		<>
			<Duplicate visit={visit} pin={pin} own={own} />
			<Form
				visit={visit}
				action={action}
				sends={{ lat: pin.lat, lng: pin.lng, shown: pin.window, north: "0", east: "0", version }}
			>
				{/* The first button is what the Enter key presses. */}
				<Submit class="unseen" name="go" value="right" tabindex={-1} text={spot.right} />
				<div
					class="spot-frame"
					id="frame"
					data-north={north.toFixed(2)}
					data-east={east.toFixed(2)}
					data-onfirst={spot.onFirst}
					data-moved={spot.moved}
					data-directions={COMPASS.map((direction) => visit.locale.messages.compass[direction]).join("|")}
					data-far={String(farMetres(pin))}
					data-farwords={spot.far}
					data-lat={pin.lat}
					data-lng={pin.lng}
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
				<p class="no-script">{spot.help}</p>
				<p role="status" id="pin-says">
					{movedText(visit, pin)}
				</p>
				<p class="kind">
					{[
						pin.accuracy !== undefined && accuracyText(visit, pin.accuracy),
						point && placeLine(point.localities[0]?.name ?? "", point.region, point.zone.country, visit.locale),
						sketch && nearbyText(sketch, visit.locale, pin.accuracy),
					]
						.filter(Boolean)
						.join(" · ")}
				</p>
				<section>
					{fields}
					{point && locality !== null ? <LocalityChoice visit={visit} point={point} chosen={locality} /> : null}
				</section>
				<details open={step !== USUAL_STEP || pin.window !== windowFor(pin.accuracy) || Math.hypot(north, east) > 0.5}>
					<summary>{visit.words.move.title}</summary>
					<div class="pad">
						{(["n", "w", "e", "s"] as const).map((direction) => (
							<Submit
								name="move"
								value={direction}
								text={{ n: spot.north, w: spot.west, e: spot.east, s: spot.south }[direction]}
							/>
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
					<Submit class="small" name="go" value="first" text={spot.toFirst} />
					<p class="way kind">
						{spot.seeIn}{" "}
						{MAPS.map(([name, link]) => (
							<>
								<a href={linkTo(link, pin)} data-link={link} target="_blank" rel="noopener noreferrer">
									{name}
								</a>{" "}
							</>
						))}
					</p>
				</details>
				<div class="sticky">
					<Submit class="first" name="go" value="right" text={spot.right} />
				</div>
			</Form>
		</>
	);
}
