/**
 * `<address-code>`: a form field that checks an address code as it is typed, and asks the registry about it once it is complete. Of a
 * page's Content-Security-Policy it needs only the registry under script-src and connect-src.
 */
import type { PublicAddress, UnitList } from "#api-types";
import { displayCode } from "../codes/code.ts";
import { askedByLink, normalizeUnit, unitBehindCode } from "../codes/unit.ts";
import { codeIn, judgeCode } from "../codes/written-code.ts";
import type { RegistryError } from "./error.ts";
import { send } from "./send.ts";

/** The names of the field's texts, in the order in which `.dev/build.ts` writes them into FIELD_TEXTS for each language. */
const FIELD_TEXT_NAMES = [
	"code",
	"unit",
	"note",
	"malformed",
	"letter",
	"wrong",
	"ADDRESS_RETIRED",
	"ADDRESS_NOT_FOUND",
	"ADDRESS_PRIVATE",
	"unchecked",
	"successor",
	"ended",
	"unlisted",
	"direction",
];
declare const FIELD_TEXTS: Readonly<Record<string, string[]>>;

const STYLES = `:host,label:not([hidden]),input,output{display:block}
label{margin-bottom:.5em}
input,button{min-height:2.75rem;padding:.5em;font:inherit}
input{box-sizing:border-box;width:100%;border:1px solid var(--address-code-border,#767676)}
output{min-height:1.5em}
.wrong{color:var(--address-code-error,#b3261e)}`;

function element<Name extends keyof HTMLElementTagNameMap>(
	name: Name,
	properties: object,
	...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
	const made = Object.assign(document.createElement(name), properties);
	made.append(...children);
	return made;
}

declare global {
	interface HTMLElementTagNameMap {
		"address-code": AddressCodeElement;
	}
}

