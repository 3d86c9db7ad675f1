/** An identity provider for tests: it signs the tokens that operators carry. */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { call, json } from "./client.ts";
import { ConsoleVisitor } from "./console-visitor.ts";

const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
const KID = "provider";

/** The settings of a registry that has operators. */
export const operatorSettings = {
	OPERATORS_ISSUER: "https://team.cloudflareaccess.com",
	OPERATORS_AUDIENCE: "4714c1358e65fe4b408ad6d432a5f878",
	OPERATORS_JWKS: JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: KID, alg: "RS256", use: "sig" }] }),
	OPERATORS: "ada@addr.example",
	OPERATOR_CONTACT: "mailto:office@addr.example",
};

/** A token of an operator, but for what is changed. */
export function operatorToken(
	claims: Record<string, unknown> = {},
	header: Record<string, unknown> = {},
	key: Parameters<SignJWT["sign"]>[0] = privateKey,
): Promise<string> {
	const seconds = Math.floor(Date.now() / 1000);
	const payload = {
		iss: operatorSettings.OPERATORS_ISSUER,
		aud: operatorSettings.OPERATORS_AUDIENCE,
		sub: "7335d417",
		email: "ada@addr.example",
		iat: seconds - 10,
		exp: seconds + 3600,
		...claims,
	};
	return new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: KID, ...header }).sign(key);
}

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
