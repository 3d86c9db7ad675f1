import { confirmPassword } from "../../accounts/actions.ts";
import { AppError } from "../../errors.ts";
import { attempt, type Failure, fieldFailure } from "../../forms/failure.ts";
import { forSignedIn, goTo, type SignedInVisit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { createKey, listKeys, revokeKey } from "../../keys/actions.ts";
import { newKeySchema } from "../../keys/schemas.ts";
import { withPassword } from "../account/signing-in.ts";
import { keysPage, newKeyPage, revokePage } from "./key-pages.tsx";

function ownKeys({ registry, signedIn }: SignedInVisit) {
	return listKeys(registry, signedIn.caller);
}

/** The live key that the path names. */
async function keyOf(visit: SignedInVisit) {
	const key = (await ownKeys(visit)).find(({ id }) => id === visit.c.req.param("id"));
	if (!key) throw new AppError("NOT_FOUND", "You have no live key with this id.");
	return key;
}

async function create(visit: SignedInVisit): Promise<Response> {
	const { registry, form, signedIn, words } = visit;
	const again = async (failure: Failure) => keysPage(visit, await ownKeys(visit), failure);
	const scopes = [form.get("scope") === "addresses:write" ? "addresses:write" : "addresses:read"];
	const wanted = newKeySchema().safeParse({ name: (form.get("name") ?? "").trim(), mode: "live", scopes });
	if (!wanted.success) return again(fieldFailure("name", words.keys.badName));
	return attempt(
		visit,
		async () => {
			await withPassword(visit, (password) => confirmPassword(registry, signedIn.caller, password));
			return newKeyPage(visit, (await createKey(registry, signedIn.caller, wanted.data)).key);
		},
		again,
	);
}

/** Keys for programs. Mounted at /my/keys. */
export const keyRoutes = routesOf({
	"GET /": forSignedIn(async (visit) => keysPage(visit, await ownKeys(visit))),
	"POST /": forSignedIn(create),
	"GET /:id/revoke": forSignedIn(async (visit) => revokePage(visit, await keyOf(visit))),
	"POST /:id/revoke": forSignedIn(async (visit) => {
		await revokeKey(visit.registry, visit.signedIn.caller, visit.c.req.param("id") ?? "");
		return goTo(visit, "/my/keys", { did: "revoked" });
	}),
});
