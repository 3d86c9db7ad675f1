import { type JWTVerifyGetKey, jwtVerify, SignJWT } from "jose";
import { isOneSpelling } from "../crypto/jwt.ts";
import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";

/** How long an access token lives, in seconds. */
const ACCESS_TOKEN_SECONDS = 30 * 60;

/** How far the clocks of two edges may differ, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 5;

const ALGORITHM = "HS256";
const TOKEN_TYPE = "at+jwt";
const ISSUER = "address-registry";
const AUDIENCE = "address-registry";

/** What an access token says about its bearer. */
export interface AccessClaims {
	userId: string;
	sessionId: string;
}

/** An access token (RFC 9068), signed with the first secret. It expires 30 minutes after `now` (milliseconds since the epoch). */
export function signAccessToken(claims: AccessClaims, [newest]: SigningSecrets, now: number): Promise<string> {
	const issuedAt = Math.floor(now / 1000);
	return new SignJWT({ sid: claims.sessionId })
		.setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE, kid: newest.id })
		.setIssuer(ISSUER)
		.setAudience(AUDIENCE)
		.setSubject(claims.userId)
		.setIssuedAt(issuedAt)
		.setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
		.setJti(crypto.randomUUID())
		.sign(newest.secret);
}

/** The claims of an access token, or undefined if its form, key id, signature, type, issuer, audience or time is wrong. */
export async function verifyAccessToken(
	token: string,
	secrets: SigningSecret[],
	now: number,
): Promise<AccessClaims | undefined> {
	try {
		if (!isOneSpelling(token)) return undefined;
		const keyOfHeader: JWTVerifyGetKey = ({ kid }) => {
			const signing = secrets.find(({ id }) => id === kid);
			if (!signing) throw new Error("No secret has this id");
			return signing.secret;
		};
		const { payload } = await jwtVerify(token, keyOfHeader, {
			algorithms: [ALGORITHM],
			typ: TOKEN_TYPE,
			issuer: ISSUER,
			audience: AUDIENCE,
			requiredClaims: ["sub", "sid", "iat", "exp", "jti"],
			clockTolerance: CLOCK_TOLERANCE_SECONDS,
			currentDate: new Date(now),
		});
		const { sub, sid } = payload;
		return typeof sub === "string" && typeof sid === "string" ? { userId: sub, sessionId: sid } : undefined;
	} catch {
		return undefined;
	}
}
