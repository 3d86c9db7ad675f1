/**
 * `<address-code>`: a form field that checks an address code as it is typed, and asks the registry about it once it is complete. Of a
 * page's Content-Security-Policy it needs only the registry under script-src and connect-src.
 */
import type { PublicAddress, UnitList } from "#api-types";
import { displayCode } from "../codes/code.ts";
import { askedByLink, normalizeUnit, unitBehindCode } from "../codes/unit.ts";
import { codeIn, judgeCode } from "../codes/written-code.ts";
import { element } from "./element.ts";
import type { RegistryError } from "./error.ts";
import { sendOnce } from "./send.ts";

/** The field's texts in each language, with `|` between them, in the order in which `.dev/build.ts` writes them and `#judge` takes them. */
declare const FIELD_TEXTS: Readonly<Record<string, string>>;

const STYLES = `:host,label:not([hidden]),input,output{display:block}\
label{margin-bottom:.5em}\
input,button{min-height:2.75rem;padding:.5em;font:inherit}\
input{box-sizing:border-box;width:100%;border:1px solid var(--address-code-border,#767676)}\
output{min-height:1.5em}\
.wrong{color:var(--address-code-error,#b3261e)}\
div div{position:absolute;transform:scale(0)}`;

/** The attributes that the element has as properties of the same name, as an input has. */
const TEXTS = ["name", "label", "registry", "placeholder", "autocomplete"];
const SWITCHES = ["required", "disabled", "details", "give", "readOnly"];
/** What the platform answers for every control of a form. */
const ASKED = [
	"form",
	"labels",
	"willValidate",
	"validity",
	"validationMessage",
	"checkValidity",
	"reportValidity",
] as const;

function define<Of extends object>(on: Of, name: string, get: (of: Of) => unknown, set?: (of: Of, to: string) => void) {
	Object.defineProperty(on, name, {
		get() {
			return get(this);
		},
		set(to) {
			set?.(this, to);
		},
	});
}

declare global {
	interface HTMLElementTagNameMap {
		"address-code": AddressCodeElement;
	}
}

