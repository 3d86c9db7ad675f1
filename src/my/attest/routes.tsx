import { callLimitOf } from "../../accounts/bearer-auth.ts";
import { attestPhone as attestVisitedPhone } from "../../accounts/phone-pending-actions.ts";
import { lookUpAddress } from "../../addresses/actions.ts";
import { updatedAt, whereabouts } from "../../addresses/address-record.ts";
import { attestAddress, recoverAtPin } from "../../addresses/attestation-actions.ts";
import {
	newAttestationSchema,
	recoveryAtPinSchema,
	VISIT_METRES,
	VISIT_METRES_MAX,
} from "../../addresses/attestation-schemas.ts";
import type { Address } from "../../addresses/store.ts";
import { textsBelowLabel } from "../../addresses/texts.ts";
import { type AddressCode, displayCode, parseCode } from "../../codes/code.ts";
import { findCode } from "../../codes/code-text.ts";
import type { ProblemCode } from "../../errors.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { PhoneFields, presetCountry, sentPhone } from "../../forms/credentials.tsx";
import { attempt, type Failure, failureOf, fieldFailure } from "../../forms/failure.ts";
import { Form, type FormPart, sentField } from "../../forms/form.tsx";
import { forSignedIn, pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { fill } from "../../languages/template.ts";
import { plainLabel } from "../../print/label-for-display.ts";
import { inOneLine } from "../../web/address-view.ts";
import { Choice, Field } from "../../web/fields.tsx";
import { ButtonLine, LanguageField, Section, Submit, Written } from "../../web/parts.tsx";
import { agentPositionScript, scanScript } from "../../web/scripts.ts";

/** The scanner, which reads a code by camera. It is hidden until a script can use it. */
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

/** The form to attest an address, once the agent has seen its texts and how far they stand from its pin. */
function VisitSection({ visit, address, failure }: FormPart & { address: Address }) {
	const { attest } = visit.words;
	const { form } = visit;
	const { canonical, lat, lng } = address;
	return (
		<section>
			<h2>
				<bdi>{displayCode(canonical)}</bdi>
			</h2>
			<Written class="label" text={plainLabel(address.label)} />
			{textsBelowLabel(address).map((text) => (
				<Written text={plainLabel(text)} />
			))}
			<p>{inOneLine(whereabouts(address), visit.locale.language)}</p>
			<p id="needs-location" class="notice">
				{attest.needsLocation}
			</p>
			<Form
				visit={visit}
				action="/my/attest"
				id="visit"
				hidden
				texts={{
					...{ away: attest.away, toofar: attest.tooFar, lat: `${lat}`, lng: `${lng}` },
					...{ metres: `${VISIT_METRES}`, most: `${VISIT_METRES_MAX}` },
				}}
				sends={{ code: canonical, updated_at: updatedAt(address), lat: "", lng: "", accuracy: "" }}
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
				<details>
					<summary>{attest.recoverTitle}</summary>
					<p>{attest.recoverText}</p>
					<Submit name="what" value="recovery" text={attest.recoverButton} />
				</details>
			</Form>
		</section>
	);
}

/** The page that shows an agent once the recovery code to hand over. */
function handOverPage(visit: SignedInVisit, code: string): Response {
	const { attest } = visit.words;
	return consolePage(visit, {
		title: attest.recoverTitle,
		body: (
			<section>
				<p>{fill(attest.recoverDone, { link: `\u2066${new URL(visit.registry.webUrl).host}/my/forgot\u2069` })}</p>
				<p class="secret" dir="ltr">
					{code}
				</p>
				<ButtonLine class="button first" to={pathTo(visit, "/my/attest")} text={attest.recoverGiven} />
			</section>
		),
	});
}

/** The page for what agents do on site: find an address, attest it, or attest the phone number of somebody they have met. */
function attestPage(
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
							<LanguageField locale={visit.locale} />
							<Field
								name="code"
								label={messages.codeField}
								help={fill(visit.words.scan.otherwise, { copy: messages.copyCode })}
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

/** The page at /my/attest for people who are not agents. */
function agentsOnlyPage(visit: SignedInVisit): Response {
	const { attest, list } = visit.words;
	return consolePage(visit, {
		title: attest.title,
		failure: { field: undefined, message: attest.agentsOnly, status: 403, headers: {}, code: "FORBIDDEN" },
		body: <ButtonLine to={pathTo(visit, "/my")} text={list.title} />,
	});
}

/** A handler of a page for agents only. */
function forAgent(handle: (visit: SignedInVisit) => Response | Promise<Response>) {
	return forSignedIn((visit) => (visit.signedIn.user.role === "agent" ? handle(visit) : agentsOnlyPage(visit)));
}

/** The address code that was entered, alone or in a link. */
function enteredCode(entered: string | null): AddressCode {
	return parseCode(findCode(entered ?? "")?.canonical ?? entered ?? "");
}

/** Attests that the phone of the form belongs to the owner of the address beside it. Returns the sentence that says so. */
async function attestPhone(visit: SignedInVisit): Promise<string> {
	const { registry, form, words } = visit;
	const { caller, session } = visit.signedIn;
	await callLimitOf(session)(registry);
	const phone = sentPhone(visit);
	const { ownerId: userId } = await lookUpAddress(registry, caller, enteredCode(form.get("theirs")));
	const { isPending } = await attestVisitedPhone(registry, caller, { phone, userId });
	return isPending ? words.attest.phonePending : words.attest.phoneDone;
}

/** Attests an address as the form says, with the agent's position from the device; or shows the recovery code for its owner. */
async function actAtPin(visit: SignedInVisit, code: AddressCode): Promise<Response> {
	const { registry, form, signedIn, words } = visit;
	const [lat, lng, accuracy] = ["lat", "lng", "accuracy"].map((name) => Number(form.get(name)));
	const { position } = recoveryAtPinSchema().parse({ position: { lat, lng, accuracy_m: accuracy } });
	const { accuracy_m, ...point } = position;
	const agentPosition = { ...point, accuracy: accuracy_m };
	if (form.get("what") === "recovery") {
		return handOverPage(visit, await recoverAtPin(registry, signedIn.caller, { code, position: agentPosition }));
	}
	const { updated_at: seenAt, ...said } = newAttestationSchema().parse({
		updated_at: form.get("updated_at") ?? undefined,
		level: Number(form.get("level")),
		note: form.get("note") ?? "",
		position,
	});
	await attestAddress(registry, signedIn.caller, { code, seenAt, ...said, position: agentPosition });
	const done = fill(words.attest.done, { code: `\u2066${displayCode(code.canonical)}\u2069` });
	return attestPage(visit, { notice: done });
}

/** What a form of this page says about an error. */
function faultOf(visit: SignedInVisit, error: unknown): Failure {
	const failure = failureOf(visit, error);
	const { attest } = visit.words;
	const said: Partial<Record<ProblemCode, string>> = {
		TOO_FAR: attest.tooFar,
		FORBIDDEN: attest.ownAddress,
		NOT_FOUND: attest.recoverNotDue,
	};
	return { ...failure, message: said[failure.code] ?? failure.message };
}

/** Shows the address that was named, or does what the form asks for there. */
async function attestNamed(visit: SignedInVisit): Promise<Response> {
	const { c, form, registry, signedIn, words } = visit;
	let address: Address | undefined;
	try {
		const code = enteredCode(form.get("code") ?? c.req.query("code") ?? null);
		address = await lookUpAddress(registry, signedIn.caller, code);
		if (c.req.method !== "POST") return attestPage(visit, { address });
		if (!form.get("accuracy")) {
			return attestPage(visit, {
				address,
				failure: { ...fieldFailure("", words.attest.needsLocation), field: undefined },
			});
		}
		return await actAtPin(visit, code);
	} catch (error) {
		return attestPage(visit, { failure: faultOf(visit, error), ...(address ? { address } : {}) });
	}
}

/** Attesting, for agents. Mounted at /my/attest. */
export const attestRoutes = routesOf({
	"GET /": forAgent((visit) => (visit.c.req.query("code") ? attestNamed(visit) : attestPage(visit))),
	"POST /": forAgent((visit) => {
		if (visit.form.get("what") !== "phone") return attestNamed(visit);
		return attempt(
			visit,
			async () => attestPage(visit, { notice: await attestPhone(visit) }),
			(failure) => attestPage(visit, { failure: failure.field === "code" ? { ...failure, field: "theirs" } : failure }),
		);
	}),
});
