import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect } from "vitest";
import { app } from "../../src/app.ts";
import type { Bindings } from "../../src/env.ts";
import { assertDocumented } from "./contract.ts";
import { watch } from "./secrecy.ts";

/** Where the tests pretend the registry stands: WEB_URL of test/vitest.config.ts. */
export const ORIGIN = "https://registry.test";

/** A binding to a Worker, of which the platform's type knows requests alone. */
type Asked = Fetcher & { scheduled(run: { scheduledTime: Date; cron: string }): Promise<{ outcome: string }> };

/**
 * Who is asked: in test/flow the Worker as it is deployed, elsewhere its source, whose log, clock and hashes the test can reach because they
 * share an isolate.
 */
export function asked(): Asked {
	return (expect.getState().testPath?.includes("/test/flow/") ? env.DEPLOYED : exports.default) as Asked;
}

let lastClient = 0;

/** An address no other call of this file came from, so that limits on one client do not add up over tests. */
export function freshAddress(): string {
	lastClient += 1;
	return `10.${lastClient >> 16}.${(lastClient >> 8) & 255}.${lastClient & 255}`;
}

/** Sends a request to the real Worker, from a client of its own unless the header says otherwise. An object body goes as JSON; `settings` stand for other variables in wrangler.toml. Whatever the API answers is held to the OpenAPI document. */
export async function call(
	path: string,
	init: Omit<RequestInit, "body"> & {
		body?: unknown;
		token?: string;
		settings?: Partial<Bindings>;
		/** The IP address of the client, where it is not one of its own. */
		from?: string | undefined;
		/** Scheme and host of the request, where it is not the registry's own. */
		origin?: string;
	} = {},
): Promise<Response> {
	const { body, token, settings, from = freshAddress(), origin = ORIGIN, ...rest } = init;
	const headers = new Headers(rest.headers);
	if (!headers.has("CF-Connecting-IP")) headers.set("CF-Connecting-IP", from);
	if (token) headers.set("Authorization", `Bearer ${token}`);
	if (body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
	const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
	const payload = body === undefined || isRaw ? body : JSON.stringify(body);
	const request = new Request(origin + path, { ...rest, headers, body: (payload ?? null) as BodyInit | null });
	const response = await (settings ? fetchUnder(settings, request) : asked().fetch(request));
	if (response.status >= 400) watch(`${request.method} ${path}`, await response.clone().text());
	// Each names a scheme with a parameter, pages too (RFC 9110 section 15.5.2, RFC 6750 section 3).
	if (response.status === 401)
		expect(response.headers.get("WWW-Authenticate"), path).toMatch(/^(Bearer|Api-Key) \w+="/);
	await assertDocumented(request, response);
	return response;
}

/** Sends a body by POST. */
export function post(path: string, body: unknown, more: Parameters<typeof call>[1] = {}): Promise<Response> {
	return call(path, { method: "POST", body, ...more });
}

/** Sends a body by PATCH. */
export function patch(path: string, body: unknown, more: Parameters<typeof call>[1] = {}): Promise<Response> {
	return call(path, { method: "PATCH", body, ...more });
}

/** What goes on after answers under other settings. */
const unfinished: Promise<void>[] = [];

/** Waits for what goes on after the answers of a file. */
export async function settle(): Promise<void> {
	await Promise.all(unfinished.splice(0));
}

async function fetchUnder(settings: Partial<Bindings>, request: Request): Promise<Response> {
	const context = createExecutionContext();
	const response = await app.fetch(request, { ...env, ...settings }, context);
	const end = waitOnExecutionContext(context);
	// What goes on after a change, such as the second purge a second later, nobody waits for; what goes on after a look-up is what tests look at.
	if (request.method === "GET" || request.method === "HEAD") await end;
	else unfinished.push(end);
	return response;
}

/** The JSON of an answer, after its status was checked. */
export async function json<Body = Record<string, unknown>>(
	response: Response | Promise<Response>,
	status = 200,
): Promise<Body> {
	const answer = await response;
	const text = await answer.text();
	if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}: ${text}`);
	return JSON.parse(text) as Body;
}

interface Problem {
	code: string;
	status: number;
	detail: string;
	errors?: { path: string; message: string }[];
}

/** Asserts that an answer is a complete problem (RFC 9457) and returns it. */
export async function problem(response: Response | Promise<Response>, status: number, code: string): Promise<Problem> {
	const answer = await response;
	const body = await json<Problem & Record<string, unknown>>(answer, status);
	expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
	expect(answer.headers.get("Cache-Control")).toBe("no-store");
	expect(body).toMatchObject({
		type: `${ORIGIN}/problems/${code}`,
		title: expect.any(String),
		status,
		detail: expect.any(String),
		instance: answer.headers.get("X-Request-Id"),
		code,
	});
	expect(body.instance).toMatch(/^req_[0-9a-f]{32}$/);
	return body;
}
