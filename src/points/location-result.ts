/** What a pasted text gives: a location, or the reason why it is none. */
import { parseCode } from "../codes/code.ts";
import type { Found, Reading } from "../codes/reading.ts";
import { AppError } from "../errors.ts";
import { exchanged, isInWorld, type Point, roundedDegrees } from "./point.ts";

/** Why a pasted text is not a location. */
type LocationRefusal =
	| "empty"
	| "unreadable"
	/** Coordinates with something before or between them that could change them and is not understood, such as `~1.2921`. */
	| "unclear part"
	/** Places too far apart to be one. Which of them is meant only the person knows. */
	| "several places"
	/** A link that only its own service can open, such as `maps.app.goo.gl/…`, or that names a place. The registry asks no third party. */
	| "short link"
	/** A location in another notation than degrees: UTM, MGRS, the words of what3words. */
	| "other notation"
	/** A Plus Code without its first four characters, which needs a town beside it. */
	| "short plus code"
	/** A Plus Code of fewer than ten digits, a cell of 275 m or more. */
	| "coarse plus code"
	/** An address code whose check digit does not fit. */
	| "mistyped code"
	/** Degrees that are out of range in either order. */
	| "out of range"
	/** Degrees that are in range only once they are exchanged. The caller asks: nothing is exchanged silently. */
	| "swapped";

/** A Plus Code without its first four characters, and the settlement written beside it, such as `Lagos, Nigeria`. */
export interface ShortPlusCode {
	code: string;
	settlement: string;
	/** What stands on the other side of the code; it may be empty. */
	otherwise: string;
}

/** The location that a text gives: a point, an address code of this registry (`CCZZZZUUUUK`), or a refusal with its reason. */
export type PastedLocation =
	| { kind: "point"; point: Point }
	| { kind: "code"; canonical: string }
	| {
			kind: "refused";
			reason: LocationRefusal;
			/** For `unclear part`: that part of the text. */
			part?: string;
			/** For `swapped`: the point with latitude and longitude exchanged. */
			exchanged?: Point;
			/** For `short plus code`, if there is a settlement beside it. */
			short?: ShortPlusCode;
	  };

/** How much is said of a point beside its numbers: nothing, which of them is the latitude, also the hemispheres, or all by its form. */
type Said = "nothing" | "axes" | "hemispheres" | "all";

/** A location that was found in a text. Only what its form leaves open can be changed by what stands beside it. */
export interface FoundLocation extends Found<PastedLocation | undefined> {
	said: Said;
}

/** A reader of locations. Without the parts that it read, what it returns does not compile. */
export type LocationReader = (text: string) => Reading<FoundLocation>;

export function refused(reason: LocationRefusal): PastedLocation {
	return { kind: "refused", reason };
}

/** The location at a point as it was written, which may be out of range; undefined if there is no point. */
export function locationAt(written: Point | undefined): PastedLocation | undefined {
	if (!written) return undefined;
	const point = { lat: roundedDegrees(written.lat), lng: roundedDegrees(written.lng) };
	if (isInWorld(point)) return { kind: "point", point };
	const turned = exchanged(point);
	return isInWorld(turned) ? { kind: "refused", reason: "swapped", exchanged: turned } : refused("out of range");
}

/** The location of an address code of this registry; undefined if the text does not have the form of one. */
export function locationOfCode(text: string): PastedLocation | undefined {
	try {
		return { kind: "code", canonical: parseCode(text).canonical };
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		return error.code === "BAD_CHECK_DIGIT" ? refused("mistyped code") : undefined;
	}
}

/** Two spellings of a location in one text may differ by this many degrees on either axis. */
const SAME_DEGREES = 0.001;

/** Whether two points of one text are so near each other that they may be one location. */
export function isNear(one: Point, other: Point): boolean {
	return Math.abs(one.lat - other.lat) <= SAME_DEGREES && Math.abs(one.lng - other.lng) <= SAME_DEGREES;
}

/** The one location that some locations of a text give; a refusal if two points or two codes among them differ. */
export function oneLocation(locations: readonly PastedLocation[]): PastedLocation | undefined {
	const [first] = locations;
	const differs = (other: PastedLocation) =>
		(first?.kind === "point" && other.kind === "point" && !isNear(first.point, other.point)) ||
		(first?.kind === "code" && other.kind === "code" && first.canonical !== other.canonical);
	return locations.some(differs) ? refused("several places") : first;
}
