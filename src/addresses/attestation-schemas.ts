/** Requests and answers about attestations. */
import * as z from "zod/mini";
import { answered, described, sent, timeSchema } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";
import { canonical } from "./code-schemas.ts";
import { latitude, longitude } from "./zone-schemas.ts";

/** The worst accuracy that a device reports, in metres. */
const ACCURACY_METRES_MAX = 100_000;

/** Longest note of an attestation, in UTF-16 code units. */
const NOTE_UNITS_MAX = 1000;

/** How far from the pin a visit may be, in metres: the first plus the inaccuracy of the position, but no more than the second. */
export const VISIT_METRES = 100;
export const VISIT_METRES_MAX = 200;

/** Where an agent stood. */
const positionSchema = lazy(() =>
	z.strictObject({
		lat: latitude().schema,
		lng: longitude().schema,
		accuracy_m: described(z.number().with(z.gte(0), z.lte(ACCURACY_METRES_MAX)), "In metres.", 12),
	}),
);

export const newAttestationSchema = sent("NewAttestation", () => ({
	level: described(
		z.int().with(z.gte(1), z.lte(3)),
		"1: the agent saw it from outside. 2: the agent visited it. 3: the agent also identified the person there.",
		2,
	),
	position: described(
		positionSchema(),
		`Where the agent stands, as the device says. It must be within ${VISIT_METRES} m of the point, plus its inaccuracy, up to ${VISIT_METRES_MAX} m in all. Only operators and the agent can read it.`,
		{ lat: 6.5244, lng: 3.3792, accuracy_m: 12 },
	),
	updated_at: described(
		z.optional(timeSchema()),
		"The `updated_at` of the address as the agent read it. With it, an address that has changed since is not attested. Without it, one that has changed within the last day is not.",
		"2026-11-21T09:30:00.000Z",
	),
	note: described(
		z._default(
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
		),
		"What the agent saw. It is empty if you leave it out. It is stored with the record and never shown in public.",
		"Met the family at the gate",
	),
}));

export const recoveryAtPinSchema = sent("RecoveryAtPin", () => ({
	position: described(positionSchema(), "Where the agent stands, as the device says. As for an attestation.", {
		lat: 6.5244,
		lng: 3.3792,
		accuracy_m: 12,
	}),
}));

export const attestationSchema = answered("Attestation", () => ({
	id: z.string().with(z.meta({ maxLength: 64, examples: ["att_7dN3kq0vXW2mZrB8cT5yLa"] })),
	canonical: canonical(),
	level: described(z.int().with(z.gte(1), z.lte(3)), "The level that was attested.", 2),
	note: z.string().with(z.meta({ maxLength: NOTE_UNITS_MAX, examples: ["Met the family at the gate"] })),
	verification_level: described(
		z.int().with(z.gte(0), z.lte(3)),
		"The current level of the address. An attestation never lowers it.",
		2,
	),
	created_at: timeSchema(),
}));

/** An attestation with the agent's position, for operators and the agent. */
export const attestedRecordSchema = lazy(() =>
	z.extend(z.pick(attestationSchema(), { canonical: true, level: true, note: true, created_at: true }), {
		position: described(z.nullable(positionSchema()), "Where the agent stood. Null where that was not stored.", null),
		distance_m: described(
			z.nullable(z.number().with(z.gte(0), z.lte(ACCURACY_METRES_MAX))),
			"How far that was from the point, in metres.",
			14.2,
		),
	}),
);

/** An agent's reading of a private address. */
export const privateReadSchema = lazy(() => z.object({ canonical: canonical(), read_at: timeSchema() }));
