/** The forms of acts, and the links to them. */

import { type Act, type ActContext, pathOf, type Target } from "../../acts/act.ts";
import { acts } from "../../acts/acts.ts";
import type { Failure } from "../../forms/failure.ts";
import { Form } from "../../forms/form.tsx";
import type { Visit } from "../../forms/visit.ts";
import { Choice, Choices, Field } from "../../web/fields.tsx";
import { Submit } from "../../web/parts.tsx";
import { type ActField, fieldLabel, fieldsOf } from "../act-fields.ts";
import { OPERATE } from "./operator-page.tsx";

/** Where a link leads behind OPERATE, and what it says. */
export type Link = [path: string, name: string];

/** Links to other pages for operators, such as the forms of acts. */
export function Links({ links }: { links: Link[] }) {
	return (
		<p class="acts">
			{links.map(([path, name]) => (
				<a href={OPERATE + path}>{name}</a>
			))}
		</p>
	);
}

/** What the button of an act says, and the links to its form. */
function buttonOf({ button }: Act, filled: URLSearchParams): string {
	return typeof button === "string" ? button : button(filled);
}

/** Links to the forms of all acts that something which a page shows offers, filled in as it says. */
export function linksTo<Found extends ActContext, Params, Shown>(
	on: Target<Found, Params, Shown>,
	shown: Shown,
): Link[] {
	return acts
		.filter((act) => act.on === (on as Target))
		.flatMap((act) => {
			const filled = act.offer ? act.offer(shown) : {};
			if (!filled) return [];
			const pairs = Object.entries(filled).flatMap(([name, value]) =>
				[value].flat().map((one) => [name, one as string]),
			);
			const query = new URLSearchParams(pairs);
			const path = pathOf(act).replace(/\{\w+\}/, on.idOf(shown));
			return [[`/${path}${query.size > 0 ? `?${query}` : ""}`, buttonOf(act, query)]];
		});
}

function ActInput({ field, sent, failure }: { field: ActField; sent: URLSearchParams; failure: Failure | undefined }) {
	const { name, help, kind, options } = field;
	const label = fieldLabel(name);
	if (kind === "text" || kind === "number") {
		const shown = { name, label, help, value: sent.get(name) ?? "", failure };
		return <Field {...shown} inputmode={kind === "number" ? "numeric" : "text"} />;
	}
	return (
		<Choices name={name} legend={label} help={help} failure={failure}>
			{options.map((option) => (
				<Choice
					type={kind === "choice" ? "radio" : "checkbox"}
					name={name}
					value={option}
					checked={sent.getAll(name).includes(option)}
				>
					{kind === "choice" ? fieldLabel(option) : option}
				</Choice>
			))}
		</Choices>
	);
}

/**
 * The form of an act.
 * @param sent What the fields hold at first.
 */
export function ActForm({
	visit,
	act,
	sent,
	failure,
}: {
	visit: Visit;
	act: Act;
	sent: URLSearchParams;
	failure?: Failure | undefined;
}) {
	return (
		<Form visit={visit} action={visit.c.req.path}>
			{fieldsOf(act).map((field) => (
				<ActInput field={field} sent={sent} failure={failure} />
			))}
			<p class="buttons">
				<Submit class="first" text={buttonOf(act, sent)} />
			</p>
		</Form>
	);
}
