/** The endpoints for the units of addresses: flats, shops, offices. */

import * as z from "zod/mini";
import { isUnit, normalizeUnit, UNIT_CHARACTERS_MAX } from "../codes/unit.ts";
import { unitName } from "../codes/unit-text.ts";
import { json, noContent, representations } from "../http/answer.ts";
import { anyone, type Endpoint, endpoint } from "../http/endpoint.ts";
import { userOrWritingKey } from "../keys/key-auth.ts";
import { answered, arrayOf, described, sent } from "../schemas/common.ts";
import { lazy } from "../schemas/lazy.ts";
import { PUBLIC_CACHE_CONTROL } from "./address-cache.ts";
import { recordTag } from "./address-record.ts";
import { CODE_ERRORS, canonicalParameterSchema, codeParameterSchema } from "./code-schemas.ts";
import { entityTag, ifMatchHeaderSchema, RECORD_TAG } from "./entity-tag.ts";
import { publicRequestOf } from "./public-endpoints.ts";
import { sharedQuerySchema, text } from "./schemas.ts";
import { TEXTS } from "./texts.ts";
import { answerUnits, changeUnit, listUnits, UNITS_MAX, type WrittenUnit } from "./unit-actions.ts";

const tag = "Addresses";

const unitSchema = lazy(() =>
	described(z.string(), "In upper case and digits 0 to 9, without spaces (NFKC).", "3B", {
		maxLength: UNIT_CHARACTERS_MAX,
	}),
);

/** The longest unit as people write it, in UTF-16 code units, with spaces and decomposed characters. */
const WRITTEN_MAX = 200;

/** A unit in any spelling, in a path. */
const unitInPath = lazy(() =>
	z.pipe(
		z.pipe(
			described(z.string(), "A flat, shop or office, such as `3B`, in any case, spacing and digits.", "3B", {
				maxLength: WRITTEN_MAX,
			}),
			z.transform((written): WrittenUnit => ({ unit: normalizeUnit(written), name: unitName(written) })),
		),
		z.custom<WrittenUnit>(
			({ unit }) => isUnit(unit),
			`Send 1 to ${UNIT_CHARACTERS_MAX} characters, not counting spaces, without control characters.`,
		),
	),
);

const unitParameterSchema = lazy(() => z.extend(canonicalParameterSchema(), { unit: unitInPath() }));

const newUnitSchema = sent("NewUnit", () => ({ label: z._default(text("label"), "") }));

export const unitRecordSchema = answered("Unit", () => ({
	unit: unitSchema(),
	name: described(z.string(), "As its owner wrote it. Show this to people.", "3B", { maxLength: WRITTEN_MAX }),
	label: z.string().with(z.meta({ maxLength: TEXTS.label.charactersMax, examples: ["Second floor, left"] })),
}));

const unitListSchema = answered("UnitList", () => ({
	data: arrayOf(unitRecordSchema(), UNITS_MAX),
}));

export const unitEndpoints: Endpoint[] = [
	endpoint({
		method: "get",
		path: "/v1/public/addresses/{code}/units",
		id: "listUnits",
		tag: "Resolve",
		summary: "List the units of an address",
		description:
			"Lists the flats, shops and offices that the owner has named. `/a/{code}?unit=3B` is the page of the address with one of them.",
		access: anyone,
		params: codeParameterSchema,
		query: sharedQuerySchema,
		cache: PUBLIC_CACHE_CONTROL,
		answer: representations(
			{ "application/json": unitListSchema },
			"The units, in the order in which they were named.",
		),
		errors: [...CODE_ERRORS, "ADDRESS_PRIVATE"],
		handle: ({ registry, c, params }) => answerUnits(registry, publicRequestOf(c, params.code, c.req.param("code"))),
	}),
	endpoint({
		method: "get",
		path: "/v1/addresses/{canonical}/units",
		id: "listOwnUnits",
		tag,
		summary: "List the units of an address of yours",
		description: "Always returns the current state, also of a private address. Only the owner can do this.",
		access: userOrWritingKey,
		params: canonicalParameterSchema,
		answer: json(200, unitListSchema, "The units, in the order in which they were named.", { headers: RECORD_TAG }),
		errors: [...CODE_ERRORS, "FORBIDDEN"],
		handle: async ({ registry, c, caller, params }) => {
			const { units, address } = await listUnits(registry, caller, params.canonical);
			const answer = { data: units };
			c.header("ETag", await entityTag(address.version, "units", JSON.stringify(answer)));
			return answer;
		},
	}),
	endpoint({
		method: "put",
		path: "/v1/addresses/{canonical}/units/{unit}",
		id: "putUnit",
		tag,
		summary: "Name a unit of an address",
		description: `Adds a flat, shop or office to an address of yours, or changes its label. It uses no code. An address may have ${UNITS_MAX} units.`,
		access: userOrWritingKey,
		params: unitParameterSchema,
		headers: ifMatchHeaderSchema,
		body: newUnitSchema,
		answer: json(200, unitRecordSchema, "The unit.", { headers: RECORD_TAG }),
		errors: [...CODE_ERRORS, "FORBIDDEN", "PRECONDITION_FAILED", "QUOTA_EXCEEDED"],
		handle: async ({ registry, c, caller, params: { canonical: code, unit }, headers, body: { label } }) => {
			const ifMatch = headers["if-match"];
			const put = await changeUnit(registry, caller, { code, ...unit, label, ifMatch });
			c.header("ETag", await recordTag(put.address, caller.userId, registry.webUrl));
			return put.unit!;
		},
	}),
	endpoint({
		method: "delete",
		path: "/v1/addresses/{canonical}/units/{unit}",
		id: "removeUnit",
		tag,
		summary: "Remove a unit of an address",
		description: "Removing it again answers 204 and changes nothing. Only the owner can do this.",
		access: userOrWritingKey,
		params: unitParameterSchema,
		headers: ifMatchHeaderSchema,
		answer: noContent("The address has no such unit.", { headers: RECORD_TAG }),
		errors: [...CODE_ERRORS, "FORBIDDEN", "PRECONDITION_FAILED", "QUOTA_EXCEEDED"],
		handle: async ({ registry, c, caller, params: { canonical: code, unit }, headers }) => {
			const ifMatch = headers["if-match"];
			const { address } = await changeUnit(registry, caller, { code, ...unit, label: undefined, ifMatch });
			c.header("ETag", await recordTag(address, caller.userId, registry.webUrl));
		},
	}),
];
