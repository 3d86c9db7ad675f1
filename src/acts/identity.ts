/**
 * Who an operator is, by the token of the organisation's own identity provider: Cloudflare Access (Cf-Access-Jwt-Assertion), or any proxy
 * that sends an OpenID Connect token. The provider handles signing in, second factors and leavers, so that the registry stores no
 * operator's password.
 */
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { isOneSpelling } from "../crypto/jwt.ts";
import type { OperatorSettings } from "../env.ts";
import { AppError } from "../errors.ts";
import { HOUR, MINUTE, SECOND } from "../time/time.ts";

/** The issuer of the tokens that `npm run registry -- operator-token` makes. They count on a developer's machine alone. */
export const LOCAL_ISSUER = "local";

/** An operator, as the audit log names them. */
export interface Operator {
	/** The e-mail address of the token, or its subject where it has none. */
	name: string;
	/** When the token expires, in milliseconds since the epoch. */
	expiresAt: number;
}

/** Who acts, and why. */
export interface Mandate {
	operator: Operator;
	reason: string;
}

/** Signatures by the provider's private key alone: with a shared secret, whoever verifies could sign. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA", "Ed25519"];
/** How far the clocks of the provider and of this registry may differ, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** How old a token may be, unless it is of Cloudflare Access, whose sessions an administrator makes as long as they like. */
const AGE_MAX = "1 day";
/** How long the keys of a URL are cached, and how soon an unknown key may reload them, in milliseconds. */
const KEYS = { cacheMaxAge: HOUR, cooldownDuration: MINUTE };

/** The error of an invalid token. It does not say which check failed, which would help only a forger. */
function refused(): AppError {
	const detail = "Sign in with your organisation's account. This token is missing, wrong or expired.";
	return new AppError("UNAUTHENTICATED", detail);
}

/**
 * The keys of a provider's URL. While it is unreachable, its last known keys are used.
 * @returns A function that finds the key of a token. It throws AppError UNAVAILABLE if no keys are known yet.
 */
function remoteKeys(url: URL): JWTVerifyGetKey {
	const remote = createRemoteJWKSet(url, KEYS);
	return async (...token) => {
		try {
			return await remote(...token);
		} catch (error) {
			if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
			const known = remote.jwks();
			if (known) return createLocalJWKSet(known)(...token);
			const detail = "The keys of the organisation's identity provider cannot be read right now. Try again shortly.";
			throw new AppError("UNAVAILABLE", detail, { headers: { "Retry-After": "10" } });
		}
	};
}

/**
 * Verifies operators' tokens, and remembers the provider's keys for an hour. A token that names an unknown key has them asked for again,
 * at most once a minute.
 * @returns Names the operator of a token at a time in milliseconds since the epoch. It throws AppError UNAUTHENTICATED for a token that
 * is not genuine, has expired or is nobody's who is admitted; UNAVAILABLE where the provider does not give its keys.
 */
export function operatorVerifier({ issuer, audience, keys, admitted, isCloudflareAccess }: OperatorSettings) {
	const keyOf = keys instanceof URL ? remoteKeys(keys) : createLocalJWKSet(keys);

	async function claimsOf(token: string, now: number): Promise<JWTPayload> {
		if (!isOneSpelling(token)) throw refused();
		const { payload } = await jwtVerify(token, keyOf, {
			algorithms: ALGORITHMS,
			issuer,
			audience,
			requiredClaims: ["exp", "iat", "sub"],
			clockTolerance: CLOCK_TOLERANCE_SECONDS,
			currentDate: new Date(now),
			...(isCloudflareAccess ? {} : { maxTokenAge: AGE_MAX }),
		});
		if (Number(payload.iat) > now / SECOND + CLOCK_TOLERANCE_SECONDS) throw refused();
		return payload;
	}

	return async (token: string, now: number): Promise<Operator> => {
		let claims: JWTPayload;
		try {
			claims = await claimsOf(token, now);
		} catch (error) {
			throw error instanceof AppError ? error : refused();
		}
		const email = typeof claims.email === "string" ? claims.email.toLowerCase() : undefined;
		// An address that the provider has not verified is whatever its user typed. Cloudflare Access verifies all, and does not say so.
		const { email_verified: verified } = claims;
		const isVerified = verified === true || (isCloudflareAccess && verified === undefined);
		if (admitted && (!email || !isVerified || !admitted.has(email))) throw refused();
		return { name: email ?? String(claims.sub), expiresAt: Number(claims.exp) * 1000 };
	};
}
