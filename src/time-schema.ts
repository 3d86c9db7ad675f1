import * as z from "zod/mini";
import { lazy } from "./lazy.ts";

/** A time as every answer has it: ISO 8601, UTC, milliseconds. */
export const timeSchema = lazy(() =>
	z.iso.datetime({ precision: 3 }).with(z.meta({ examples: ["2026-11-21T09:30:00.000Z"] })),
);
