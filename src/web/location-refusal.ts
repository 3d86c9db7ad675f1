import type { Messages } from "../languages/messages-en.ts";
import { fill } from "../languages/template.ts";
import type { PastedLocation } from "../points/location-result.ts";
import { plainLabel } from "../print/label-for-display.ts";

/** The most characters that are shown of a part of a pasted text. */
const PART_CHARACTERS_MAX = 40;

/** A part of what a person pasted, for a sentence about it. */
export function shownPart(part: string): string {
	return Array.from(plainLabel(part)).slice(0, PART_CHARACTERS_MAX).join("");
}

/** Why a pasted text is not a location, as a page says it. */
export function refusalText(
	{ reason, part = "" }: Extract<PastedLocation, { kind: "refused" }>,
	refused: Messages["console"]["refused"],
): string {
	return reason === "unclear part" ? fill(refused[reason], { part: shownPart(part) }) : refused[reason];
}
