/** What an agent says of an address. */
import * as z from "zod/mini";
import { lazy } from "../lazy.ts";
import { timeSchema } from "../text-schema.ts";
import { canonical } from "./code-schemas.ts";

/** Longest note of an attestation, in UTF-16 units. */
const NOTE_UNITS_MAX = 1000;

export const newAttestationSchema = lazy(() =>
	z
		.strictObject({
			level: z.int().with(
				z.gte(1),
				z.lte(3),
				z.meta({
					description:
						"1: the agent saw it from outside. 2: the agent visited it. 3: the agent also identified the person there.",
					examples: [2],
				}),
			),
			note: z
				._default(
					z.string().with(
						z.normalize("NFC"),
						z.overwrite((text) => text.replace(/\r\n?/g, "\n")),
						z.maxLength(NOTE_UNITS_MAX),
						z.refine(
							(text) => !/[^\P{Cc}\n]|\p{Cs}/u.test(text),
							"Control characters other than line ends are not allowed.",
						),
					),
					"",
				)
				.with(
					z.meta({
						description:
							"What the agent saw. It is empty if you leave it out. It is kept with the record and never shown in public.",
						examples: ["Met the family at the gate"],
					}),
				),
		})
		.register(z.globalRegistry, { id: "NewAttestation" }),
);

export const attestationSchema = lazy(() =>
	z
		.object({
			id: z.string().with(z.meta({ maxLength: 64, examples: ["att_7dN3kq0vXW2mZrB8cT5yLa"] })),
			canonical: canonical(),
			level: z.int().with(z.gte(1), z.lte(3), z.meta({ description: "The level that was attested.", examples: [2] })),
			note: z.string().with(z.meta({ maxLength: NOTE_UNITS_MAX, examples: ["Met the family at the gate"] })),
			verification_level: z
				.int()
				.with(
					z.gte(0),
					z.lte(3),
					z.meta({ description: "The current level of the address. An attestation never lowers it.", examples: [2] }),
				),
			created_at: timeSchema(),
		})
		.register(z.globalRegistry, { id: "Attestation" }),
);
