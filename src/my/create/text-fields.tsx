import { mayBePrivate } from "../../addresses/retired-or-withheld.ts";
import { newAddressSchema } from "../../addresses/schemas.ts";
import { perText, TEXT_FIELDS, TEXTS, type TextField } from "../../addresses/texts.ts";
import { type Failure, fieldFailure } from "../../forms/failure.ts";
import type { Visit } from "../../forms/visit.ts";
import { Choice, Field } from "../../web/fields.tsx";
import type { Draft } from "./draft.ts";

/** The texts of an address, as a form holds them or as they are stored. */
export type Texts = Record<TextField, string>;

/** The texts that a form was sent with. */
export function sentTexts(form: URLSearchParams): Texts {
	return perText((field) => (form.get(field) ?? "").trim());
}

/** The fault of the first text that is too long, or undefined. */
export function faultOfTexts({ words }: Visit, texts: Texts): Failure | undefined {
	const fault = TEXT_FIELDS.find((field) => !newAddressSchema().shape[field].safeParse(texts[field]).success);
	return fault && fieldFailure(fault, words.texts[fault].tooLong);
}

/** The field by which the form of a new address says that it has no words. */
export const WORDLESS = "wordless";

/** The fields for the texts of an address, each with a counter. */
export function TextFields({
	visit,
	texts,
	failure,
	isNew = false,
}: {
	visit: Visit;
	texts: Texts;
	failure?: Failure | undefined;
	/** Whether the address is new. Then the form asks for its words, or whether there are none, and folds the other fields. */
	isNew?: boolean;
}) {
	const { charactersLeft, optional } = visit.words;
	return TEXT_FIELDS.map((field) => {
		const words = visit.words.texts[field];
		const isAsked = isNew && field === "label";
		const label = isAsked ? words.name : `${words.name} ${optional}`;
		const entry = (
			<Field
				name={field}
				label={label}
				help={isAsked ? words.help : `${words.example} ${words.help}`}
				value={texts[field]}
				maxlength={2 * TEXTS[field].charactersMax}
				failure={failure}
			>
				<p role="status" class="help" data-counts={field} data-left={charactersLeft} />
				{isAsked ? (
					<ul class="chips" aria-label={visit.words.startWith}>
						{visit.words.starts.map((start) => (
							<li hidden>
								<button type="button" hidden data-starts={field} data-text={`${start} `}>
									{`${start} …`}
								</button>
							</li>
						))}
					</ul>
				) : null}
			</Field>
		);
		if (!isNew) return entry;
		if (isAsked) {
			return (
				<>
					{entry}
					<Choice type="checkbox" name={WORDLESS} value="1" checked={visit.form.has(WORDLESS)}>
						{visit.words.noWords}
					</Choice>
				</>
			);
		}
		return (
			<details open={texts[field] !== "" || failure?.field === field}>
				<summary>{label}</summary>
				{entry}
			</details>
		);
	});
}

/** Asks who can see an address, if the registry has private ones. */
export function VisibilityChoice({
	visit,
	chosen,
	isNamed = false,
}: {
	visit: Visit;
	chosen: Draft["visibility"];
	/** Whether a heading above it already asks. */
	isNamed?: boolean;
}) {
	const { visibility } = visit.words;
	if (!mayBePrivate(visit.registry, chosen)) return null;
	return (
		<fieldset>
			<legend class={isNamed ? "unseen" : undefined}>{visibility.seenBy}</legend>
			{(["public", "private"] as const).map((value) => (
				<Choice name="visibility" value={value} checked={chosen === value}>
					{visibility[value]}
				</Choice>
			))}
		</fieldset>
	);
}

/** Who can see an address, as a form says. */
export function sentVisibility(form: URLSearchParams): Draft["visibility"] {
	return form.get("visibility") === "private" ? "private" : "public";
}
