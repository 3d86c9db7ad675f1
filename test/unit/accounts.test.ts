import { readFileSync } from "node:fs";
import { scrypt } from "@noble/hashes/scrypt.js";
import { describe, expect, it } from "vitest";
import { signAccessToken, verifyAccessToken } from "../../src/accounts/access-token.ts";
import {
	assertStrongPassword,
	hashPassword,
	PASSWORD_COST,
	UNMATCHABLE_HASH,
	verifyPassword,
} from "../../src/accounts/password.ts";
import { sha256Hex } from "../../src/crypto/hash.ts";
import { randomBase62 } from "../../src/crypto/random.ts";
import { type Bindings, faultOf, readConfig } from "../../src/env.ts";
import { goneSettings } from "../../src/settings/gone-settings.ts";
import { rateLimitBindings } from "../../src/settings/limits.ts";
import { logged } from "../support/logged.ts";
import { vectors } from "../support/vectors.ts";

const commonPasswords = new Uint8Array(readFileSync("src/accounts/common-passwords.bin"));

describe("passwords", () => {
	it("are stored as a PHC string of scrypt at OWASP's cost, salted", () => {
		const phc = hashPassword("correct horse");
		expect(phc).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[\w+/]{22}\$[\w+/]{43}$/);
		expect(hashPassword("correct horse")).not.toBe(phc);
		expect(verifyPassword("correct horse", phc)).toBe(true);
		expect(verifyPassword("correct horsf", phc)).toBe(false);
		expect(verifyPassword("correct horse", UNMATCHABLE_HASH)).toBe(false);
	});

	it("verify under the parameters that stand in the string, up to a limit of memory", () => {
		const phc = hashPassword("correct horse", { logN: 10, r: 8, p: 1 });
		expect(phc).toContain("ln=10,r=8,p=1");
		expect(verifyPassword("correct horse", phc)).toBe(true);
		expect(() => verifyPassword("x", phc.replace("ln=10", "ln=20"))).toThrow();
		expect(() => verifyPassword("x", "$2b$10$abc")).toThrow();
	});

	it("are one password in either Unicode spelling, and not trimmed", () => {
		const phc = hashPassword("caf\u00e9 caf\u00e9", { logN: 10, r: 8, p: 1 });
		expect(verifyPassword("cafe\u0301 cafe\u0301", phc)).toBe(true);
		expect(verifyPassword("caf\u00e9 caf\u00e9 ", phc)).toBe(false);
	});

	it("are hashed by the scrypt of RFC 7914, as an independent implementation computes it", () => {
		const N = 2 ** PASSWORD_COST.logN;
		const options = { N, r: PASSWORD_COST.r, p: PASSWORD_COST.p, maxmem: 64 * 1024 * 1024 };
		const [, , , salt = "", hash] = hashPassword("correct horse").split("$");
		const expected = scrypt("correct horse", Buffer.from(salt, "base64"), { ...options, dkLen: 32 });
		expect(hash).toBe(Buffer.from(expected).toString("base64").replace(/=+$/, ""));
	});

	it.each(vectors<[string, "weak" | "strong"]>("passwords"))("such as %j are %s", (password, verdict) => {
		const check = expect(() => assertStrongPassword(password, "+2348031234567", commonPasswords));
		if (verdict === "weak") check.toThrow(expect.objectContaining({ code: "WEAK_PASSWORD" }));
		else check.not.toThrow();
	});
});

it("access tokens live 30 minutes and a few seconds of tolerance", async () => {
	const now = Date.UTC(2026, 10, 21);
	const secret = { id: "a", secret: new Uint8Array(32) };
	const claims = { userId: "usr_1", sessionId: "ses_1" };
	const token = await signAccessToken(claims, [secret], now);
	expect(await verifyAccessToken(token, [secret], now + 30 * 60_000)).toEqual(claims);
	expect(await verifyAccessToken(token, [secret], now + 30 * 60_000 + 6_000)).toBeUndefined();
});

