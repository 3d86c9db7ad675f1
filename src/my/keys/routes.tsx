import { confirmPassword } from "../../accounts/actions.ts";
import { AppError } from "../../errors.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { ConfirmingPasswordField } from "../../forms/credentials.tsx";
import { attempt, type Failure, fieldFailure } from "../../forms/failure.ts";
import { ButtonForm, Form, sentField } from "../../forms/form.tsx";
import { forSignedIn, goTo, pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { createKey, listKeys, revokeKey } from "../../keys/actions.ts";
import { newKeySchema } from "../../keys/schemas.ts";
import type { ApiKey } from "../../keys/store.ts";
import { fill } from "../../languages/template.ts";
import { Choice } from "../../web/fields.tsx";
import { dateText } from "../../web/measures.ts";
import { ButtonLine, Empty, Section, Submit, Way } from "../../web/parts.tsx";
import { deviceScript } from "../../web/scripts.ts";
import { withPassword } from "../account/signing-in.ts";

const KEY_PICTURE =
	'<path d="M20 12a12 12 0 1 0 11.6 15H46v7h6v-7h6v-6H31.6A12 12 0 0 0 20 12zm0 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10z" fill-rule="evenodd"/>';

/** The page of the visitor's keys, with the form to make another. */
function keysPage(visit: SignedInVisit, keys: ApiKey[], failure?: Failure): Response {
	const words = visit.words.keys;
	const { language } = visit.locale;
	const scope = visit.form.get("scope") ?? "addresses:read";
	return consolePage(visit, {
		title: words.title,
		failure,
		body: (
			<>
				<p>{words.text}</p>
				{keys.length === 0 ? <Empty picture={KEY_PICTURE} text={words.none} /> : null}
				<ul class="cards">
					{keys.map(({ id, name, prefix, mode, scopes, createdAt, lastUsedAt }) => (
						<li>
							<strong>
								<bdi>{name}</bdi>
							</strong>
							<span dir="ltr">{prefix}…</span>
							<span class="kind">
								{mode === "live" ? words.live : words.test} · {visit.words.list.created} {dateText(createdAt, language)}{" "}
								· {words.lastUsed}: {lastUsedAt === null ? words.never : dateText(lastUsedAt, language)}
							</span>
							<span class="kind">{scopes.includes("addresses:write") ? words.write : words.read}</span>
							<a href={pathTo(visit, `/my/keys/${id}/revoke`)} aria-label={`${words.revoke}: ${name}`}>
								{words.revoke}
							</a>
						</li>
					))}
				</ul>
				<Section title={words.create}>
					<Form visit={visit} action="/my/keys">
						{sentField({ visit, failure }, "name", words.name, { help: words.nameHelp, maxlength: 200 })}
						<fieldset>
							<legend>{words.may}</legend>
							<Choice name="scope" value="addresses:read" checked={scope !== "addresses:write"}>
								{words.read}
							</Choice>
							<Choice name="scope" value="addresses:write" checked={scope === "addresses:write"}>
								{words.write}
							</Choice>
						</fieldset>
						<ConfirmingPasswordField visit={visit} failure={failure} />
						<Submit class="first" text={words.create} />
					</Form>
				</Section>
			</>
		),
	});
}

/** The page that shows a new key once, with a command that uses it. */
function newKeyPage(visit: SignedInVisit, key: string): Response {
	const { keys: words } = visit.words;
	const { messages } = visit.locale;
	const command = `curl ${visit.registry.webUrl}/v1/addresses -H "Authorization: Api-Key ${key}"`;
	return consolePage(visit, {
		title: words.title,
		scripts: [deviceScript],
		body: (
			<section>
				<p>
					<strong>{words.once}</strong>
				</p>
				<p class="secret" dir="ltr">
					{key}
				</p>
				<button type="button" class="small" hidden data-does="copy" data-text={key} data-done={messages.copied}>
					{messages.copy}
				</button>
				<h2>{words.tryIt}</h2>
				<pre class="secret" dir="ltr" tabindex={0}>
					{command}
				</pre>
				<ButtonLine to={pathTo(visit, "/my/keys")} text={words.stored} />
				<p role="status" class="unseen" />
			</section>
		),
	});
}

/** The page that asks for confirmation before a key is revoked. */
function revokePage(visit: SignedInVisit, key: ApiKey): Response {
	const { keys: words, cancel } = visit.words;
	return consolePage(visit, {
		title: words.revoke,
		body: (
			<section>
				<p>{fill(words.revokeAsk, { name: `\u2068${key.name}\u2069` })}</p>
				<p class="kind">
					{words.lastUsed}: {key.lastUsedAt === null ? words.never : dateText(key.lastUsedAt, visit.locale.language)}
				</p>
				<ButtonForm visit={visit} action={`/my/keys/${key.id}/revoke`} class="danger" text={words.revoke} />
				<Way to={pathTo(visit, "/my/keys")} text={cancel} />
			</section>
		),
	});
}

function ownKeys({ registry, signedIn }: SignedInVisit) {
	return listKeys(registry, signedIn.caller);
}

/** The live key that the path names. @throws AppError KEY_NOT_FOUND if there is none. */
async function keyOf(visit: SignedInVisit) {
	const key = (await ownKeys(visit)).find(({ id }) => id === visit.c.req.param("id"));
	if (!key) throw new AppError("KEY_NOT_FOUND", "You have no live key with this id.");
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
