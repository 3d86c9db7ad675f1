import { displayCode } from "../codes/code.ts";
import { DEMO_CODE } from "../codes/demo.ts";
import { fill } from "../languages/template.ts";
import type { Locale } from "./locale.ts";
import { LanguageField } from "./parts.tsx";

/** The demo address, as an example. Isolated, and with hyphens that do not break, so that it stays in one piece. */
const EXAMPLE = `\u2066${displayCode(DEMO_CODE).replaceAll("-", "\u2011")}\u2069`;

/** Longest text that may be pasted, in UTF-16 units: a message with a code in it. */
const PASTED_MAX = 1000;

/** The box that finds an address by its code: a plain form, helped by browser/code-field.ts where scripts run. */
export function CodeField({ locale, entered = "", error }: { locale: Locale; entered?: string; error?: string }) {
	const { messages } = locale;
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
					pattern={String.raw`.*\S.*`}
					maxlength={PASTED_MAX}
					autocomplete="off"
					autocapitalize="characters"
					spellcheck={false}
					enterkeyhint="search"
					autofocus={error !== undefined}
					aria-invalid={error ? "true" : undefined}
					aria-describedby="state help"
				/>
				<button class="first" type="submit">
					{messages.find}
				</button>
			</div>
			<p
				class={error ? "help state wrong" : "help state"}
				id="state"
				aria-live="polite"
				data-malformed={messages.codeMalformed}
				data-letter={messages.codeLetter}
				data-large={messages.largeLine}
				data-wrong={messages.codeWrong}
				data-complete={messages.codeComplete}
			>
				{error}
			</p>
			<LanguageField locale={locale} />
			<p class="help" id="help">
				{fill(messages.codeHelp, { example: EXAMPLE })}
			</p>
		</form>
	);
}
