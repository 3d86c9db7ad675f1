import { pinScript } from "../web/scripts.ts";
import type { Draft } from "./draft.ts";
import type { Failure } from "./failure.ts";
import { consolePage } from "./page.tsx";
import type { Surroundings } from "./pin.ts";
import { PinForm } from "./pin-form.tsx";
import { pathTo, type Visit } from "./visit.ts";

/** Step 2: whether the pin is right. */
export function spotPage(
	visit: Visit,
	draft: Draft,
	{ around, step, failure }: { around: Surroundings; step: number; failure: Failure | undefined },
): Response {
	const { spot, where } = visit.words;
	return consolePage(visit, {
		title: spot.title,
		hasHeading: true,
		failure,
		scripts: [pinScript],
		body: (
			<>
				<p class="step">{visit.words.step("2")}</p>
				<h1>{spot.title}</h1>
				<PinForm visit={visit} action="/my/new/spot" pin={draft} around={around} step={step} />
				<p class="way">
					<a href={pathTo(visit, "/my/new")}>{where.startAgain}</a>
				</p>
			</>
		),
	});
}
