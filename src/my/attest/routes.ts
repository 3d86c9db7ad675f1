import { callLimitOf } from "../../accounts/authentication.ts";
import { attestPhone as attestVisitedPhone } from "../../accounts/phone-pending-actions.ts";
import { lookUpAddress } from "../../addresses/actions.ts";
import { attestAddress } from "../../addresses/attestation-actions.ts";
import { newAttestationSchema } from "../../addresses/attestation-schemas.ts";
import type { Address } from "../../addresses/store.ts";
import { type AddressCode, codeIn, displayCode, parseCode } from "../../codes/code.ts";
import { sentPhone } from "../../forms/credentials.tsx";
import { attempt, type Failure, failureOf, fieldFailure } from "../../forms/failure.ts";
import { forSignedIn, type SignedInVisit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { fill } from "../../languages/template.ts";
import { agentsOnlyPage, attestPage } from "./attest-page.tsx";

/** A page for agents alone. */
function forAgent(handle: (visit: SignedInVisit) => Response | Promise<Response>) {
	return forSignedIn((visit) => (visit.signedIn.user.role === "agent" ? handle(visit) : agentsOnlyPage(visit)));
}

/** The address code that somebody entered, alone or in a link. */
function enteredCode(entered: string | null): AddressCode {
	return parseCode(codeIn(entered ?? "") ?? entered ?? "");
}

/** Attests the phone that the form holds, of the person who has the address beside it; the sentence that says so. */
async function attestPhone(visit: SignedInVisit): Promise<string> {
	const { registry, form, words } = visit;
	const { caller, user } = visit.signedIn;
	await callLimitOf(user.id)(registry);
	const phone = await sentPhone(visit);
	const { ownerId: userId } = await lookUpAddress(registry, caller, enteredCode(form.get("theirs")));
	const { isPending } = await attestVisitedPhone(registry, caller, { phone, userId });
	return isPending ? words.attest.phonePending : words.attest.phoneDone;
}

/** Attests an address as the form says, from where the device says that the agent stands; the sentence that says so. */
async function attest({ registry, form, signedIn, words }: SignedInVisit, code: AddressCode): Promise<string> {
	const {
		position: sent,
		updated_at: seenAt,
		...said
	} = newAttestationSchema().parse({
		updated_at: form.get("updated_at") ?? undefined,
		level: Number(form.get("level")),
		note: form.get("note") ?? "",
		position: { lat: Number(form.get("lat")), lng: Number(form.get("lng")), accuracy_m: Number(form.get("accuracy")) },
	});
	const { accuracy_m: accuracy, ...point } = sent;
	await attestAddress(registry, signedIn.caller, { code, seenAt, ...said, position: { ...point, accuracy } });
	return fill(words.attest.done, { code: `\u2066${displayCode(code.canonical)}\u2069` });
}

/** What a form of this page says of an error. */
function faultOf(visit: SignedInVisit, error: unknown): Failure {
	const failure = failureOf(visit, error);
	return failure.code === "TOO_FAR" ? { ...failure, message: visit.words.attest.tooFar } : failure;
}

/** Shows the address that was named, or attests it. */
async function attestNamed(visit: SignedInVisit): Promise<Response> {
	const { c, form, registry, signedIn, words } = visit;
	let address: Address | undefined;
	try {
		const code = enteredCode(form.get("code") ?? c.req.query("code") ?? null);
		address = await lookUpAddress(registry, signedIn.caller, code);
		if (c.req.method === "GET") return attestPage(visit, { address });
		if (!form.get("accuracy")) {
			return attestPage(visit, {
				address,
				failure: { ...fieldFailure("", words.attest.needsLocation), field: undefined },
			});
		}
		return attestPage(visit, { notice: await attest(visit, code) });
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
