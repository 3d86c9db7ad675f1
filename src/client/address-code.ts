/**
 * `<address-code>`: a field of a form that judges an address code as it is typed, and asks the registry once it is complete. It wants a
 * Content-Security-Policy with the registry under script-src and connect-src, and nothing else of it.
 */
import type { PublicAddress } from "#api-types";
import { normalizeUnit } from "../codes/unit.ts";
import { parseCode } from "./codes.ts";
import { RegistryError } from "./error.ts";
import { send } from "./send.ts";

/** What the field says, in the order in which `.dev/build.ts` writes it into FIELD_TEXTS for each language. */
const FIELD_TEXT_NAMES = [
	"codeField",
	"codeMalformed",
	"codeLetter",
	"codeWrong",
	"retired",
	"successor",
	"unknown",
	"private",
	"unchecked",
	"unit",
	"note",
] as const;
type FieldTexts = Record<(typeof FIELD_TEXT_NAMES)[number], string>;
declare const FIELD_TEXTS: Readonly<Record<string, string[]>>;

const STYLES = `:host,label,input,output{display:block}
[hidden]{display:none}
label{margin-bottom:.5em}
input{box-sizing:border-box;width:100%;min-height:2.75rem;padding:.5em;font:inherit;border:1px solid var(--address-code-border,#767676)}
output{min-height:1.5em}
.wrong{color:var(--address-code-error,#b3261e)}`;

const HOME = new URL(import.meta.url).origin;

function element<Name extends keyof HTMLElementTagNameMap>(
	name: Name,
	attributes: Record<string, string>,
	...children: Node[]
) {
	const made = document.createElement(name);
	for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
	made.append(...children);
	return made;
}

export class AddressCodeElement extends HTMLElement {
	static readonly formAssociated = true;
	static readonly observedAttributes = ["label", "lang", "required", "details"];

