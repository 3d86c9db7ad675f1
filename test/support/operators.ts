/** Operators of the registry that the tests of the Worker run. */
import { call, json } from "./client.ts";
import { ConsoleVisitor } from "./console-visitor.ts";
import { operatorSettings, operatorToken } from "./operator-tokens.ts";

export { operatorSettings, operatorToken };

/** Calls an endpoint under /v1/operator as an operator, by POST where there is a body. */
export async function operate(path: string, body?: object, settings: object = {}): Promise<Response> {
	const method = body ? "POST" : "GET";
	const token = await operatorToken();
	return call(`/v1/operator/${path}`, { method, token, body, settings: { ...operatorSettings, ...settings } });
}

/** The answer of an act that succeeds. */
export async function acted<Answer = Record<string, unknown>>(path: string, body?: object): Promise<Answer> {
	return json<Answer>(operate(path, body));
}

/** An operator's browser, behind Cloudflare Access. */
export class OperatorVisitor extends ConsoleVisitor {
	constructor(settings: Record<string, string> = {}) {
		super({ ...operatorSettings, ...settings });
	}

	override async ask(path: string, init: Parameters<typeof call>[1] = {}): Promise<Response> {
		const headers = new Headers(init.headers);
		headers.set("Cf-Access-Jwt-Assertion", await operatorToken());
		return super.ask(path, { ...init, headers });
	}
}
