import { ButtonLine, Help, Section } from "../../web/parts.tsx";
import type { OperatorAct, Paged } from "../actions.ts";
import { ActList } from "./account-page.tsx";
import { OPERATE, type OperatorVisit, operatorPage } from "./operator-page.tsx";

/** What acts can be looked for by. */
const FILTERS = {
	about: ["About", "An account id, a key id or an address code. Find a person first to look by a phone number."],
	operator: ["Operator", "Their name, as the acts have it."],
	act: ["Act", "Such as suspend, restore, role or retire."],
} as const;

/** Who did what, newest first. */
export function actsPage(
	visit: OperatorVisit,
	asked: URLSearchParams,
	{ rows, nextCursor }: Paged<OperatorAct>,
): Response {
	const older = new URLSearchParams([...asked].filter(([name, value]) => name in FILTERS && value !== ""));
	if (nextCursor) older.set("cursor", nextCursor);
	return operatorPage(visit, {
		title: "Acts of operators",
		body: (
			<>
				<ActList acts={rows} />
				{nextCursor ? <ButtonLine to={`${OPERATE}/acts?${older}`} text="Older acts" /> : null}
				<Section title="Look for acts">
					<form>
						{Object.entries(FILTERS).map(([name, [label, help]]) => (
							<div class="field">
								<label for={name}>{label}</label>
								{/* A query stands in logs, and a phone number must not: nothing here begins with a digit or a plus sign. */}
								<input
									id={name}
									name={name}
									value={asked.get(name) ?? ""}
									pattern="[A-Za-z].*"
									maxlength={320}
									autocomplete="off"
									autocapitalize="none"
									spellcheck={false}
									aria-describedby={`${name}-help`}
								/>
								<Help name={name} text={help} />
							</div>
						))}
						<p class="buttons">
							<button type="submit">Look for acts</button>
						</p>
					</form>
				</Section>
			</>
		),
	});
}
