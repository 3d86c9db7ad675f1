/** Texts with named gaps: `{code} is retired.` They are data, and the compiler knows the gaps of each. */

/** The names of the gaps in a text. */
export type Gaps<Text extends string> = Text extends `${string}{${infer Gap}}${infer Rest}` ? Gap | Gaps<Rest> : never;

declare const gaps: unique symbol;

/** A text with gaps. It is a string, but nothing to show until it is filled, so the compiler does not take it for one. */
export interface Template<Gap extends string> {
	readonly [gaps]: Gap;
}

/** Texts as literals, with each that has gaps as a template. */
type Templates<Texts> = Texts extends string
	? [Gaps<Texts>] extends [never]
		? string
		: Template<Gaps<Texts>>
	: { readonly [Key in keyof Texts]: Templates<Texts[Key]> };

/** Tells the compiler which of the texts have which gaps. */
export function written<const Texts>(texts: Texts): Templates<Texts> {
	return texts as unknown as Templates<Texts>;
}

/** A template with its gaps filled. */
export function fill<Gap extends string>(template: Template<Gap>, values: Readonly<Record<Gap, string>>): string {
	return String(template).replace(/\{(\w+)\}/g, (_, gap: Gap) => values[gap]);
}

/** Texts under the keys of messages. */
type Texts<Said> = Said extends string | Template<string> ? string : { readonly [Key in keyof Said]: Texts<Said[Key]> };

/** The gaps that a message has in English. */
type GapsOf<Said> = Said extends Template<infer Gap> ? Gap : never;

/** Texts themselves where each has the gaps of its message, and nothing is said that has no message. */
type Matching<Own, Said> = Own extends string
	? [Gaps<Own>, GapsOf<Said>] extends [GapsOf<Said>, Gaps<Own>]
		? Own
		: { "these are the gaps in English": GapsOf<Said> }
	: { readonly [Key in keyof Own]: Key extends keyof Said ? Matching<Own[Key], Said[Key]> : never };

/**
 * Makes the function that takes another language's texts for messages. A text that is missing or unknown, or whose gaps are not those of
 * its message, does not compile.
 */
export function translator<Said>() {
	return <const Own extends Texts<Said>>(own: Own & Matching<Own, Said>): Said => own as unknown as Said;
}