	readonly #internals = this.attachInternals();
	readonly #labels = ["code", "unit", "note"].map(() => document.createTextNode(""));
	readonly #inputs = ["code", "unit", "note"].map((part) =>
		element(
			"input",
			part === "code"
				? { part, dir: "ltr", autocapitalize: "characters", autocomplete: "off", spellcheck: "false" }
				: { part, maxlength: "200" },
		),
	);
	readonly #says = element("output", { part: "status", id: "s" });
	readonly #fields = this.#inputs.map((input, index) =>
		element("label", { part: "label" }, this.#labels[index]!, input),
	);
	#texts!: FieldTexts;
	#asked = "";
	#asking = new AbortController();
	/** What the registry has answered for the code, while the code stands. */
	#answer: PublicAddress | RegistryError | undefined;

	constructor() {
		super();
		const root = this.attachShadow({ mode: "open", delegatesFocus: true });
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(STYLES);
		root.adoptedStyleSheets = [sheet];
		const [code] = this.#inputs;
		code!.setAttribute("aria-describedby", "s");
		root.append(this.#fields[0]!, this.#says, ...this.#fields.slice(1));
		root.addEventListener("input", () => this.#judge(false));
		// The inner events end at the shadow's edge; the element tells of the whole field.
		root.addEventListener("change", () => {
			this.#judge(true);
			this.dispatchEvent(new Event("change", { bubbles: true }));
		});
	}

	connectedCallback(): void {
		// What serves without a script hands over what it holds, or the form would send it twice.
		const fallback = this.querySelector("input");
		const value = this.getAttribute("value") ?? fallback?.value;
		this.replaceChildren();
		if (value && !this.value) this.#inputs[0]!.value = value;
		this.#label();
		this.#judge(Boolean(value));
	}

	attributeChangedCallback(): void {
		if (this.isConnected) {
			this.#label();
			this.#judge(false);
		}
	}

	formResetCallback(): void {
		for (const input of this.#inputs) input.value = "";
		this.#inputs[0]!.value = this.getAttribute("value") ?? "";
		this.#judge(false);
	}

	formDisabledCallback(isDisabled: boolean): void {
		for (const input of this.#inputs) input.disabled = isDisabled;
	}

	formStateRestoreCallback(state: string): void {
		JSON.parse(state).forEach((text: string, index: number) => {
			this.#inputs[index]!.value = text;
		});
		this.#judge(true);
	}

	/** The code without separators where one can be read, else what was typed. */
	get value(): string {
		const typed = this.#inputs[0]!.value;
		return parseCode(typed).canonical ?? typed;
	}

	set value(text: string) {
		this.#inputs[0]!.value = text;
		this.#judge(true);
	}

	/** The address of the code, once the registry has answered it. */
	get address(): PublicAddress | undefined {
		return this.#answer instanceof RegistryError ? undefined : this.#answer;
	}

	get validity(): ValidityState {
		return this.#internals.validity;
	}

	reportValidity(): boolean {
		return this.#internals.reportValidity();
	}

	#label(): void {
		const language = (this.closest("[lang]")?.getAttribute("lang") ?? navigator.language).slice(0, 2).toLowerCase();
		const own = FIELD_TEXTS[language];
		const said = (own ?? FIELD_TEXTS.en)!;
		this.#texts = Object.fromEntries(FIELD_TEXT_NAMES.map((name, index) => [name, said[index]])) as FieldTexts;
		const texts = [this.getAttribute("label") ?? this.#texts.codeField, this.#texts.unit, this.#texts.note];
		this.#fields.forEach((field, index) => {
			this.#labels[index]!.data = texts[index]!;
			field.hidden = index > 0 && !this.hasAttribute("details");
		});
		this.#inputs[0]!.required = this.hasAttribute("required");
		for (const part of [...this.#fields, this.#says]) {
			part.lang = own ? language : "en";
			part.dir = language === "ar" ? "rtl" : "ltr";
		}
	}

	/** Judges what stands in the field, asks the registry once for a code whose check digit fits, and says what is known. */
	#judge(isDone: boolean): void {
		const { canonical = "", mistake } = parseCode(this.#inputs[0]!.value);
		if (canonical !== this.#asked) {
			this.#asking.abort();
			this.#answer = undefined;
			this.#asked = canonical;
			if (canonical) this.#ask(canonical);
		}
		const t = this.#texts;
		let says = "";
		let isWrong = false;
		if (mistake === "wrong" || mistake === "letter" || mistake === "malformed" || (mistake === "partial" && isDone)) {
			isWrong = true;
			says = mistake === "wrong" ? t.codeWrong : mistake === "letter" ? t.codeLetter : t.codeMalformed;
		} else if (this.#answer instanceof RegistryError) {
			const { code, successor } = this.#answer as { code: string; successor?: string };
			isWrong = code === "ADDRESS_RETIRED" || code === "ADDRESS_NOT_FOUND";
			if (code === "ADDRESS_RETIRED")
				says = t.retired + (successor ? ` ${t.successor.replace("{code}", successor)}` : "");
			else says = code === "ADDRESS_NOT_FOUND" ? t.unknown : code === "ADDRESS_PRIVATE" ? t.private : t.unchecked;
		} else if (this.#answer) {
			const { zone_name, region, country_name, label } = this.#answer;
			const isRepeated = zone_name === region || zone_name.startsWith(`${region} `);
			says = [label, zone_name, isRepeated ? "" : region, country_name].filter(Boolean).join(" · ");
		}
		this.#say(says, isWrong, mistake);
	}

	#say(says: string, isWrong: boolean, mistake: string | undefined): void {
		if (this.#says.textContent !== says) this.#says.textContent = says;
		this.#says.className = isWrong ? "wrong" : "";
		const [code, unit, note] = this.#inputs;
		code!.setAttribute("aria-invalid", `${isWrong}`);
		const isMissing = mistake === "empty" && code!.required;
		const flags = isMissing ? { valueMissing: true } : isWrong || mistake === "partial" ? { customError: true } : {};
		this.#internals.setValidity(flags, says || (isMissing ? code!.validationMessage : this.#texts.codeMalformed), code);
		const values = new FormData();
		const name = this.getAttribute("name");
		if (name) {
			values.set(name, this.value);
			if (this.hasAttribute("details")) {
				values.set(`${name}_unit`, normalizeUnit(unit!.value));
				values.set(`${name}_note`, note!.value);
			}
		}
		this.#internals.setFormValue(values, JSON.stringify(this.#inputs.map(({ value }) => value)));
	}

	async #ask(canonical: string): Promise<void> {
		this.#asking = new AbortController();
		const { signal } = this.#asking;
		const url = `${new URL(this.getAttribute("registry") ?? HOME).origin}/v1/public/addresses/${canonical}`;
		const request = () => new Request(url, { credentials: "omit", referrerPolicy: "no-referrer" });
		try {
			const answer = await send(request, { fetch: (...given) => fetch(...given), signal, isRepeatable: true });
			this.#answer = answer as PublicAddress;
		} catch (error) {
			if (signal.aborted) return;
			this.#answer = error as RegistryError;
			this.dispatchEvent(new CustomEvent("error", { detail: error }));
		}
		this.#judge(true);
		this.dispatchEvent(new Event("change", { bubbles: true }));
	}
}

if (!customElements.get("address-code")) customElements.define("address-code", AddressCodeElement);
