import { fill } from "../../languages/template.ts";
import { scanScript } from "../../web/scripts.ts";
import { consolePage } from "../shared/console-page.tsx";
import { PhoneFields, presetCountry } from "../shared/credentials.tsx";
import type { Failure } from "../shared/failure.ts";
import { Choice, Field, Form } from "../shared/form.tsx";
import { pathTo, type SignedInVisit } from "../shared/visit.ts";

/** The way by the camera; hidden until a script can use it. */
function Scanner({ visit }: { visit: SignedInVisit }) {
	const { start, stop, aim, denied, none, foreign } = visit.words.scan;
	return (
		<div
			id="scanner"
			hidden
			data-stop={stop}
			data-aim={aim}
			data-denied={denied}
			data-none={none}
			data-foreign={foreign}
		>
			<button type="button">{start}</button>
			<video hidden muted playsinline aria-label={aim} />
			<p role="status" />
		</div>
	);
}

/** What agents do at a place: attest an address, or the phone number of somebody they have met. */
export function attestPage(
	visit: SignedInVisit,
	{ notice, failure }: { notice?: string | undefined; failure?: Failure } = {},
): Response {
	const { attest } = visit.words;
	const { messages } = visit.locale;
	const { form } = visit;
	const isPhone = form.get("what") === "phone";
	const ofAddress = isPhone ? undefined : failure;
	const ofPhone = isPhone ? failure : undefined;
	return consolePage(visit, {
		title: attest.title,
		notice,
		failure,
		scripts: [scanScript],
		body: (
			<>
				<p>{attest.text}</p>
				<section>
					<Scanner visit={visit} />
					<Form visit={visit} action="/my/attest">
						<input type="hidden" name="what" value="address" />
						<Field
							name="code"
							label={messages.codeField}
							help={fill(visit.words.scan.otherwise, { link: messages.forAgents })}
							value={ofAddress ? (form.get("code") ?? "") : (visit.c.req.query("code") ?? "")}
							dir="ltr"
							maxlength={200}
							failure={ofAddress}
						/>
						<fieldset>
							<legend>{attest.level}</legend>
							{attest.levels.map((text, index) => (
								<Choice
									name="level"
									value={String(index + 1)}
									checked={(form.get("level") ?? "2") === String(index + 1)}
								>
									{text}
								</Choice>
							))}
						</fieldset>
						<Field
							name="note"
							label={`${attest.note} ${visit.words.optional}`}
							help={attest.noteHelp}
							value={ofAddress ? (form.get("note") ?? "") : ""}
							maxlength={1000}
							failure={ofAddress}
						/>
						<button type="submit" class="first">
							{attest.button}
						</button>
					</Form>
				</section>
				<section>
					<h2>{attest.phoneTitle}</h2>
					<Form visit={visit} action="/my/attest">
						<input type="hidden" name="what" value="phone" />
						<PhoneFields visit={visit} country={presetCountry(visit)} failure={ofPhone} />
						<Field
							name="theirs"
							label={attest.phoneOwner}
							help={attest.phoneOwnerHelp}
							value={ofPhone ? (form.get("theirs") ?? "") : ""}
							dir="ltr"
							maxlength={200}
							failure={ofPhone}
						/>
						<button type="submit">{attest.phoneTitle}</button>
					</Form>
				</section>
			</>
		),
	});
}

/** The page that people who are not agents get at /my/attest. */
export function agentsOnlyPage(visit: SignedInVisit): Response {
	const { attest, list } = visit.words;
	return consolePage(visit, {
		title: attest.title,
		failure: { field: undefined, message: attest.agentsOnly, status: 403, headers: {}, code: "FORBIDDEN" },
		body: (
			<p>
				<a class="button" href={pathTo(visit, "/my")}>
					{list.title}
				</a>
			</p>
		),
	});
}