/** A server that renders pages imports this too, and has no HTMLElement. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
const nativeValue = Object.getOwnPropertyDescriptor(globalThis.HTMLInputElement?.prototype ?? {}, "value")!;

export class AddressCodeElement extends Base {
	static readonly formAssociated = true;
	static readonly observedAttributes = ["lang", ...TEXTS, ...SWITCHES].map((name) => name.toLowerCase());

	declare name: string;
	/** The text of the label, in place of the element's own. */
	declare label: string;
	/** The origin of the registry, such as `https://addr.example`; that of the script where it is empty. */
	declare registry: string;
	declare placeholder: string;
	declare autocomplete: string;
	declare required: boolean;
	declare disabled: boolean;
	declare readOnly: boolean;
	/** Whether the field asks for a unit and a note too. */
	declare details: boolean;
	/** Whether whoever has no code yet can get one, in a tab of the registry. */
	declare give: boolean;
	declare readonly form: HTMLFormElement | null;
	declare readonly labels: NodeList;
	declare readonly willValidate: boolean;
	declare readonly validity: ValidityState;
	declare readonly validationMessage: string;
	declare readonly checkValidity: () => boolean;
	declare readonly reportValidity: () => boolean;

	static {
		for (const name of TEXTS)
			define(
				AddressCodeElement.prototype,
				name,
				// An input inside may have taken the name.
				(of) => of.getAttribute(name) ?? (name === "name" ? of.#name : ""),
				(of, to) => (to == null ? of.removeAttribute(name) : of.setAttribute(name, to)),
			);
		for (const name of SWITCHES)
			define(
				AddressCodeElement.prototype,
				name,
				(of) => of.hasAttribute(name),
				(of, to) => of.toggleAttribute(name, Boolean(to)),
			);
		for (const name of ASKED)
			define(AddressCodeElement.prototype, name, (of) => {
				const internals = of.#internals;
				const known = internals[name] as { bind?(of: ElementInternals): unknown } | null;
				return known?.bind?.(internals) ?? known;
			});
	}

	readonly #internals = this.attachInternals();
	readonly #inputs = ["code", "unit", "note"].map((part, index) =>
		element("input", {
			part,
			// As in a plain field, Enter presses the first submit button of the form (HTML, implicit submission).
			onkeypress: ({ key }: KeyboardEvent) => {
				const { form } = this;
				const button = form?.querySelector<HTMLButtonElement>("button:default");
				if (key === "Enter") button ? button.click() : form?.requestSubmit();
			},
			...(index ? { maxLength: 200 } : { dir: "ltr", autocapitalize: "characters", spellcheck: false }),
		}),
	);
	readonly #says = element("output", { part: "status", id: "s" });
	/** The button that enters the code that replaces a retired one. */
	readonly #take = element("button", { part: "successor", type: "button" });
	/** The button for who has no code yet. */
	readonly #give = element("button", {
		part: "give",
		type: "button",
		onclick: async () => {
			// At once, because browsers let nothing but a tap open a tab.
			const url = new URL(`/give?to=${origin}&nonce=${crypto.randomUUID()}`, this.#origin);
			const tab = open(url);
			(await import("./given-code.ts")).receive(this, url, tab);
		},
	});
	readonly #fields = this.#inputs.map((input) => element("label", { part: "label" }, "", input));
	/** The whole field, marked with the language of its texts. What a library writes beside `#plain` shows below the code. */
	readonly #all: HTMLElement = element(
		"div",
		{},
		element("div", { ariaHidden: "true" }, element("slot", { name: "sent" })),
		this.#fields[0]!,
		this.#says,
		this.#take,
		this.#give,
		element("slot"),
		...this.#fields.slice(1),
	);
	/**
	 * An input of the page that sends the code in place of the element, for libraries that read nothing but inputs, such as jQuery. It is
	 * the plain one that serves without a script or, where the page has jQuery, one of the element's own. It has the element's name, because
	 * of two controls of a name `form.elements` returns the value of neither.
	 */
	#plain: HTMLInputElement | undefined;
	#name = "";
	/** What the page has set by `setCustomValidity`. */
	#custom = "";
	/** What is entered, and what `change` has told last of it. */
	#state = "";
	#told = "";
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
		this.#inputs[0]!.setAttribute("aria-describedby", "s");
		root.append(this.#all);
		root.addEventListener("input", (event) => {
			this.#adopt();
			const plain = this.#plain;
			// Where the plain input is the target, a browser has filled it in, or this has sent the event on.
			if (event.target === plain) this.value = nativeValue.get!.call(plain);
			else {
				this.#judge(false);
				if (!plain) return;
				event.stopPropagation();
				this.#tell("input");
				// jQuery Validate looks again at this one.
				this.#tell("keyup");
			}
		});
		this.#take.onclick = () => {
			this.value = (this.#answer as RegistryError).successor!;
			this.#inputs[0]!.focus();
		};
		// The inner events do not leave the shadow root, so one is sent for the whole field, and another once the address is known.
		root.addEventListener("change", ({ target }) => {
			if (target === this.#plain) return;
			this.#judge(true);
			const now = this.#state + JSON.stringify(this.#answer);
			if (now === this.#told) return;
			this.#told = now;
			this.#tell("change");
		});
		// Whatever puts inputs in later, such as the parser or a library that morphs pages, the code is sent once.
		new MutationObserver(() => this.#adopt()).observe(this, { childList: true, subtree: true });
	}

	connectedCallback(): void {
		// A page may have set properties before this script was loaded, and they would hide the element's own.
		for (const [name, early] of Object.entries(this)) {
			delete this[name as keyof this];
			Reflect.set(this, name, early);
		}
		// A script with jQuery may come after this one.
		addEventListener("load", () => this.#adopt());
		this.value ||= this.getAttribute("value");
		if (!this.#plain) this.replaceChildren(...this.querySelectorAll("input"));
		this.#adopt();
		this.#judge(Boolean(this.value));
	}

	attributeChangedCallback(name: string, _: string | null, text: string | null): void {
		// Where an input has the name, the element gives it up.
		if (name === "name" && (text || !this.#plain)) this.#name = text ?? "";
		this.#judge(false);
	}

	formResetCallback(): void {
		for (const input of this.#inputs) input.value = "";
		this.#typed = this.#told = "";
		this.#inputs[0]!.value = this.getAttribute("value") ?? "";
		this.#judge(false);
	}

	formDisabledCallback(): void {
		this.#judge(false);
	}

	formStateRestoreCallback(state: string): void {
		const texts: string[] = JSON.parse(state);
		for (const input of this.#inputs) input.value = texts.shift()!;
		this.#typed = this.#inputs[0]!.value;
		this.#judge(true);
	}

	#tell(type: string): void {
		(this.#plain ?? this).dispatchEvent(new Event(type, { bubbles: true }));
	}

	get type(): string {
		return this.localName;
	}

	/** The code without separators if one can be read, otherwise what was typed. */
	get value(): string {
		return this.#asked || this.#inputs[0]!.value;
	}

	set value(text: string | null | undefined) {
		const entered = `${text ?? ""}`;
		// A page that stores what is typed sets it again at every key, which needs no check.
		if (entered === this.value) return;
		this.#inputs[0]!.value = entered;
		this.#told = "";
		this.#judge(true);
	}

	/** The unit as the registry spells it, where the field asks for `details`. */
	get unit(): string {
		return this.details ? normalizeUnit(this.#inputs[1]!.value) : "";
	}

	/** The note, where the field asks for `details`. */
	get note(): string {
		return this.details ? this.#inputs[2]!.value : "";
	}

	/** The link to a private address that was entered; empty if none was. */
	get share(): string {
		return this.#link;
	}

	/** The address of the code, once the registry has answered. */
	get address(): PublicAddress | undefined {
		return this.#answer instanceof Error ? undefined : this.#answer;
	}

	/** Makes the field invalid with a message of the page; valid again, as far as the page goes, with an empty one. */
	setCustomValidity(message: string): void {
		this.#custom = message;
		this.#judge(false);
	}

	/** Takes the input inside, or one of its own where the page has jQuery, to send the code in place of the element. */
	#adopt(): void {
		const inside = this.querySelector<HTMLInputElement>("input:not([slot])");
		// The outermost element of what came in goes with its label.
		for (const child of this.children) if (child.contains(inside)) child.remove();
		if (this.#plain && !this.contains(this.#plain)) this.append(this.#plain);
		if (this.#plain ? inside?.name !== this.name : !inside && !("jQuery" in globalThis)) return;
		const plain = inside ?? document.createElement("input");
		this.#name ||= plain.name;
		this.value ||= plain.value;
		this.#plain?.remove();
		this.#plain = plain;
		Object.assign(plain, { tabIndex: -1, onfocus: () => this.#inputs[0]!.focus() });
		plain.removeAttribute("pattern");
		define(
			plain,
			"value",
			() => this.value,
			(_, text) => (this.value = text),
		);
		define(plain, "address", () => this.address);
		if (this.#name && this.#name === this.id) {
			this.removeAttribute("id");
			plain.id = this.#name;
		}
		this.#judge(false);
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
		const said = FIELD_TEXTS[language]!.split("|");
		const [malformed, letter, wrong, ADDRESS_RETIRED, ADDRESS_NOT_FOUND, ADDRESS_PRIVATE, unchecked, ...more] =
			said.slice(3) as [string, ...string[]];
		const [take, ended, unlisted, give] = more as [string, string, string, string];
		this.#all.lang = language;
		this.#all.dir = language === "ar" ? "rtl" : "ltr";
		this.#fields.forEach((field, index) => {
			field.firstChild!.nodeValue = (!index && this.label) || said[index]!;
			field.hidden = index > 0 && !this.details;
		});
		const [code, unit] = this.#inputs;
		const { required, placeholder, readOnly } = this;
		const disabled = this.matches(":disabled");
		for (const input of this.#inputs) Object.assign(input, { readOnly, disabled });
		Object.assign(code!, { required, placeholder, autocomplete: this.autocomplete || "off" });
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
		const entered = this.unit;
		if (entered && isDone && answer && !(answer instanceof Error) && !this.#units) {
			this.#units = [];
			this.#askUnits();
		}
		let says = "";
		let isWrong = !canonical && state !== "empty" && (state !== "partial" || isDone);
		let other = "";
		if (isWrong) says = { letter, wrong }[state as string] ?? malformed;
		else if (answer instanceof Error) {
			const { code, successor } = answer as RegistryError;
			const refusal = { ADDRESS_RETIRED, ADDRESS_NOT_FOUND, ADDRESS_PRIVATE: link ? ended : ADDRESS_PRIVATE }[
				code as string
			];
			isWrong = Boolean(refusal);
			says = refusal ?? unchecked!;
			other = successor ?? "";
		} else if (answer) {
			const { locality, region, country_name, label } = answer;
			says = [...new Set([label, locality, region, country_name])].filter(Boolean).join(" · ");
			// A remark, not a fault: the owner may not have listed every flat.
			if (this.#units?.[0] && entered && !this.#units.includes(entered))
				says += ` · ${unlisted.replace("{unit}", entered)}`;
		}
		this.#give.hidden = !this.give || Boolean(canonical) || readOnly || disabled;
		this.#give.textContent = give;
		this.#take.hidden = !other;
		this.#take.textContent = take.replace("{code}", displayCode(other));
		if (this.#says.textContent !== says) this.#says.textContent = says;
		this.#says.className = isWrong ? "wrong" : "";
		code!.setAttribute("aria-invalid", `${isWrong}`);
		const valueMissing = required && state === "empty";
		const customError = isWrong || state === "partial" || Boolean(this.#custom);
		// An input that is disabled or read-only has no message of the browser's.
		const fault = (isWrong && says) || this.#custom || code!.validationMessage || malformed;
		this.#internals.setValidity({ valueMissing, customError }, fault, code);
		this.#send();
	}

	/** Hands over what the form sends: by the element itself, or by inputs inside where there is a plain one. */
	#send(): void {
		const { name, required } = this;
		const plain = this.#plain;
		if (plain) this.removeAttribute("name");
		const { disabled } = this.#inputs[0]!;
		const form = this.getAttribute("form");
		const sent = {
			"": this.value,
			...(this.#link && { _share: this.#link }),
			...(this.details && { _unit: this.unit, _note: this.note }),
		};
		const values = new FormData();
		for (const input of this.querySelectorAll("[type=hidden]")) input.remove();
		for (const [suffix, text] of Object.entries(sent)) {
			const full = name && name + suffix;
			if (plain) {
				const input = suffix ? element("input", { type: "hidden" }) : plain;
				Object.assign(input, { slot: "sent", name: full, disabled, required: required && !suffix });
				nativeValue.set!.call(input, text);
				// Outside its form, the element names it.
				if (form) input.setAttribute("form", form);
				this.append(input);
			} else if (full) values.set(full, text);
		}
		this.#state = JSON.stringify(this.#inputs.map(({ value }) => value));
		this.#internals.setFormValue(values, this.#state);
	}

	/** The registry's answer on a path below that of the address, unless the code changes first. Where none comes, it asks once more. */
	async #get(path = ""): Promise<unknown> {
		const url = new URL(`/v1/public/addresses/${this.#asked}${path}`, this.#origin);
		const share = askedByLink(this.#link)?.get("share");
		if (share) url.searchParams.set("share", share);
		const { signal } = this.#asking!;
		const ask = () => sendOnce(new Request(url, { credentials: "omit", referrerPolicy: "no-referrer" }), { signal });
		try {
			return await ask();
		} catch (error) {
			if (/^[1-4]/.test(`${(error as RegistryError).status}`)) throw error;
			await new Promise((resume) => setTimeout(resume, 999));
			return ask();
		}
	}

	get #origin(): string {
		return this.registry || import.meta.url;
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
				console.warn(`<address-code registry="${this.#origin}">: ${error} connect-src?`);
			this.dispatchEvent(new CustomEvent("error", { detail: error }));
		}
		// Checks the field again as if the person had finished typing.
		this.#says.dispatchEvent(new Event("change", { bubbles: true }));
	}
}

if (globalThis.customElements && !customElements.get("address-code"))
	customElements.define("address-code", AddressCodeElement);
