import { parseNationalPhone, phoneCountries, phoneCountry } from "../accounts/phone.ts";
import { Choice, Labelled } from "../web/fields.tsx";
import { countryName } from "../zones/naming.ts";
import { type FormPart, PasswordField, sentField } from "./form.tsx";
import type { Visit } from "./visit.ts";

/**
 * The country to preset for a phone number. The first that is known counts: the one sent, the registry's own, that of the request
 * (Cloudflare's CF-IPCountry), `otherwise`, and the region of Accept-Language.
 * @param otherwise A country that is known from elsewhere, such as that of the point.
 */
export function presetCountry({ c, form, registry }: Visit, otherwise?: string): string | undefined {
	return (
		phoneCountry(form.get("country") ?? undefined) ??
		phoneCountry(registry.settings.identity.country) ??
		phoneCountry(c.req.header("CF-IPCountry")) ??
		otherwise ??
		phoneCountry(/^[a-z]{2,3}-([a-z]{2})\b/i.exec(c.req.header("Accept-Language") ?? "")?.[1])
	);
}

/** The phone number of the form, in E.164 form. @throws AppError INVALID_PHONE. */
export function sentPhone({ form }: Visit): string {
	return parseNationalPhone(form.get("phone") ?? "", form.get("country") ?? undefined);
}

/** The fields for a phone number as it is dialled at home, and the country that it is dialled in. */
export function PhoneFields({ visit, country, failure }: FormPart & { country: string | undefined }) {
	const { signIn } = visit.words;
	const { language } = visit.locale;
	const byName = new Intl.Collator(language);
	const countries = phoneCountries()
		.map((entry) => ({ ...entry, name: countryName(entry.country, language) }))
		.sort((a, b) => byName.compare(a.name, b.name));
	return (
		<>
			<Labelled
				name="country"
				label={signIn.country}
				control={(attributes) => (
					<select {...attributes} autocomplete="country">
						<option value="" />
						{countries.map(({ country: letters, callingCode, name }) => (
							<option value={letters} selected={letters === country}>
								{`${name} \u2066${callingCode}\u2069`}
							</option>
						))}
					</select>
				)}
			/>
			{sentField({ visit, failure }, "phone", signIn.phone, {
				help: signIn.phoneHelp,
				type: "tel",
				autocomplete: "tel-national",
				inputmode: "tel",
				dir: "ltr",
				maxlength: 64,
			})}
		</>
	);
}

/** The field for a new password of an existing account. */
export function NewPasswordField({ visit, failure }: FormPart) {
	const [label, help] = [visit.words.forgot.newPassword, visit.words.signIn.passwordHelp];
	return <PasswordField {...{ visit, label, help, failure }} name="password" autocomplete="new-password" />;
}

/** The field for the current password. It is asked again before acts that nobody who finds the phone unlocked may do. */
export function ConfirmingPasswordField({ visit, failure }: FormPart) {
	const label = visit.words.account.passwordToConfirm;
	return <PasswordField {...{ visit, label, failure }} name="password" autocomplete="current-password" />;
}

/** The fields for phone and password, for a new or an existing account. */
export function CredentialFields({ isNew, ...part }: FormPart & { isNew: boolean; country: string | undefined }) {
	const { visit, failure } = part;
	const { signIn } = visit.words;
	return (
		<>
			<PhoneFields {...part} />
			<PasswordField
				visit={visit}
				name="password"
				label={signIn.password}
				help={isNew ? signIn.passwordHelp : undefined}
				autocomplete={isNew ? "new-password" : "current-password"}
				failure={failure}
			/>
			<Choice type="checkbox" name="keep" value="yes" checked={visit.form.get("keep") === "yes"}>
				{signIn.keep}
			</Choice>
		</>
	);
}
