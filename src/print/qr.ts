import QRCode from "qrcode-svg";

/** Light modules on each side that a reader needs to find the symbol (ISO/IEC 18004 section 6.3.8). */
export const QUIET_ZONE_MODULES = 4;

/** A QR symbol: its modules, and the same as one SVG path in module units, quiet zone included. */
interface QrSymbol {
	/** `modules[row][column]` without the quiet zone; true is dark. */
	modules: boolean[][];
	/** SVG path data of the dark modules. */
	path: string;
	/** Width and height with the quiet zone, in modules. */
	size: number;
}

/**
 * The QR symbol of an ASCII text at error correction level Q: 25 % of codewords are recoverable (ISO/IEC 18004 section 6.5.1), as a
 * sign in sun, rain and dust needs.
 *
 * Only the module matrix is taken from the package: its own SVG is the transpose (a mirror image) and styled in a way that a strict
 * Content-Security-Policy turns black. Its encoder mangles text that is not ASCII, so such text is refused here.
 * @throws RangeError for a text that is not ASCII.
 */
export function qrSymbol(text: string): QrSymbol {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself
	if (!/^[\x00-\x7f]+$/.test(text)) throw new RangeError("A QR symbol is made of ASCII text only");
	const { modules } = new QRCode({ content: text, ecl: "Q" }).qrcode;
	let path = "";
	// Relative moves take a third less room once compressed.
	let [x, y] = [0, 0];
	for (const [row, line] of modules.entries()) {
		let column = 0;
		while (column < line.length) {
			let end = column;
			while (line[end]) end += 1;
			if (end > column) {
				const [left, top] = [column + QUIET_ZONE_MODULES, row + QUIET_ZONE_MODULES];
				path += `m${left - x} ${top - y}h${end - column}v1h-${end - column}z`;
				[x, y] = [left, top];
			}
			column = end + 1;
		}
	}
	return { modules, path, size: modules.length + 2 * QUIET_ZONE_MODULES };
}

/** Text escaped for XML character data and attribute values (XML 1.0 sections 2.2 and 2.4). */
export function escapeXml(text: string): string {
	return text.replace(/[\ufffe\uffff]/g, "").replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Printed side of the QR image, in millimetres: modules of about 1 mm, which a cheap phone reads from an arm's length. */
const PRINTED_SIDE_MM = 40;

/**
 * A printable SVG of the QR symbol that leads to `url`; `title` names it for screen readers. Colours are attributes, which no
 * Content-Security-Policy blocks.
 */
export function qrSvg(url: string, title: string): string {
	const { path, size } = qrSymbol(url);
	return (
		`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${PRINTED_SIDE_MM}mm" height="${PRINTED_SIDE_MM}mm" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
		`<title>${escapeXml(title)}</title><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${path}"/></svg>\n`
	);
}
