/**
 * The operator of a developer's machine: its own key, and tokens that last an hour. Nothing that is reached over Cloudflare accepts them.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { LOCAL_ISSUER } from "../acts/identity.ts";

/** The file of the private key, which git ignores. */
export const LOCAL_KEY_FILE = ".dev.operator-key";
const ALGORITHM = "ES256";
const KID = "local";
const LIFETIME = "1h";

/** The settings under which its tokens are accepted, which `npm start` passes to wrangler. */
export const LOCAL_OPERATOR = { issuer: LOCAL_ISSUER, audience: "local", email: "operator@localhost" };

/** The key's public part as a JWKS. Makes the key if there is none. */
export async function localKeySet(): Promise<{ keys: JWK[] }> {
	if (!existsSync(LOCAL_KEY_FILE)) {
		const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
		writeFileSync(LOCAL_KEY_FILE, JSON.stringify({ ...(await exportJWK(privateKey)), kid: KID, alg: ALGORITHM }), {
			mode: 0o600,
			flag: "wx",
		});
	}
	const { d: _, ...publicKey } = JSON.parse(readFileSync(LOCAL_KEY_FILE, "utf8")) as JWK;
	return { keys: [publicKey] };
}

/** A token of the local operator that lasts an hour. @throws Error if `npm start` has not made the key yet. */
export async function localToken(): Promise<string> {
	if (!existsSync(LOCAL_KEY_FILE)) throw new Error("There is no local key yet. Run `npm start` once, which makes it.");
	const key = await importJWK(JSON.parse(readFileSync(LOCAL_KEY_FILE, "utf8")) as JWK, ALGORITHM);
	const { issuer, audience, email } = LOCAL_OPERATOR;
	return new SignJWT({ email, email_verified: true })
		.setProtectedHeader({ alg: ALGORITHM, kid: KID })
		.setIssuer(issuer)
		.setAudience(audience)
		.setSubject(email)
		.setIssuedAt()
		.setExpirationTime(LIFETIME)
		.sign(key);
}
