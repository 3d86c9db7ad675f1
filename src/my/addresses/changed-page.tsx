import type { UnitRecord } from "../../addresses/address-record.ts";
import { contentOf } from "../../addresses/content.ts";
import type { Address } from "../../addresses/store.ts";
import { perText, TEXT_FIELDS, type TextField } from "../../addresses/texts.ts";
import { sha256Hex } from "../../crypto/hash.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { Form } from "../../forms/form.tsx";
import { pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { plainLabel } from "../../print/label-for-display.ts";
import { CodeLine, Submit, Way } from "../../web/parts.tsx";
import { pointText } from "../create/where-page.tsx";

/**
 * What each form changes. Its page holds a version of that, which stays when anything else changes, such as the names of a new edition of
 * the zones, or the level that an agent attests.
 */
const CHANGED_BY = {
	texts: (address: Address) => perText((field) => address[field]),
	visibility: ({ visibility }: Address) => visibility,
	pin: ({ lat, lng, entrance, isLocalityChosen, locality }: Address) => [
		lat,
		lng,
		entrance,
		isLocalityChosen && locality,
	],
	/** To share or retire an address is to judge all that its owner says of it. */
	address: (address: Address) => contentOf(address),
};

const versionOf = (values: unknown) => sha256Hex(JSON.stringify(values)).slice(0, 12);

/** The hidden field by which a form says what it was made from. */
export const versionFor = (form: keyof typeof CHANGED_BY, address: Address) => ({
	version: versionOf(CHANGED_BY[form](address)),
});

/** The same for the forms of units. */
export const versionOfUnits = (units: UnitRecord[]) => ({ version: versionOf(units) });

/** The version for a page that shows a form again, which is that of the page on which it was filled in. */
export function versionOfSent({ form }: SignedInVisit, { version }: { version: string }) {
	return { version: form.get("version") ?? version };
}

/** Whether a form was made from another version. A page that was opened before forms had one says nothing of it. */
export function isStale({ form }: SignedInVisit, { version }: { version: string }): boolean {
	const seen = form.get("version");
	return seen !== null && seen !== version;
}

/** A value that a form changes or rests on: as it is saved now, and as the visitor wants it, if the form changes it. */
export interface Difference {
	name: string;
	now: string;
	mine?: string;
}

/** The texts of an address as they are saved now, and those that a form was sent with, if it has them. */
export function textsNow({ words }: SignedInVisit, now: Address, mine?: Record<TextField, string>): Difference[] {
	return TEXT_FIELDS.map((field) => ({
		name: words.texts[field].name,
		now: plainLabel(now[field]),
		...(mine && { mine: plainLabel(mine[field]) }),
	}));
}

type Pinned = Pick<Address, "lat" | "lng" | "locality" | "entrance">;

/** Where an address and its entrance are as saved now, and as a form would have them, if it moves one of them. */
export function pinNow({ words }: SignedInVisit, now: Pinned, mine?: Pinned): Difference[] {
	const place = (pinned: Pinned) => [pointText(pinned), pinned.locality].filter(Boolean).join(" ");
	const entrance = ({ entrance }: Pinned) => (entrance ? pointText(entrance) : "");
	return [
		{ name: words.reports.place, now: place(now), ...(mine && { mine: place(mine) }) },
		{ name: words.entrance.title, now: entrance(now), ...(mine && { mine: entrance(mine) }) },
	];
}

/** All that the owner says of an address, as it is saved now. */
export function contentNow(visit: SignedInVisit, address: Address): Difference[] {
	const { words } = visit;
	return [
		...textsNow(visit, address),
		...pinNow(visit, address),
		{ name: words.visibility.seenBy, now: words.visibility[address.visibility] },
	];
}

/**
 * The page for a form that would overwrite, or rests on, what has changed since its page was opened. It shows what is saved now and what
 * the visitor wants, and sends the same form again with the version of what it shows.
 */
export function changedPage(
	visit: SignedInVisit,
	{ canonical }: Address,
	{
		title,
		differences,
		version,
		button = visit.words.changedElsewhere.save,
	}: { title: string; differences: Difference[]; version: { version: string }; button?: string },
): Response {
	const { words, form, c } = visit;
	const list = (of: "now" | "mine") => (
		<>
			<h2>{words.changedElsewhere[of]}</h2>
			<dl>
				{differences.map((difference) => (
					<div>
						<dt>{difference.name}</dt>
						<dd>
							<bdi>{difference[of] || "–"}</bdi>
						</dd>
					</div>
				))}
			</dl>
		</>
	);
	return consolePage(visit, {
		title,
		failure: { field: undefined, message: words.errors.conflict, status: 409, headers: {}, code: "ADDRESS_CHANGED" },
		body: (
			<section>
				<CodeLine canonical={canonical} />
				{list("now")}
				{differences.some(({ mine }) => mine !== undefined) ? list("mine") : null}
				<Form visit={visit} action={c.req.path} sends={{ ...Object.fromEntries(form), ...version }}>
					<Submit class="first" text={button} />
				</Form>
				<Way to={pathTo(visit, `/my/${canonical}`)} text={words.cancel} />
			</section>
		),
	});
}
