import { env, waitUntil } from "cloudflare:workers";
import { callerOfAccessToken, type SignedInCaller } from "../../src/accounts/signed-in.ts";
import type { Bindings } from "../../src/env.ts";
import { type Circumstances, openRegistry, type Registry } from "../../src/registry.ts";

/** Whoever an access token speaks for. */
export function callerOf(registry: Registry, { access }: { access: string }): Promise<SignedInCaller> {
	return callerOfAccessToken(registry, access);
}

/** A registry as a request finds it, without a request: with where it is called from, and other bindings or settings. */
export function testRegistry(circumstances: Partial<Circumstances> = {}, settings: Partial<Bindings> = {}): Registry {
	return openRegistry(
		{ ...env, ...settings },
		{
			requestId: "req_test",
			webUrl: "https://registry.test",
			clientAddress: "2001:db8::1",
			afterAnswer: waitUntil,
			...circumstances,
		},
	);
}
