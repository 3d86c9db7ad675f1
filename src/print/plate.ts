/** The plate of a code: an enamel house-number plate, the same on pages, signs, cards and shared pictures. */

import { isSandboxCode } from "../codes/sandbox.ts";

/** Width and height of a plate, in its own units. */
export const PLATE_WIDTH = 640;
export const PLATE_HEIGHT = 176;

/** The pin that is the registry's mark, in a square of 24 units. */
export const PIN_PATH =
	"M12 2a7 7 0 0 0-7 7c0 5.2 7 13 7 13s7-7.8 7-13a7 7 0 0 0-7-7zm0 9.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5z";

/** What stands on the plate of a sandbox address, below its digits: the middle of its foot, and its size. */
export const TEST_MARK = { text: "TEST", x: 380, y: 154, size: 30 } as const;

export const PLATE_COLOURS = { face: "#0b5d4e", country: "#07443a", ink: "#fff" } as const;

/**
 * The plate of a code as SVG, whose letters fill their room in whatever font. Colours are attributes, so that it looks the same in the
 * dark, on paper, and where a policy forbids styles. It says nothing to a screen reader: the code stands beside it as text.
 * @param display Such as `NG-1377-48215`.
 * @param attributes Where it stands and how large it is, in an image; a page's styles say that of the class.
 */
export function plateSvg(display: string, attributes = 'class="plate"'): string {
	const [country = "", zone = "", unit = ""] = display.split("-");
	const { face, country: dark, ink } = PLATE_COLOURS;
	const { text, x, y, size } = TEST_MARK;
	const mark = isSandboxCode(country)
		? `<text x="${x}" y="${y}" font-size="${size}" text-anchor="middle">${text}</text>`
		: "";
	return (
		`<svg ${attributes} viewBox="0 0 ${PLATE_WIDTH} ${PLATE_HEIGHT}" aria-hidden="true" direction="ltr" font-family="'Noto Sans',Arial,sans-serif" font-weight="700" fill="${ink}">` +
		`<rect width="640" height="176" rx="26" fill="${face}"/><path d="M26 0h104v176H26a26 26 0 0 1-26-26V26A26 26 0 0 1 26 0z" fill="${dark}"/>` +
		`<rect x="9" y="9" width="622" height="158" rx="19" fill="none" stroke="${ink}" stroke-width="4"/>` +
		`<path transform="translate(16 18) scale(4.1)" d="${PIN_PATH}"/>` +
		`<text x="66" y="149" font-size="40" text-anchor="middle" letter-spacing="2">${country}</text>` +
		`<text x="152" y="119" font-size="84" textLength="456" lengthAdjust="spacingAndGlyphs">${zone}-${unit}</text>${mark}</svg>`
	);
}
