import type { Draft } from "./draft.ts";
import type { Failure } from "./failure.ts";
import { Field, Form } from "./form.tsx";
import { consolePage } from "./page.tsx";
import { pathTo, type Visit } from "./visit.ts";

/** The field for how people find a place, with examples and a counter. */
export function LabelField({ visit, value, failure }: { visit: Visit; value: string; failure?: Failure | undefined }) {
	const { name, optional } = visit.words;
	return (
		<Field
			name="label"
			label={`${name.label} ${optional}`}
			help={name.help}
			value={value}
			maxlength={400}
			failure={failure}
		>
			<p role="status" class="help" data-counts="label" data-left={name.left("{n}")} />
			<ul class="help examples">
				{name.examples.map((example) => (
					<li>{example}</li>
				))}
			</ul>
		</Field>
	);
}

/** Step 3: how people find it. */
export function namePage(visit: Visit, draft: Draft, failure?: Failure): Response {
	const { name, step } = visit.words;
	return consolePage(visit, {
		title: name.title,
		hasHeading: true,
		failure,
		body: (
			<>
				<p class="step">{step("3")}</p>
				<h1>{name.title}</h1>
				<section>
					<Form visit={visit} action="/my/new/name">
						<LabelField visit={visit} value={draft.label} failure={failure} />
						<button type="submit" class="first">
							{visit.words.continue}
						</button>
					</Form>
				</section>
				<p class="way">
					<a href={pathTo(visit, "/my/new/spot")}>{visit.words.back}</a>
				</p>
			</>
		),
	});
}
