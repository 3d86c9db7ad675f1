/** How operators are admitted: by the token of the organisation's own identity provider. */

import { LOCAL_ISSUER, type Operator, operatorVerifier } from "../acts/identity.ts";
import type { OperatorSettings } from "../env.ts";
import { AppError } from "../errors.ts";
import type { Access, SecurityScheme } from "../http/endpoint.ts";
import { logTurnedAway } from "../limits/suspicious.ts";
import type { Registry } from "../registry.ts";

/** Where Cloudflare Access puts its token. */
export const ACCESS_HEADER = "Cf-Access-Jwt-Assertion";

const operatorScheme: SecurityScheme = {
	name: "operatorToken",
	definition: {
		type: "http",
		scheme: "bearer",
		bearerFormat: "JWT",
		description:
			"For operators: the token of the organisation's identity provider. Cloudflare Access sends it as `Cf-Access-Jwt-Assertion`. It is verified as RFC8725 (JWT Best Current Practices) recommends.",
	},
};

/** Loopback addresses: the key of a developer's machine works from these only. */
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1)$/;

const verifiers = new WeakMap<OperatorSettings, ReturnType<typeof operatorVerifier>>();

/** Whether this caller may see that there are operators: those of a developer's machine exist only for that machine. */
export function hasOperators({ settings: { operators }, clientAddress }: Registry): boolean {
	// Cloudflare names the address of every client, and none is this machine's own.
	const isHere = LOOPBACK.test(clientAddress ?? "127.0.0.1");
	return operators !== undefined && (operators.issuer !== LOCAL_ISSUER || isHere);
}

/**
 * Names the operator of a token. A refusal is logged.
 * @throws AppError NOT_FOUND while the registry has no operators, UNAUTHENTICATED, UNAVAILABLE.
 */
export async function operatorOf(registry: Registry, token: string | undefined): Promise<Operator> {
	const { operators } = registry.settings;
	if (!operators || !hasOperators(registry)) {
		throw new AppError("NOT_FOUND", "No endpoint has this path. The endpoints are listed at /docs.");
	}
	const verify = verifiers.get(operators) ?? operatorVerifier(operators);
	verifiers.set(operators, verify);
	try {
		return await verify(token ?? "", registry.now);
	} catch (error) {
		if (error instanceof AppError && error.code === "UNAUTHENTICATED") logTurnedAway(registry, "operator_refused");
		throw error;
	}
}

/** Admits an operator. */
export const operator: Access<Operator> = {
	schemes: [operatorScheme],
	summary: "Needs the token of an operator.",
	errors: ["UNAUTHENTICATED", "NOT_FOUND"],
	proxyHeader: ACCESS_HEADER,
	admit: (registry, credential) =>
		operatorOf(registry, credential?.kind === "access-token" ? credential.text : undefined),
};
