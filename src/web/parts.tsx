/** Small components that all kinds of pages share. */
import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { displayCode } from "../codes/code.ts";
import { PIN_PATH } from "../print/outline.ts";
import { plateSvg } from "../print/plate.ts";
import type { AskedLanguage } from "./locale.ts";

/** A text in its own direction; nothing if there is none. */
export function Written({ text, class: className }: { text: string | null | undefined; class?: string | undefined }) {
	return text ? (
		<p class={className}>
			<bdi>{text}</bdi>
		</p>
	) : null;
}

/** The code of an address, in its groups. */
export function CodeLine({ canonical }: { canonical: string }) {
	return (
		<p class="code">
			<span dir="ltr">{displayCode(canonical)}</span>
		</p>
	);
}

/** Hidden fields of a form, one for each value that is not undefined. */
export function Hidden({ values }: { values: Readonly<Record<string, string | number | undefined>> }) {
	return Object.entries(values).map(([name, value]) =>
		value === undefined ? null : <input type="hidden" name={name} value={value} />,
	);
}

/** Carries the language of a page in a form that leads to another page by GET. */
export function LanguageField({ locale: { asked, query } }: { locale: AskedLanguage }) {
	return <Hidden values={{ lang: query ? asked : undefined }} />;
}

interface SubmitAttributes {
	class?: string;
	name?: string;
	value?: string;
	tabindex?: number;
}

/** A button that sends its form. */
export function Submit({ text, ...attributes }: { text: string } & SubmitAttributes) {
	return (
		<button type="submit" {...attributes}>
			{text}
		</button>
	);
}

/** A link to another page, in a line of its own. */
export function Way({ to, text }: { to: string; text: string | undefined }) {
	return (
		<p class="way">
			<a href={to}>{text}</a>
		</p>
	);
}

/** A link as a button, in a line of its own. */
export function ButtonLine({ to, text, class: className = "button" }: { to: string; text: string; class?: string }) {
	return (
		<p>
			<a class={className} href={to}>
				{text}
			</a>
		</p>
	);
}

/** A link as a button, in a list of them. */
export function ButtonItem({ text, ...attributes }: { text: string; href: string; rel?: string; download?: string }) {
	return (
		<li>
			<a class="button" {...attributes}>
				{text}
			</a>
		</li>
	);
}

/** The items of a list of links, of which one may lead to the page itself. */
export function LinkItems({ links }: { links: readonly (readonly [to: string, text: string, isHere?: boolean])[] }) {
	return links.map(([to, text, isHere]) => (
		<li>
			<a href={to} aria-current={isHere ? "page" : undefined}>
				{text}
			</a>
		</li>
	));
}

/** A house with a pin. */
export const HOUSE_PICTURE = `<path d="M2 26 22 8l20 18h-4v20H6V26zm15 2v18h10V28z" fill-rule="evenodd"/><path transform="translate(40 6) scale(1.3)" d="${PIN_PATH}"/>`;

/** A picture of 72 by 48 units. */
export function Illustration({ of }: { of: string }) {
	return (
		<svg viewBox="0 0 72 48" aria-hidden="true">
			{raw(of)}
		</svg>
	);
}

/** What stands in place of an empty list. */
export function Empty({ picture, text }: { picture: string; text: string }) {
	return (
		<div class="empty">
			<Illustration of={picture} />
			<p>{text}</p>
		</div>
	);
}

/** A section with a heading. */
export function Section({ title, children }: { title: string; children?: Child }) {
	return (
		<section>
			<h2>{title}</h2>
			{children}
		</section>
	);
}

/** The plate of a code, and beside it the code as text, which can be found, copied and read aloud. */
export function Plate({ canonical, unit }: { canonical: string; unit?: string | undefined }) {
	return (
		<>
			<span class="unseen" dir="ltr">
				{displayCode(canonical)}
			</span>
			{raw(plateSvg(canonical, { unit }))}
		</>
	);
}
