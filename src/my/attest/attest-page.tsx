import { updatedAt } from "../../addresses/address-record.ts";
import type { Address } from "../../addresses/store.ts";
import { displayCode } from "../../codes/code.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { PhoneFields, presetCountry } from "../../forms/credentials.tsx";
import type { Failure } from "../../forms/failure.ts";
import { Field, Form, type FormPart, sentField } from "../../forms/form.tsx";
import { pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { plainLabel } from "../../print/plain-label.ts";
import { ButtonLine, Choice, Hidden, Section, Submit, Written } from "../../web/parts.tsx";
import { agentPositionScript, scanScript } from "../../web/scripts.ts";

/** The way by the camera; hidden until a script can use it. */
function Scanner({ visit }: Pick<FormPart, "visit">) {
	const { start, otherwise, ...texts } = visit.words.scan;
	const data = Object.fromEntries(Object.entries(texts).map(([name, text]) => [`data-${name}`, text]));
	return (
		<div id="scanner" hidden {...data}>
			<button type="button">{start}</button>
			<video hidden muted playsinline aria-label={texts.aim} />
			<p role="status" />
		</div>
	);
}

/** What an agent attests of an address, once they have seen what it says and how far they stand from its pin. */
function VisitSection({ visit, address, failure }: FormPart & { address: Address }) {
	const { attest } = visit.words;
	const { form } = visit;
	const { canonical, label, directions, zoneName, lat, lng } = address;
	return (
		<section>
			<h2>
				<bdi>{displayCode(canonical)}</bdi>
			</h2>
			{[label, directions].filter(Boolean).map((text) => (
				<p class={text === label ? "label" : undefined}>
					<bdi>{plainLabel(text)}</bdi>
				</p>
			))}
			<Written text={zoneName} />
			<p id="needs-location" class="notice">
				{attest.needsLocation}
			</p>
			<Form
				visit={visit}
				action="/my/attest"
				id="visit"
				hidden
				texts={{ away: attest.away, lat: `${lat}`, lng: `${lng}` }}
				sends={{ what: "address", code: canonical, updated_at: updatedAt(address), lat: "", lng: "", accuracy: "" }}
			>
				<p role="status" />
				<fieldset>
					<legend>{attest.level}</legend>
					{attest.levels.map((text, index) => (
						<Choice name="level" value={String(index + 1)} checked={(form.get("level") ?? "2") === String(index + 1)}>
							{text}
						</Choice>
					))}
				</fieldset>
				{sentField({ visit, failure }, "note", `${attest.note} ${visit.words.optional}`, {
					help: attest.noteHelp,
					maxlength: 1000,
				})}
				<p class="help">{attest.positionKept}</p>
				<Submit class="first" text={attest.button} />
			</Form>
		</section>
	);
}

/** What agents do at a place: name an address, attest it, or attest the phone number of somebody they have met. */
export function attestPage(
	visit: SignedInVisit,
	{ notice, failure, address }: { notice?: string | undefined; failure?: Failure; address?: Address } = {},
): Response {
	const { attest } = visit.words;
	const { messages } = visit.locale;
	const { form } = visit;
	const isPhone = form.get("what") === "phone";
	const ofAddress = isPhone ? undefined : failure;
	const ofPhone = isPhone ? failure : undefined;
	const asked = form.get("code") ?? visit.c.req.query("code") ?? "";
	return consolePage(visit, {
		title: attest.title,
		notice,
		failure,
		scripts: address ? [agentPositionScript] : [scanScript],
		body: (
			<>
				<p>{attest.text}</p>
				{address ? (
					<VisitSection visit={visit} address={address} failure={ofAddress} />
				) : (
					<section>
						<Scanner visit={visit} />
						<form method="get" action="/my/attest">
							<Hidden values={{ lang: visit.locale.query ? visit.locale.asked : undefined }} />
							<Field
								name="code"
								label={messages.codeField}
								help={fill(visit.words.scan.otherwise, { link: messages.forAgents })}
								value={ofAddress ? asked : ""}
								dir="ltr"
								maxlength={200}
								failure={ofAddress}
							/>
							<Submit class="first" text={visit.words.continue} />
						</form>
					</section>
				)}
				<Section title={attest.phoneTitle}>
					<Form visit={visit} action="/my/attest" sends={{ what: "phone" }}>
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
						<Submit text={attest.phoneTitle} />
					</Form>
				</Section>
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
		body: <ButtonLine to={pathTo(visit, "/my")} text={list.title} />,
	});
}