/** A server that renders pages imports this too, and has no HTMLElement. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export class AddressCodeElement extends Base {
	static readonly formAssociated = true;
	static readonly observedAttributes = ["label", "lang", "required", "details"];

	readonly #internals = this.attachInternals();
	readonly #inputs = FIELD_TEXT_NAMES.slice(0, 3).map((part, index) =>
		element("input", {
			part,
			// As in a plain field, Enter presses the first submit button of the form (HTML, implicit submission).
			onkeypress: ({ key }: KeyboardEvent) => {
				const { form } = this.#internals;
				const button = form?.querySelector<HTMLButtonElement>("button:default");
				if (key === "Enter") button ? button.click() : form?.requestSubmit();
			},
			...(index
				? { maxLength: 200 }
				: { dir: "ltr", autocapitalize: "characters", autocomplete: "off", spellcheck: false }),
		}),
	);
	readonly #says = element("output", { part: "status", id: "s" });
	/** The button that enters the code that replaces a retired one. */
	readonly #take = element("button", { part: "successor", type: "button" });
	readonly #fields = this.#inputs.map((input) => element("label", { part: "label" }, "", input));
	/** The whole field, marked with the language of its texts. */
	readonly #all = element("div", {}, this.#fields[0]!, this.#says, this.#take, ...this.#fields.slice(1));
	/** The text of the code field when it was last judged. */
	#typed = "";
	/** The code that the registry was asked about, and the link to a private address that contains it; each empty if there is none. */
	#asked = "";
	#link = "";
	#asking: AbortController | undefined;
	/** What the registry has answered for the code, until the code changes. */
	#answer: PublicAddress | Error | undefined;
	/** The names of the address's units, read once a unit has been entered. */
	#units: string[] | undefined;

	constructor() {
		super();
		const root = this.attachShadow({ mode: "open", delegatesFocus: true });
		const sheet = new CSSStyleSheet();
		sheet.replaceSync(STYLES);
		root.adoptedStyleSheets = [sheet];
		const [code] = this.#inputs;
		code!.setAttribute("aria-describedby", "s");
		root.append(this.#all);
		root.addEventListener("input", () => this.#judge(false));
		this.#take.onclick = () => {
			this.value = (this.#answer as RegistryError).successor!;
			code!.focus();
		};
		// The inner events do not leave the shadow root, so the element sends one for the whole field.
		root.addEventListener("change", () => {
			this.#judge(true);
			this.dispatchEvent(new Event("change", { bubbles: true }));
		});
	}

	connectedCallback(): void {
		// A page may have set `value` before this script was loaded, and that property would hide the element's own.
		const { value: early } = { ...this };
		delete (this as { value?: string }).value;
		// The plain input that serves without a script hands over its value and is removed, or the form would send it twice.
		const value = early || this.getAttribute("value") || this.querySelector("input")?.value;
		this.replaceChildren();
		if (value && !this.value) this.#inputs[0]!.value = value;
		this.#judge(Boolean(value));
	}

	attributeChangedCallback(): void {
		this.#judge(false);
	}

	formResetCallback(): void {
		for (const input of this.#inputs) input.value = "";
		this.#typed = "";
		this.#inputs[0]!.value = this.getAttribute("value") ?? "";
		this.#judge(false);
	}

	formDisabledCallback(isDisabled: boolean): void {
		for (const input of this.#inputs) input.disabled = isDisabled;
	}

	formStateRestoreCallback(state: string): void {
		const texts: string[] = JSON.parse(state);
		this.#inputs.forEach((input, index) => {
			input.value = texts[index]!;
		});
		this.#typed = texts[0]!;
		this.#judge(true);
	}

	/** The code without separators if one can be read, otherwise what was typed. */
	get value(): string {
		return this.#asked || this.#inputs[0]!.value;
	}

	set value(text: string) {
		// A page that stores what is typed sets it again at every key, which needs no check.
		if (text === this.value) return;
		this.#inputs[0]!.value = text;
		this.#judge(true);
	}

	/** The address of the code, once the registry has answered. */
	get address(): PublicAddress | undefined {
		return this.#answer instanceof Error ? undefined : this.#answer;
	}

	get validity(): ValidityState {
		return this.#internals.validity;
	}

	/**
	 * Labels the field, checks its text, asks the registry once about a code whose check digit fits, and shows what is known. `isDone` says
	 * that the person has finished typing.
	 */
	#judge(isDone: boolean): void {
		// If the element is in a shadow root that sets no language, the page's counts.
		const near = this.closest<HTMLElement>("[lang]") ?? document.documentElement;
		const wanted = (near.lang || navigator.language).slice(0, 2).toLowerCase();
		const language = wanted in FIELD_TEXTS ? wanted : "en";
		const said = FIELD_TEXTS[language]!;
		const textOf = (name: string) => said[FIELD_TEXT_NAMES.indexOf(name)];
		const malformed = textOf("malformed")!;
		const hasDetails = this.hasAttribute("details");
		this.#all.lang = language;
		this.#all.dir = textOf("direction")!;
		this.#fields.forEach((field, index) => {
			field.firstChild!.nodeValue = (!index && this.getAttribute("label")) || said[index]!;
			field.hidden = index > 0 && !hasDetails;
		});
		const [code, unit, note] = this.#inputs;
		code!.required = this.hasAttribute("required");
		const asked = askedByLink(code!.value);
		if (this.#typed !== code!.value) {
			this.#typed = code!.value;
			// Takes over a unit behind the code, as in `NG-1377-48215 / 3B` or the link of its page.
			unit!.value = (asked ? asked.get("unit") : unitBehindCode(this.#typed)) || unit!.value;
		}
		const state = judgeCode(this.#typed);
		const canonical = state === "complete" ? codeIn(this.#typed)! : "";
		const link = (canonical && asked?.get("share") && /\S*\/a\/\S*/.exec(this.#typed)?.[0]) || "";
		if (canonical !== this.#asked || link !== this.#link) {
			this.#asking?.abort();
			this.#answer = this.#units = undefined;
			this.#asked = canonical;
			this.#link = link;
			if (canonical) this.#ask();
		}
		const answer = this.#answer;
		const entered = hasDetails ? normalizeUnit(unit!.value) : "";
		if (entered && isDone && answer && !(answer instanceof Error) && !this.#units) {
			this.#units = [];
			this.#askUnits();
		}
		let says = "";
		let isWrong = !canonical && state !== "empty" && (state !== "partial" || isDone);
		let other = "";
		if (isWrong) says = textOf(state) ?? malformed;
		else if (answer instanceof Error) {
			const { code, successor } = answer as RegistryError;
			isWrong = /RETIRED|FOUND|PRIVATE/.test(code);
			says = (link && code === "ADDRESS_PRIVATE" ? textOf("ended") : textOf(code)) ?? textOf("unchecked")!;
			other = successor ?? "";
		} else if (answer) {
			const { locality, region, country_name, label } = answer;
			says = [...new Set([label, locality, region, country_name])].filter(Boolean).join(" · ");
			// A remark, not a fault: the owner may not have listed every flat.
			if (this.#units?.[0] && entered && !this.#units.includes(entered))
				says += ` · ${textOf("unlisted")!.replace("{unit}", entered)}`;
		}
		this.#take.hidden = !other;
		this.#take.textContent = textOf("successor")!.replace("{code}", displayCode(other));
		if (this.#says.textContent !== says) this.#says.textContent = says;
		this.#says.className = isWrong ? "wrong" : "";
		code!.setAttribute("aria-invalid", `${isWrong}`);
		const valueMissing = state === "empty" && code!.required;
		const customError = isWrong || state === "partial";
		const fault = says || (valueMissing ? code!.validationMessage : malformed);
		this.#internals.setValidity({ valueMissing, customError }, fault, code);
		const values = new FormData();
		const name = this.getAttribute("name");
		if (name) {
			values.set(name, this.value);
			if (link) values.set(`${name}_share`, link);
			if (hasDetails) {
				values.set(`${name}_unit`, entered);
				values.set(`${name}_note`, note!.value);
			}
		}
		this.#internals.setFormValue(values, JSON.stringify(this.#inputs.map(({ value }) => value)));
	}

	/** The registry's answer on a path below that of the address, unless the code changes first. */
	#get(path = ""): Promise<unknown> {
		const url = new URL(`/v1/public/addresses/${this.#asked}${path}`, this.#registry);
		const share = askedByLink(this.#link)?.get("share");
		if (share) url.searchParams.set("share", share);
		const request = () => new Request(url, { credentials: "omit", referrerPolicy: "no-referrer" });
		return send(request, { signal: this.#asking!.signal, isRepeatable: true });
	}

	get #registry(): string {
		return this.getAttribute("registry") || import.meta.url;
	}

	async #askUnits(): Promise<void> {
		const { signal } = this.#asking!;
		try {
			const { data } = (await this.#get("/units")) as UnitList;
			if (signal.aborted) return;
			this.#units = data.map(({ unit }) => unit);
			this.#judge(true);
		} catch {
			// Without the list, no remark is made.
		}
	}

	async #ask(): Promise<void> {
		this.#asking = new AbortController();
		const { signal } = this.#asking;
		try {
			this.#answer = (await this.#get()) as PublicAddress;
		} catch (error) {
			if (signal.aborted) return;
			this.#answer = error as Error;
			// The person can go on; this tells the developer why nothing could be checked.
			if (!/^ADDRESS_/.test((error as RegistryError).code))
				console.warn(`<address-code registry="${this.#registry}">: ${error} See connect-src.`);
			this.dispatchEvent(new CustomEvent("error", { detail: error }));
		}
		// Checks the field again as if the person had finished typing.
		this.#says.dispatchEvent(new Event("change", { bubbles: true }));
	}
}

if (globalThis.customElements && !customElements.get("address-code"))
	customElements.define("address-code", AddressCodeElement);