it("secrets are base62 without bias, and stored as SHA-256", () => {
	const counts = new Map<string, number>();
	for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
	expect(counts.size).toBe(62);
	for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
	// FIPS 180-4, one-block example.
	expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

describe("readConfig", () => {
	const env = {
		DB: {} as D1Database,
		ZONES: {} as R2Bucket,
		ASSETS: {} as Fetcher,
		...(Object.fromEntries(rateLimitBindings.map((name) => [name, {}])) as Pick<
			Bindings,
			(typeof rateLimitBindings)[number]
		>),
		JWT_SECRETS: `a:${"s".repeat(32)}`,
		SHARE_SECRETS: `b:${"h".repeat(32)}`,
		JOURNAL_SECRETS: `c:${"j".repeat(32)}`,
	};

	it("reads the secrets, newest first, and the public origin", () => {
		const config = readConfig({
			...env,
			JWT_SECRETS: `b:${"t".repeat(32)},${env.JWT_SECRETS}`,
			WEB_URL: "https://addr.example/",
		});
		expect(config.signingSecrets.map(({ id }) => id)).toEqual(["b", "a"]);
		expect(config.webUrl).toBe("https://addr.example");
	});

	it("has the limits of the contract unless a variable says otherwise", () => {
		expect(readConfig(env).numbers).toMatchObject({
			NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 2_000,
			OTP_PER_CALLING_CODE_AND_DAY: 1_000,
		});
		expect(readConfig({ ...env, OTP_PER_CALLING_CODE_AND_DAY: "7", PHONE_RESERVED_DAYS: 3 }).numbers).toMatchObject({
			OTP_PER_CALLING_CODE_AND_DAY: 7,
			PHONE_RESERVED_DAYS: 3,
		});
	});

	it.each([
		[{ JWT_SECRETS: "" }, /JWT_SECRETS is not set/],
		[{ SHARE_SECRETS: "" }, /SHARE_SECRETS is not set/],
		[{ JOURNAL_SECRETS: " " }, /JOURNAL_SECRETS is not set/],
		[{ SHARE_SECRETS: env.JWT_SECRETS }, /SHARE_SECRETS has a secret that another one has too/],
		[{ JOURNAL_SECRETS: `d:${"e".repeat(32)},${env.SHARE_SECRETS}` }, /JOURNAL_SECRETS has a secret that another one/],
		[{ JWT_SECRETS: "a:short" }, /fewer than 32 bytes/],
		[{ JWT_SECRETS: "s".repeat(40) }, /not a list/],
		[{ JWT_SECRETS: `${env.JWT_SECRETS},${env.JWT_SECRETS}` }, /twice/],
		[{ DB: undefined as unknown as D1Database }, /DB/],
		[{ ZONES: undefined as unknown as R2Bucket }, /ZONES/],
		[{ PER_MINUTE_300: undefined as unknown as RateLimit }, /PER_MINUTE_300/],
		[{ JWT_SECRETS: "a:short", DB: undefined as unknown as D1Database }, /DB .*JWT_SECRETS/],
		[{ RETIRED_ADDRESSES_KEPT_DAYS: "5 years" }, /RETIRED_ADDRESSES_KEPT_DAYS is not an integer from 0 to 3650/],
		[{ ACCOUNT_ERASURE_DAYS: 3.5 }, /ACCOUNT_ERASURE_DAYS/],
	])("refuses %j by name", (change, message) => {
		expect(() => readConfig({ ...env, ...change })).toThrow(message);
	});

	const gateway = { OTP_GATEWAY_URL: "https://sms.example", OTP_GATEWAY_TOKEN: "t" };
	const operators = { OPERATORS_ISSUER: "https://team.cloudflareaccess.com", OPERATORS_AUDIENCE: "a" };
	const noOperators = /as if OPERATORS_ISSUER were not set/;

	it.each<[Partial<Bindings>, object, RegExp]>([
		[{ WEB_URL: "ftp://addr.example" }, { webUrl: undefined }, /WEB_URL is not an origin/],
		[{ REGISTRY_CREST: "../crest.png" }, { identity: { crest: undefined } }, /REGISTRY_CREST/],
		[{ REGISTRY_COUNTRY: "Nigeria" }, { identity: { country: undefined } }, /REGISTRY_COUNTRY is not the two letters/],
		[{ REGISTRY_NAME: "N".repeat(201) }, { identity: { registryName: undefined } }, /REGISTRY_NAME is longer/],
		[{ OPERATOR_NAME: {} as string }, { identity: { operatorName: undefined } }, /OPERATOR_NAME is not a text/],
		[{ OPERATOR_CONTACT: "call us" }, { identity: { operatorContact: undefined } }, /OPERATOR_CONTACT is not a URL/],
		[{ SECURITY_CONTACT: "javascript:alert(1)" }, { securityContact: undefined }, /SECURITY_CONTACT/],
		[{ PRIVACY_URL: "office@addr.example" }, { identity: { privacyUrl: undefined } }, /PRIVACY_URL/],
		[{ PRIVATE_ADDRESSES: "maybe" }, { hasPrivateAddresses: true }, /PRIVATE_ADDRESSES is neither on nor off/],
		[{ API_KEY_PREFIX: "Addr_" }, { apiKeyPrefix: "addr" }, /API_KEY_PREFIX/],
		[{ ALERT_URL: "http://chat.example/hunter2" }, { alertUrl: undefined }, /ALERT_URL/],
		[{ ALERT_URL: "alerts.example" }, { alertUrl: undefined }, /ALERT_URL/],
		[{ ALERT_URL: "ftp://127.0.0.1" }, { alertUrl: undefined }, /ALERT_URL/],
		[{ SESSION_DAYS_MAX: "0" }, { numbers: { SESSION_DAYS_MAX: 180 } }, /SESSION_DAYS_MAX is not an integer from 1 to/],
		[{ WRITES_PER_NETWORK_AND_DAY: "many" }, { numbers: { WRITES_PER_NETWORK_AND_DAY: 20_000 } }, /WRITES_PER_/],
		[{ WRITES_PER_NETWORK_AND_DAY: 1.5 }, { numbers: { WRITES_PER_NETWORK_AND_DAY: 20_000 } }, /WRITES_PER_/],
		[
			{ ...gateway, OTP_GATEWAY_URL: "http://sms.example" },
			{ otpGateway: undefined },
			/OTP_GATEWAY_URL is not an https/,
		],
		// All countries would be more than was meant, and everyone at the provider too.
		[{ ...gateway, OTP_CALLING_CODES: "NG" }, { otpGateway: undefined }, /as if OTP_GATEWAY_URL were not set/],
		[{ ...operators, OPERATORS: "ada" }, { operators: undefined }, noOperators],
		[{ ...operators, OPERATORS_JWKS: "{}" }, { operators: undefined }, noOperators],
		[{ ...operators, OPERATORS_AUDIENCE: "" }, { operators: undefined }, noOperators],
		[{ ...operators, OPERATORS_ISSUER: "https://accounts.example" }, { operators: undefined }, noOperators],
		[{ ...operators, OPERATORS_ISSUER: "local", OPERATORS: "a@b.c" }, { operators: undefined }, noOperators],
	])("serves without %j, and says so once", async (change, expected, message) => {
		const bindings = { ...env, ...change };
		let config = {};
		const lines = await logged(async () => {
			config = readConfig(bindings);
			readConfig(bindings);
		});
		expect(config).toMatchObject(expected);
		expect(lines).toEqual([{ level: "error", event: "setting_left_out", message: expect.stringMatching(message) }]);
		expect(JSON.stringify(lines)).not.toContain("hunter2");
	});

	it.each<[Partial<Bindings>, object, string]>([
		[
			{ OPERATOR_CONTACT: "help@addr.example" },
			{ identity: { operatorContact: "mailto:help@addr.example" } },
			"mailto:help@addr.example",
		],
		[
			{ OPERATOR_CONTACT: "addr.example/help" },
			{ identity: { operatorContact: "https://addr.example/help" } },
			"https://addr.example/help",
		],
		[
			{ SECURITY_CONTACT: "cert@addr.example" },
			{ securityContact: "mailto:cert@addr.example" },
			"mailto:cert@addr.example",
		],
		[
			{ PRIVACY_URL: "addr.example/privacy" },
			{ identity: { privacyUrl: "https://addr.example/privacy" } },
			"https://addr.example/privacy",
		],
		[{ WEB_URL: "addr.example" }, { webUrl: "https://addr.example" }, "https://addr.example"],
		[{ WEB_URL: "https://addr.example/path" }, { webUrl: "https://addr.example" }, "https://addr.example"],
		[
			{ OPERATOR_ADDRESS: "12 Marina\r\n Lagos" },
			{ identity: { operatorAddress: "12 Marina, Lagos" } },
			"12 Marina, Lagos",
		],
	])("takes %j as what is meant, and says so", async (change, expected, written) => {
		let config = {};
		const lines = await logged(async () => {
			config = readConfig({ ...env, ...change });
		});
		expect(config).toMatchObject(expected);
		const message = `${Object.keys(change)[0]} was read as ${written}. Write it like that.`;
		expect(lines).toEqual([{ level: "warn", event: "setting_mended", message }]);
	});

	it("says nothing of settings that are as they should be, whatever type wrangler.toml gives them", async () => {
		let config = {};
		const lines = await logged(async () => {
			config = readConfig({
				...env,
				...gateway,
				...operators,
				WEB_URL: " https://addr.example/ ",
				REGISTRY_NAME: "Re\u0301gistre",
				OPERATOR_NAME: 42,
				OPERATOR_CONTACT: "",
				PRIVATE_ADDRESSES: false,
				OFFLINE_PAGES: "no",
				OPERATORS: "Ada@addr.example, bob@addr.example",
				OTP_CALLING_CODES: "+234,254",
			});
		});
		expect(lines).toEqual([]);
		expect(config).toMatchObject({
			webUrl: "https://addr.example",
			identity: { registryName: "R\u00e9gistre", operatorName: "42", operatorContact: undefined },
			hasPrivateAddresses: false,
			hasOfflinePages: false,
			operators: { admitted: new Set(["ada@addr.example", "bob@addr.example"]), isCloudflareAccess: true },
			smsCallingCodes: new Set(["234", "254"]),
			otpGateway: { url: "https://sms.example", token: "t" },
		});
	});

	it("names each setting of earlier versions that is still set, once, and holds what replaced it", async () => {
		const gone = { DATABASE_READ_MILLISECONDS: 100, LIVE_KEYS_PER_ACCOUNT: "7", LOG_REQUESTS: "" } as Partial<Bindings>;
		const bindings = { ...env, ...gone };
		const lines = await logged(async () => {
			readConfig(bindings);
			readConfig(bindings);
		});
		expect(lines).toEqual([
			{
				level: "warn",
				event: "setting_gone",
				message: expect.stringMatching(
					/^DATABASE_READ_MILLISECONDS is no setting any more: .*5 seconds\. Take it out of/,
				),
			},
			{
				level: "warn",
				event: "setting_gone",
				message: expect.stringMatching(
					/^LIVE_KEYS_PER_ACCOUNT is no setting any more: the limit is 50\. Take it out of/,
				),
			},
		]);
	});

	it("reads from its bindings nothing that it names as gone", () => {
		const gone = goneSettings(new Proxy({}, { get: () => "1" })).map((line) => line.split(" ")[0]!);
		expect(gone.length).toBeGreaterThan(10);
		for (const name of gone) expect(faultOf(name, {}), name).toBeUndefined();
	});

	it("never repeats a secret in its error", () => {
		expect(() => readConfig({ ...env, JWT_SECRETS: "hunter2hunter2" })).not.toThrow(/hunter2/);
		expect(() => readConfig({ ...env, JWT_SECRETS: "hunter2hunter2" })).toThrow();
	});
});
