import { confirmPassword } from "../accounts/accounts.ts";
import { callLimitOf, passwordLimitsOf } from "../accounts/authentication.ts";
import { accountContext, loginThrottleOf } from "../accounts/endpoints.ts";
import { attestPhoneForCaller } from "../accounts/phone-endpoints.ts";
import { newAttestationSchema } from "../addresses/attestation-schemas.ts";
import { type AddressCode, codeIn, displayCode, parseCode } from "../addresses/code.ts";
import { attestForCaller } from "../addresses/endpoints.ts";
import { lookUpAddress } from "../addresses/look-up.ts";
import { AppError } from "../errors.ts";
import { withinLimits } from "../http/endpoint.ts";
import { newRoutes } from "../http/routes.ts";
import { keyStore } from "../keys/authentication.ts";
import { createForCaller, revokeForCaller } from "../keys/endpoints.ts";
import { newKeySchema } from "../keys/schemas.ts";
import { agentsOnlyPage, attestPage } from "./attest-page.tsx";
import { sentPhone } from "./credentials.tsx";
import { failureOf, fieldFailure } from "./failure.ts";
import { keysPage, newKeyPage, revokePage } from "./key-pages.tsx";
import { forSignedIn, goTo, type SignedInVisit } from "./visit.ts";

async function ownKeys({ c, signedIn }: SignedInVisit) {
	const [keys] = await signedIn.caller.runAs((userId) => [keyStore(c).listOf({ userId })]);
	return keys;
}

/** The live key that the path names. */
async function keyOf(visit: SignedInVisit) {
	const key = (await ownKeys(visit)).find(({ id }) => id === visit.c.req.param("id"));
	if (!key) throw new AppError("NOT_FOUND", "You have no live key with this id.");
	return key;
}

async function create(visit: SignedInVisit): Promise<Response> {
	const { c, form, signedIn, words } = visit;
	const scopes = [form.get("scope") === "addresses:write" ? "addresses:write" : "addresses:read"];
	const wanted = newKeySchema().safeParse({ name: (form.get("name") ?? "").trim(), mode: "live", scopes });
	if (!wanted.success) {
		return keysPage(visit, await ownKeys(visit), { failure: fieldFailure("name", words.keys.badName) });
	}
	try {
		await withinLimits(c, passwordLimitsOf(signedIn.user.id), () =>
			confirmPassword(accountContext(c), signedIn.caller, loginThrottleOf(c), form.get("password") ?? ""),
		);
		const { key } = await createForCaller(c, signedIn.caller, wanted.data);
		return newKeyPage(visit, key);
	} catch (error) {
		return keysPage(visit, await ownKeys(visit), { failure: failureOf(visit, error) });
	}
}

/** Keys for programs. Mounted at /my/keys. */
export const keyRoutes = newRoutes()
	.get(
		"/",
		forSignedIn(async (visit) => {
			const notice = visit.c.req.query("did") === "revoked" ? visit.words.keys.revoked : undefined;
			return keysPage(visit, await ownKeys(visit), { notice });
		}),
	)
	.post("/", forSignedIn(create))
	.get(
		"/:id/revoke",
		forSignedIn(async (visit) => revokePage(visit, await keyOf(visit))),
	)
	.post(
		"/:id/revoke",
		forSignedIn(async (visit) => {
			await revokeForCaller(visit.c, visit.signedIn.caller, visit.c.req.param("id") ?? "");
			return goTo(visit, "/my/keys", { did: "revoked" });
		}),
	);

/** A page for agents alone. */
function forAgent(handle: (visit: SignedInVisit) => Response | Promise<Response>) {
	return forSignedIn((visit) => (visit.signedIn.user.role === "agent" ? handle(visit) : agentsOnlyPage(visit)));
}

/** The address code that a field of the form holds, alone or in a link. */
function enteredCode({ form }: SignedInVisit, field: string): AddressCode {
	const entered = form.get(field) ?? "";
	return parseCode(codeIn(entered) ?? entered);
}

/** Attests the phone that the form holds, of the person who has the address beside it; the sentence that says so. */
async function attestPhone(visit: SignedInVisit): Promise<string> {
	const { c, signedIn, words } = visit;
	const { caller } = signedIn;
	await callLimitOf(signedIn.user.id)(c);
	const phone = await sentPhone(visit);
	const { ownerId: userId } = await lookUpAddress(c, enteredCode(visit, "theirs"), caller);
	await attestPhoneForCaller(c, caller, { phone, userId });
	return words.attest.phoneDone;
}

/** Attests the address that the form holds; the sentence that says so. */
async function attest(visit: SignedInVisit): Promise<string> {
	const { c, form, signedIn, words } = visit;
	const { caller } = signedIn;
	const code = enteredCode(visit, "code");
	const { level, note } = newAttestationSchema().parse({
		level: Number(form.get("level")),
		note: form.get("note") ?? "",
	});
	await attestForCaller(c, caller, { code, level, note });
	return words.attest.done(`\u2066${displayCode(code.canonical)}\u2069`);
}

/** Attesting, for agents. Mounted at /my/attest. */
export const attestRoutes = newRoutes()
	.get(
		"/",
		forAgent((visit) => attestPage(visit)),
	)
	.post(
		"/",
		forAgent(async (visit) => {
			const isPhone = visit.form.get("what") === "phone";
			try {
				return attestPage(visit, { notice: await (isPhone ? attestPhone(visit) : attest(visit)) });
			} catch (error) {
				const failure = failureOf(visit, error);
				return attestPage(visit, {
					failure: isPhone && failure.field === "code" ? { ...failure, field: "theirs" } : failure,
				});
			}
		}),
	);
