/** How variables are read: each is a text, and a schema turns it into a value or says why it cannot be used. */

import type { JSONWebKeySet } from "jose";
import * as z from "zod/mini";
import { type LazySchema, lazy } from "../schemas/lazy.ts";

/**
 * A variable: a text without spaces around it.
 * @param fault What is wrong with a text that cannot be used. It completes a sentence that begins with the variable's name.
 * @param read Makes the value of a text; undefined if it cannot be used.
 */
const variable = <Value>(fault: string, read: (text: string) => Value | undefined) =>
	lazy(() =>
		z.transform((text: unknown, { issues }): Value => {
			const value = typeof text === "string" ? read(text) : undefined;
			const message = typeof text === "string" ? fault : "is not a text";
			if (value === undefined) issues.push({ code: "custom", message, input: undefined });
			return value as Value;
		}),
	);

/** Any text. */
export const anyText = () => variable("", (text) => text);

/** Texts separated by commas. */
const commaSeparated = (pattern: RegExp, fault: string, spell = (entry: string) => entry) =>
	variable(fault, (text) => {
		const entries = text.split(",").map((entry) => spell(entry.trim()));
		return entries.every((entry) => pattern.test(entry)) ? entries : undefined;
	});

/** A text that matches a pattern, as it is. */
const matching = (pattern: RegExp, fault: string) => variable(fault, (text) => (pattern.test(text) ? text : undefined));

/** A number within its bounds. */
export const integer = ({ min, max }: { min: number; max: number }) =>
	variable(`is not an integer from ${min} to ${max}`, (text) =>
		/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
	);

/** A binding of the runtime that is not a variable. */
export const binding = <Bound>() => lazy(() => z.custom<Bound>(Boolean, "is a binding that is missing"));

/** The URL that a text means: people also write a domain or an e-mail address, without a protocol. */
function readLink(text: string, protocols: RegExp): string | undefined {
	const isDomain = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/\S*)?$/.test(text);
	const link = isDomain ? `https://${text}` : /^[^@\s:/]+@[^@\s:/]+$/.test(text) ? `mailto:${text}` : text;
	return protocols.test(URL.parse(link)?.protocol ?? "") ? link : undefined;
}

/** A URL with one of some protocols. */
export const linkOf = (protocols: RegExp, example: string) =>
	variable(`is not a URL such as ${example}`, (text) => readLink(text, protocols));

/** A public origin, without a trailing slash. */
export const origin = () =>
	variable("is not an origin such as https://addr.example", (text) => {
		const link = readLink(text.replace(/\/$/, ""), /^https?:$/);
		return link && new URL(link).origin;
	});

/** A mailto: or https: URL at which somebody can be reached. */
export const contact = () => linkOf(/^(mailto|https):$/, "mailto:office@addr.example");

/** A URL to which requests stay secret on the way: by TLS, or because they stay on this machine. */
export const protectedUrl = () =>
	matching(/^(https:\/\/[^\s/]+|http:\/\/127\.0\.0\.1(:\d+)?)(\/\S*)?$/, "is not an https URL");

/** A name or a postal address, on one line. */
export const singleLine = () =>
	variable("is longer than 200 characters", (text) => {
		const line = text
			.replace(/\s*[\r\n]\s*/g, ", ")
			.replace(/\p{Cc}+/gu, " ")
			.normalize("NFC");
		return line.length > 200 ? undefined : line;
	});

export const onOrOff = () =>
	variable("is neither on nor off", (text) =>
		/^(on|true|yes|1)$/i.test(text) ? true : /^(off|false|no|0)$/i.test(text) ? false : undefined,
	);

/** A country (ISO 3166-1 alpha-2). */
export const countryCode = () =>
	variable("is not the two letters of a country, such as NG", (text) =>
		/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : undefined,
	);

/** The keys of an identity provider: their URL, or the JWKS itself (RFC 7517 section 5). */
export const providerKeys = () =>
	variable("is neither an https URL nor a JWKS with keys", (text): JSONWebKeySet | URL | undefined => {
		if (text.startsWith("https:") && URL.canParse(text)) return new URL(text);
		try {
			const set = JSON.parse(text) as Partial<JSONWebKeySet>;
			return set.keys?.length ? (set as JSONWebKeySet) : undefined;
		} catch {
			return undefined;
		}
	});

/** E-mail addresses separated by commas, in lower case. */
export const emails = () =>
	commaSeparated(/^[^@\s]+@[^@\s]+$/, "is not a list of e-mail addresses separated by commas", (email) =>
		email.toLowerCase(),
	);

/** Country calling codes separated by commas, without the plus sign. */
export const callingCodes = () =>
	commaSeparated(/^[1-9]\d{0,2}$/, "is not a list of country calling codes such as 234,254", (code) =>
		code.replace(/^\+/, ""),
	);

/** The name of an SVG file in the bucket. */
export const fileOfBucket = () =>
	matching(/^[\w-]{1,100}\.svg$/, "is not the name of an SVG file in the bucket, such as crest-1.svg");

/** The start of API keys. */
export const keyPrefix = () =>
	matching(/^[a-z][a-z0-9]{1,15}$/, "is not 2 to 16 lower-case letters and digits that start with a letter");

/** What is wrong with a variable: the rest of a sentence that begins with its name. */
export interface Fault {
	name: string;
	message: string;
}

/**
 * Reads variables by their schemas. An optional one that is not set, or empty, is left out.
 * @returns The values by name, what is wrong with the others, and which were read differently from how they were written, as sentences.
 */
export function readVariables(
	given: object,
	required: Readonly<Record<string, LazySchema>>,
	optional: Readonly<Record<string, LazySchema>>,
) {
	const values: Record<string, unknown> = {};
	const faults: Fault[] = [];
	const mended: string[] = [];
	const withoutSlash = (link: string) => link.replace(/\/$/, "");
	for (const [name, schema] of Object.entries({ ...required, ...optional })) {
		const written = (given as Record<string, unknown>)[name];
		const text = /^(string|number|boolean)$/.test(typeof written) ? String(written).trim() : written;
		const isSet = text !== "" && text !== undefined;
		// A schema takes longer to make than to use: an isolate makes those of usual settings in 3.3 ms, and all in 8.5.
		if (!isSet && !(name in required)) continue;
		const { data, error } = schema().safeParse(isSet ? text : undefined);
		if (error) faults.push({ name, message: error.issues[0]?.message ?? "" });
		else values[name] = data;
		if (typeof data === "string" && withoutSlash(data) !== withoutSlash(String(text).normalize()))
			mended.push(`${name} was read as ${data}. Write it like that.`);
	}
	return { values, faults, mended };
}
