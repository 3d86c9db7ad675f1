import { consolePage } from "../../forms/console-page.tsx";
import { pinSheet } from "../../forms/console-sheet.ts";
import type { Failure } from "../../forms/failure.ts";
import { pathTo, type Visit } from "../../forms/visit.ts";
import { Way } from "../../web/parts.tsx";
import { pinScript } from "../../web/scripts.ts";
import type { Draft } from "./draft.ts";
import { PinForm } from "./pin-form.tsx";
import type { Surroundings } from "./placing.ts";
import { TextFields, VisibilityChoice } from "./text-fields.tsx";

/** Step 2: whether the pin is right, and how people find the place. */
export function spotPage(
	visit: Visit,
	draft: Draft,
	{ around, step, failure }: { around: Surroundings; step: number; failure: Failure | undefined },
): Response {
	const { spot, where } = visit.words;
	return consolePage(visit, {
		title: spot.title,
		step: 2,
		failure,
		styles: pinSheet,
		scripts: [pinScript],
		body: (
			<>
				<PinForm
					visit={visit}
					action="/my/new/spot"
					pin={draft}
					around={around}
					step={step}
					fields={
						<>
							<TextFields visit={visit} texts={draft} failure={failure} isShort />
							<VisibilityChoice visit={visit} chosen={draft.visibility} />
						</>
					}
				/>
				<Way to={pathTo(visit, "/my/new")} text={where.startAgain} />
			</>
		),
	});
}
