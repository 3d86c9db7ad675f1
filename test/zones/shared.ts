/** What takes long to make and is only read: made once, for all tests that a process runs. */
import { readEdition } from "../../zones/edition.ts";
import { surveyBorders } from "../../zones/survey.ts";
import { createOracle } from "./oracle.ts";
import { readIndexFile } from "./support.ts";

function once<Made>(make: () => Made): () => Made {
	let made: { value: Made } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}

/** The published index, decoded. */
export const publishedEdition = once(() => readEdition(readIndexFile()));
/** The countries of the world and the borders between them. */
export const worldBorders = once(surveyBorders);
/** Finds the country of a point by brute force. */
export const sharedOracle = once(createOracle);
