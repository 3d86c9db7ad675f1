/** An identity provider for tests: it signs the tokens that operators carry. */
import { exportJWK, generateKeyPair, SignJWT } from "jose";

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
