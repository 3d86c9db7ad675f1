/** A client of a registry that is served over HTTP. */
import { PASSWORD } from "./secrecy.ts";

export { PASSWORD };
export const LAGOS = { lat: 6.5244, lng: 3.3792, label: "Blue gate" };

export interface Answer {
	status: number;
	headers: Headers;
	body: Record<string, unknown>;
	text: string;
	milliseconds: number;
}

export interface Call {
	method?: string;
	path: string;
	/** What stands in Authorization. */
	token?: string | undefined;
	body?: object | undefined;
	/** A form's fields, as they are sent. */
	form?: string | undefined;
	headers?: Record<string, string> | undefined;
}

let lastNetwork = 0;

/** Sends a call from a network that no other call came from, unless its headers say otherwise. */
export async function send(url: string, { method, path, token, body, form, headers }: Call): Promise<Answer> {
	lastNetwork += 1;
	const started = performance.now();
	const answer = await fetch(url + path, {
		method: method ?? (body ? "POST" : "GET"),
		headers: {
			"CF-Connecting-IP": `10.${lastNetwork >> 16}.${(lastNetwork >> 8) & 255}.${lastNetwork & 255}`,
			...(body ? { "Content-Type": "application/json" } : {}),
			...(token ? { Authorization: token } : {}),
			...headers,
		},
		body: form ?? (body ? JSON.stringify(body) : null),
		signal: AbortSignal.timeout(60_000),
	});
	const text = await answer.text();
	const isJson = /\bjson\b/.test(answer.headers.get("Content-Type") ?? "");
	return {
		status: answer.status,
		headers: answer.headers,
		body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
		text,
		milliseconds: performance.now() - started,
	};
}

let lastPhone = Math.floor(Date.now() / 100) % 10_000_000;

export function freshPhone(): string {
	lastPhone += 1;
	return `+23480${String(30_000_000 + (lastPhone % 60_000_000))}`;
}

export interface Account {
	phone: string;
	id: string;
	token: string;
	refresh: string;
}

/** Registers an account. */
export async function signUp(url: string, phone = freshPhone()): Promise<Account> {
	const { status, body, text } = await send(url, { path: "/v1/auth/register", body: { phone, password: PASSWORD } });
	if (status !== 201) throw new Error(`register: ${status} ${text}`);
	const { access, refresh, user } = body as { access: string; refresh: string; user: { id: string } };
	return { phone, id: user.id, token: `Bearer ${access}`, refresh };
}

/** Makes a live key, as it stands in Authorization, and its id. */
export async function makeKey(
	url: string,
	token: string,
	scopes = ["addresses:read", "addresses:write"],
	mode: "live" | "test" = "live",
) {
	const { status, body, text } = await send(url, {
		path: "/v1/keys",
		token,
		body: { name: "Key", mode, scopes },
	});
	if (status !== 201) throw new Error(`key: ${status} ${text}`);
	return { key: String(body.key), token: `Api-Key ${body.key}`, id: String(body.id) };
}

/** Mints an address and returns its canonical code. */
export async function mint(url: string, token: string, place: object = LAGOS): Promise<string> {
	const { status, body, text } = await send(url, { path: "/v1/addresses", token, body: place });
	if (status !== 201) throw new Error(`mint: ${status} ${text}`);
	return String(body.canonical);
}
