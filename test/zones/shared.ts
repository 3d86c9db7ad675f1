/** What takes long to make and is only read: made once, for all tests that a process runs. */
import { readEdition } from "../../zones/edition.ts";
import { once } from "../../zones/once.ts";
import { createOracle } from "./oracle.ts";
import { readIndexFile } from "./support.ts";

/** The published index, decoded. */
export const publishedEdition = once(() => readEdition(readIndexFile()));
/** Finds the country of a point by brute force. */
export const sharedOracle = once(createOracle);
