/** What takes long to make and is only read: made once, for all tests that a process runs. */
import { lazy } from "../../src/schemas/lazy.ts";
import { readEdition } from "../../zones/edition.ts";
import { naturalEarthFinder } from "./natural-earth.ts";
import { createOracle } from "./oracle.ts";
import { readIndexFile } from "./support.ts";

/** The published index, decoded. */
export const publishedEdition = lazy(() => readEdition(readIndexFile()));
/** Finds the country of a point by brute force. */
export const sharedOracle = lazy(createOracle);
/** Finds the country of Natural Earth at a point. */
export const sharedNaturalEarth = lazy(naturalEarthFinder);
