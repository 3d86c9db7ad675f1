import type { MetadataJson } from "libphonenumber-js/core";
import { dataFile } from "../data-file.ts";

/** What is known of the phone numbers of the world, as libphonenumber-js takes it. */
export type NumberingPlans = MetadataJson;

/** Reads the numbering plans, which .dev/phone-metadata.ts writes. */
export const readNumberingPlans = dataFile<NumberingPlans>(
	"numbering-plans.bin",
	(bytes) => JSON.parse(new TextDecoder().decode(bytes)) as NumberingPlans,
);
