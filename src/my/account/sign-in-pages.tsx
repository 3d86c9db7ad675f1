import { consolePage } from "../../forms/console-page.tsx";
import { formSheet } from "../../forms/console-sheet.ts";
import { CredentialFields, presetCountry } from "../../forms/credentials.tsx";
import type { Failure } from "../../forms/failure.ts";
import { Form } from "../../forms/form.tsx";
import { CARRIED_FIELD, pathTo, safeNext, type Visit } from "../../forms/visit.ts";
import { Submit, Way } from "../../web/parts.tsx";

/** The page to go to after the form succeeds, as the form or the URL asks. */
export function nextOf({ c, form }: Visit): string {
	return safeNext(form.get("next") ?? c.req.query("next"));
}

/** The page to sign in, or to open an account. */
export function signInPage(visit: Visit, isNew: boolean, failure?: Failure, notice?: string): Response {
	const { words } = visit;
	const { signIn, check } = words;
	const next = nextOf(visit);
	const carried = visit.form.get(CARRIED_FIELD) ?? undefined;
	return consolePage(visit, {
		title: isNew ? signIn.createAccount : signIn.title,
		failure,
		styles: formSheet,
		notice: notice ?? (visit.c.req.query("next") && !failure ? signIn.needed : undefined),
		body: (
			<section>
				<Form visit={visit} action={isNew ? "/my/sign-up" : "/my/sign-in"} sends={{ next, [CARRIED_FIELD]: carried }}>
					<CredentialFields visit={visit} isNew={isNew} country={presetCountry(visit)} failure={failure} />
					<Submit class="first" text={isNew ? signIn.createAccount : signIn.title} />
				</Form>
				<Way
					to={pathTo(visit, isNew ? "/my/sign-in" : "/my/sign-up", { next })}
					text={isNew ? check.haveAccount : check.newHere}
				/>
				{isNew ? null : <Way to={pathTo(visit, "/my/forgot")} text={signIn.forgot} />}
			</section>
		),
	});
}
