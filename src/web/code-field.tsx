import type { Locale } from "./locale.ts";

/** A code that is well formed, as an example. Isolated, and with hyphens that do not break, so that it stays in one piece. */
const EXAMPLE = "\u2066NG\u20110421\u201158212\u2069";

/** The box that finds an address by its code: a plain form, helped by code-check-script.ts where scripts run. */
export function CodeField({ locale, entered = "" }: { locale: Locale; entered?: string }) {
	const { messages, language, query } = locale;
	return (
		<form action="/a">
			<label for="code">{messages.codeField}</label>
			<div class="row">
				<input
					id="code"
					name="code"
					value={entered}
					dir="ltr"
					required
					maxlength={200}
					autocomplete="off"
					autocapitalize="characters"
					spellcheck={false}
					enterkeyhint="search"
					aria-describedby="help state"
				/>
				<button class="first" type="submit">
					{messages.find}
				</button>
			</div>
			{query ? <input type="hidden" name="lang" value={language} /> : null}
			<p class="help" id="help">
				{messages.codeHelp(EXAMPLE)}
			</p>
			<p
				class="help state"
				id="state"
				aria-live="polite"
				data-malformed={messages.codeMalformed}
				data-wrong={messages.codeWrong}
				data-complete={messages.codeComplete}
			/>
		</form>
	);
}
