/**
 * Composes texts at random from the pieces of test/vectors: codes and places as people write them, and what else stands in a message. A
 * reader may find one of those codes or places, ask, or refuse. It fails on anything else: a code or a point that nobody wrote is one in
 * which a digit was left out, added or taken from something beside it.
 */
import { readEntry } from "../../src/codes/entry.ts";
import { readPastedLocation } from "../../src/points/pasted-location.ts";
import { seededRandom } from "../support/random.ts";
import { vectors } from "../support/vectors.ts";

/** A piece of a message, and the code, the nine digits or the point that it gives alone; neither for what stands beside. */
interface Piece {
	text: string;
	code?: string;
	point?: readonly [lat: number, lng: number];
}

const LONGEST = 200;
const FAILURES_MAX = 10;
const SEPARATORS = [" ", ", ", "\n", ". ", " - ", "; ", " | ", ": ", "\n\n", " / "];

function pieceOf(text: string, right: string): Piece | undefined {
	const [, code] = /^([A-Z]{2}\d{9})(?:\/|$)/.exec(right) ?? [];
	const [, lat, lng] = /^(-?[\d.]+) (-?[\d.]+)$/.exec(right) ?? [];
	if (text.length > LONGEST) return undefined;
	if (code) return { text, code };
	return lat && lng ? { text, point: [Number(lat), Number(lng)] } : undefined;
}

const field = vectors<[kind: string, text: string, right: string]>("field");
const held = [
	...field.filter(([kind]) => /code$|^place$/.test(kind)).map(([, text, right]) => pieceOf(text, right)),
	...vectors<[string, string]>("locations").map(([text, right]) => pieceOf(text, right)),
].filter((piece) => piece !== undefined);
const beside: Piece[] = field.filter(([kind]) => kind === "beside").map(([, text]) => ({ text }));

/** What a text gives that none of its pieces holds, or without another that one of them holds; undefined if there is nothing. */
function complaintOf(text: string, pieces: readonly Piece[]): string | undefined {
	const codes = pieces.flatMap(({ code }) => code ?? []);
	const points = pieces.flatMap(({ point }) => (point ? [point] : []));
	const entry = readEntry(text);
	if (entry.kind === "codes") {
		const strange = entry.codes.find(({ canonical }) => !codes.includes(canonical));
		if (strange) return `the code ${strange.canonical}`;
		// Two small letters before the same nine digits are a word.
		const lost = codes.find((code) => !entry.codes.some(({ canonical }) => canonical.slice(2) === code.slice(2)));
		if (lost) return `${entry.codes[0]!.canonical} alone, without ${lost}`;
	}
	if (entry.kind === "no country" && !codes.some((code) => code.endsWith(entry.digits))) {
		return `the nine digits ${entry.digits}`;
	}
	const place = readPastedLocation(text);
	if (place.kind === "code" && !codes.includes(place.canonical)) return `the place of ${place.canonical}`;
	if (place.kind !== "point") return undefined;
	const { lat, lng } = place.point;
	const isAt = ([north, east]: readonly [number, number], degrees: number) =>
		Math.abs(north - lat) < degrees && Math.abs(east - lng) < degrees;
	if (!points.some((point) => isAt(point, 2e-6))) return `the point ${lat} ${lng}`;
	// In a sentence, two whole numbers are no point.
	const lost = points.find((point) => !isAt(point, 0.001) && !point.every(Number.isInteger));
	return lost && `the point ${lat} ${lng} alone, without ${lost.join(" ")}`;
}

/** Whether a text with one code or point gives it, rather than a question. */
function isRead(text: string, { code, point }: Piece): boolean {
	const entry = readEntry(text);
	return point
		? readPastedLocation(text).kind === "point"
		: entry.kind === "codes" && entry.codes[0]?.canonical === code;
}

/** @returns The number of texts that gave what nobody wrote, or one of two without a word on the other. */
export function fuzzReaders(seed: number, texts: number): number {
	const random = seededRandom(seed);
	const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
	let [failures, alone, read] = [0, 0, 0];
	for (let index = 0; index < texts; index += 1) {
		const cores = Array.from({ length: random() < 0.85 ? 1 : 2 }, () => oneOf(held));
		const others = Array.from({ length: Math.floor(random() * 4) }, () => oneOf(beside));
		const pieces = [...cores, ...others]
			.map((piece) => ({ piece, rank: random() }))
			.sort((one, other) => one.rank - other.rank)
			.map(({ piece }) => piece);
		const text = pieces.map((piece) => piece.text).reduce((said, next) => said + oneOf(SEPARATORS) + next);
		const complaint = complaintOf(text, pieces);
		if (cores.length === 1) {
			alone += 1;
			if (isRead(text, cores[0]!)) read += 1;
		}
		if (complaint) {
			failures += 1;
			if (failures <= FAILURES_MAX) console.error(`${complaint}: wrong for ${JSON.stringify(text)}`);
		}
	}
	const share = ((100 * read) / alone).toFixed(1);
	console.log(
		`${texts} texts: ${failures} gave what nobody wrote or lost a part; ${share} % of those with one code or place gave it.`,
	);
	return failures;
}
