import { CredentialFields, NewPasswordField, PhoneFields, presetCountry } from "./credentials.tsx";
import type { Failure } from "./failure.ts";
import { Field, Form } from "./form.tsx";
import { consolePage } from "./page.tsx";
import { pathTo, safeNext, type Visit } from "./visit.ts";

/** Where the form leads after it succeeded, as the page was asked or the form was sent. */
export function nextOf({ c, form }: Visit): string {
	return safeNext(form.get("next") ?? c.req.query("next"));
}

/** Signing in, or opening an account. */
export function signInPage(visit: Visit, isNew: boolean, failure?: Failure, notice?: string): Response {
	const { words } = visit;
	const { signIn, check } = words;
	const next = nextOf(visit);
	return consolePage(visit, {
		title: isNew ? signIn.createAccount : signIn.title,
		failure,
		notice: notice ?? (visit.c.req.query("next") && !failure ? signIn.needed : undefined),
		body: (
			<section>
				<Form visit={visit} action={isNew ? "/my/sign-up" : "/my/sign-in"}>
					<input type="hidden" name="next" value={next} />
					<CredentialFields visit={visit} isNew={isNew} country={presetCountry(visit)} failure={failure} />
					<button type="submit" class="first">
						{isNew ? signIn.createAccount : signIn.title}
					</button>
				</Form>
				<p>
					<a href={pathTo(visit, isNew ? "/my/sign-in" : "/my/sign-up", { next })}>
						{isNew ? check.haveAccount : check.newHere}
					</a>
				</p>
				{isNew ? null : (
					<p>
						<a href={pathTo(visit, "/my/forgot")}>{signIn.forgot}</a>
					</p>
				)}
			</section>
		),
	});
}

/** Getting back in with the recovery code. */
export function forgotPage(visit: Visit, failure?: Failure): Response {
	const { forgot } = visit.words;
	return consolePage(visit, {
		title: forgot.title,
		failure,
		body: (
			<section>
				<p>{forgot.text}</p>
				<Form visit={visit} action="/my/forgot">
					<PhoneFields visit={visit} country={presetCountry(visit)} failure={failure} />
					<Field name="recovery_code" label={forgot.code} dir="ltr" maxlength={64} failure={failure} />
					<NewPasswordField visit={visit} failure={failure} />
					<button type="submit" class="first">
						{forgot.button}
					</button>
				</Form>
			</section>
		),
	});
}
