/** The code of an address in requests and answers. */

import * as z from "zod/mini";
import { parseCode } from "../codes/code.ts";
import { AppError, type ProblemCode } from "../errors.ts";
import { described } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";

export const canonical = lazy(() =>
	described(z.string().with(z.regex(/^[A-Z]{2}\d{9}$/)), "The code without separators.", "NG137748215", {
		maxLength: 11,
	}),
);

/** A code in any spelling in a body, which parseCode can read. An invalid code is reported as a fault of its field. */
export const codeInBody = lazy(() =>
	z.string().with(
		z.superRefine((text, { addIssue }) => {
			try {
				parseCode(text);
			} catch (error) {
				if (!(error instanceof AppError)) throw error;
				addIssue({ code: "custom", message: error.detail });
			}
		}),
		z.meta({ maxLength: 200, examples: ["NG-1377-48215"] }),
	),
);

/** A code of a batch, in any spelling. An invalid code gets an error of its own in the answer. */
export const askedCode = lazy(() => z.string().with(z.meta({ maxLength: 64 * 1024, examples: ["NG-1377-48215"] })));

/** What can go wrong with the code of an address in a path. */
export const CODE_ERRORS: readonly ProblemCode[] = [
	"MALFORMED_CODE",
	"BAD_CHECK_DIGIT",
	"ADDRESS_NOT_FOUND",
	"ADDRESS_RETIRED",
];

/** A code in any spelling. parseCode throws MALFORMED_CODE or BAD_CHECK_DIGIT for an invalid one. */
const codeText = lazy(() =>
	described(
		z.string(),
		"The code in canonical, display or spaced form. Case, spaces and dashes do not matter.",
		"NG-1377-48215",
		{ maxLength: 200 },
	),
);
const codeInPath = lazy(() => z.pipe(codeText(), z.transform(parseCode)));

export const codeParameterSchema = lazy(() => z.object({ code: codeInPath() }));
/** The router passes the whole file name, with its extension. */
export const geoJsonParameterSchema = lazy(() =>
	z.object({
		code: z.pipe(
			codeText(),
			z.transform((file) => parseCode(file.replace(/\.geojson$/, ""))),
		),
	}),
);
export const canonicalParameterSchema = lazy(() => z.object({ canonical: codeInPath() }));
