import { decodeJwt } from "jose";
import { openWebSession } from "../../src/accounts/web-session.ts";
import { call, freshAddress, ORIGIN } from "./client.ts";
import { LAGOS, mint, PASSWORD, signUp } from "./people.ts";
import { testRegistry } from "./registry.ts";

/** What a browser says of a form that it sends from a page of the same site. */
const SAME_SITE = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };

/** A browser without scripts: it keeps cookies, follows redirects, and sends the forms of the page that it is on. */
export class ConsoleVisitor {
	readonly cookies = new Map<string, string>();
	/** The page that the visitor is on. */
	html = "";
	path = "";
	status = 0;
	userAgent = "";
	readonly address = freshAddress();
	private readonly settings: Record<string, string>;

	/** @param settings Settings of the registry that differ from the usual. */
	constructor(settings: Record<string, string> = {}) {
		this.settings = settings;
	}

	/** Asks for a path as it is, without following anything. */
	async ask(path: string, init: Parameters<typeof call>[1] = {}): Promise<Response> {
		const headers = new Headers(init.headers);
		headers.set("CF-Connecting-IP", this.address);
		if (this.userAgent) headers.set("User-Agent", this.userAgent);
		headers.set("Cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
		const response = await call(path, { settings: this.settings, ...init, headers, redirect: "manual" });
		for (const cookie of response.headers.getSetCookie()) {
			const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
			if (/Max-Age=0/i.test(cookie)) this.cookies.delete(name);
			else this.cookies.set(name, value);
		}
		return response;
	}

	private async arrive(path: string, response: Response, sent?: URLSearchParams): Promise<void> {
		const location = response.headers.get("Location");
		if (location) {
			await response.body?.cancel();
			const next = new URL(location, new URL(path, ORIGIN)).href.replace(ORIGIN, "");
			// 307 sends the form once more (RFC 9110 section 15.4.8).
			if (sent && response.status === 307) return this.arrive(next, await this.post(next, sent), sent);
			await this.open(next);
			return;
		}
		[this.html, this.path, this.status] = [await response.text(), path, response.status];
	}

	/** Opens a page. */
	async open(path: string): Promise<this> {
		await this.arrive(path, await this.ask(path));
		return this;
	}

	/** The fields that a form of the page sends, with what the visitor fills in. */
	fields(action: string, filled: Record<string, string> = {}): URLSearchParams {
		const forms = this.html.split("<form ").filter((form) => form.includes(`action="${action}"`));
		const form = forms.find((text) =>
			Object.keys(filled).every((name) => text.includes(`name="${name.split(".")[0]}"`)),
		);
		if (!form) throw new Error(`${this.path} has no form for ${action} with ${Object.keys(filled)}`);
		const hidden = [...form.split("</form>")[0]!.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
		const sent = hidden.map(([, name, value = ""]) => [name, value.replaceAll("&#39;", "'").replaceAll("&amp;", "&")]);
		// As a script does, what is filled in takes the place of what the form held.
		return new URLSearchParams({ ...Object.fromEntries(sent), ...filled });
	}

	/** Sends a form of the page. */
	async send(action: string, filled: Record<string, string> = {}): Promise<this> {
		const sent = this.fields(action, filled);
		await this.arrive(action, await this.post(action, sent), sent);
		return this;
	}

	/** Opens a page and sends the form on it that leads to itself. */
	async openAndSend(path: string, filled?: Record<string, string>): Promise<this> {
		await this.open(path);
		return this.send(path, filled);
	}

	/** Sends fields as a form of this site would be sent. */
	post(action: string, fields: URLSearchParams, headers: Record<string, string> = SAME_SITE): Promise<Response> {
		const type = { "Content-Type": "application/x-www-form-urlencoded" };
		return this.ask(action, { method: "POST", body: String(fields), headers: { ...type, ...headers } });
	}

	/** What anybody is told of an address. */
	async resolve(canonical: string): Promise<Record<string, unknown>> {
		return (await this.ask(`/v1/public/addresses/${canonical}`)).json();
	}

	/** The page as a person reads it. */
	get text(): string {
		return this.html
			.replace(/<(style|script|svg|select)\b.*?<\/\1>/gs, "")
			.replace(/<[^>]+>/g, " ")
			.replace(/\s+/g, " ");
	}
}

let phones = 0;

/** A phone number as it is dialled in Nigeria, that no other test has. */
export function newNationalPhone(): string {
	phones += 1;
	return `0803${String(1_000_000 + Math.trunc(Date.now() % 1_000_000) * 7 + phones).slice(-7)}`;
}

/** What a new visitor fills in on the last page. */
export function newcomer() {
	return { country: "NG", phone: newNationalPhone(), password: PASSWORD };
}

/** Goes through the steps up to the last page. */
export async function fillDraft(visitor: ConsoleVisitor, place = "6.5244, 3.3792", label = "Blue gate"): Promise<void> {
	await visitor.open("/my/new");
	await visitor.send("/my/new", { place });
	await visitor.send("/my/new/spot", { go: "right", label });
}

/** Goes through all steps, which open an account, and returns the code of the new address. */
export async function createBySteps(visitor: ConsoleVisitor, person = newcomer()): Promise<string> {
	await fillDraft(visitor);
	await visitor.send("/my/new/check", person);
	return /\/my\/([A-Z]{2}\d{9})/.exec(visitor.path)?.[1] ?? "";
}

/**
 * Makes a visitor somebody who holds one address, and opens its page. Account, session and address stand as the steps leave them, but for the
 * cheap hash of the password (client.ts): for tests of what comes after.
 * @returns the code of the address
 */
export async function becomeHolder(visitor: ConsoleVisitor, person = newcomer()): Promise<string> {
	const { access } = await signUp(`+234${person.phone.slice(1)}`);
	const { sid } = decodeJwt<{ sid: string }>(access);
	const token = await openWebSession(testRegistry(), sid, true);
	visitor.cookies.set("__Host-session", token);
	const { canonical } = await mint(access, { ...LAGOS, label: "Blue gate" });
	await visitor.open(`/my/${canonical}`);
	return canonical;
}

/** A new visitor who holds one address and is on its page, and its code. */
export async function newHolder(): Promise<{ visitor: ConsoleVisitor; canonical: string }> {
	const visitor = new ConsoleVisitor();
	return { visitor, canonical: await becomeHolder(visitor) };
}
