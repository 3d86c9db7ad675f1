import { ENTRANCE_METRES_MAX } from "../../addresses/schemas.ts";
import type { Address } from "../../addresses/store.ts";
import { partsOf } from "../../codes/code.ts";
import { isSandboxCode } from "../../codes/sandbox.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { pinSheet } from "../../forms/console-sheet.ts";
import type { Failure } from "../../forms/failure.ts";
import { ButtonForm } from "../../forms/form.tsx";
import { pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { lengthText } from "../../web/measures.ts";
import { CodeLine, Way } from "../../web/parts.tsx";
import { gpsScript, pinScript } from "../../web/scripts.ts";
import { zoneDigits } from "../../zones/naming.ts";
import { PinForm } from "../create/pin-form.tsx";
import type { Pin, Surroundings } from "../create/placing.ts";
import { PlaceForms } from "../create/where-page.tsx";
import { versionFor, versionOfSent } from "./changed-page.tsx";
import { VerificationEnds } from "./own-address-page.tsx";

/** What a pin is placed for: to move the point of an address, or to mark its entrance. It is also the end of the page's path. */
export type PinKind = "move" | "entrance";

/** Whether a pin lies outside the zone of its address, where it cannot be saved. A sandbox address has the number of the real zone. */
function isElsewhere(canonical: string, { point }: Surroundings): boolean {
	const { country, zone } = partsOf(canonical);
	if (!point) return false;
	return zoneDigits(point.zone.zone) !== zone || (point.zone.country !== country && !isSandboxCode(country));
}

/**
 * The page on which the pin of an address or its entrance is placed: in the drawing, at the device's position, or at a place that is
 * pasted.
 */
export function movePage(
	visit: SignedInVisit,
	address: Address,
	pin: Pin,
	{
		placing,
		around,
		step,
		locality = address.isLocalityChosen ? address.locality : undefined,
		entered = "",
		failure,
	}: {
		placing: PinKind;
		around: Surroundings;
		step: number;
		/** The place that the owner has chosen on the page. Without one, it is the one they chose before. */
		locality?: string | undefined;
		entered?: string;
		failure?: Failure | undefined;
	},
): Response {
	const { move, entrance, cancel } = visit.words;
	const { canonical } = address;
	const path = `/my/${canonical}/${placing}`;
	const sends = versionOfSent(visit, versionFor("pin", address));
	const metres = lengthText(ENTRANCE_METRES_MAX, visit.locale.language);
	return consolePage(visit, {
		title: visit.words[placing].title,
		styles: pinSheet,
		failure,
		scripts: [pinScript, gpsScript],
		body: (
			<>
				<CodeLine canonical={canonical} />
				<p>{placing === "move" ? move.help : fill(entrance.help, { metres })}</p>
				<VerificationEnds visit={visit} address={address} />
				{placing === "move" && isElsewhere(canonical, around) ? (
					<div class="notice">
						<p>{visit.words.errors.OUTSIDE_ITS_ZONE}</p>
						<ButtonForm visit={visit} action="/my/new" sends={{ lat: pin.lat, lng: pin.lng }} text={move.createHere} />
					</div>
				) : null}
				<PinForm
					visit={visit}
					action={path}
					pin={pin}
					around={around}
					step={step}
					locality={placing === "move" ? locality : null}
					{...sends}
				/>
				{placing === "entrance" && address.entrance ? (
					<ButtonForm visit={visit} action={path} sends={sends} name="remove" value="entrance" text={entrance.remove} />
				) : null}
				<h2>{move.elsewhere}</h2>
				<PlaceForms visit={visit} action={path} entered={entered} failure={failure} />
				<Way to={pathTo(visit, `/my/${canonical}`)} text={cancel} />
			</>
		),
	});
}
