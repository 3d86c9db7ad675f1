import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { TestProject } from "vitest/node";
import { createTestHarness } from "wrangler";
import { LOCAL_OPERATOR } from "../../src/cli/local-operator.ts";
import { mint, send, signUp } from "../support/remote.ts";
import { buildWorker, PATIENT_WORKER } from "../support/serve.ts";
import openSmsGateway from "../support/sms-gateway.ts";
import { townAt } from "../support/town.ts";

const root = path.join(import.meta.dirname, "../..");

/** Places of different scripts, borders and labels, by a name for each. */
const places = {
	/** The one with a map. */
	lagos: { lat: 6.5244, lng: 3.3792, label: "Blue gate, behind the mosque" },
	goma: { lat: -1.675, lng: 29.2333333333, label: "Maison de Maman Rose, près du marché" },
	cairo: { lat: 30.0444, lng: 31.2357, label: "بيت الشيخ أحمد، خلف المسجد الكبير" },
	/** As much as an address may say, in a script that is high above its line and low below it. */
	giza: {
		lat: 30.0131,
		lng: 31.2089,
		label: "بيت الشيخ أحمد خلف المسجد الكبير، الباب الثاني على اليسار بعد شجرة المانجو القديمة؛ "
			.repeat(3)
			.slice(0, 200),
		directions: "ودُقَّ الجرسَ مرّتين لأنّ الكلبَ نائمٌ دائمًا، والبوّابةُ زرقاءُ وعليها نجومٌ بيضاء ".repeat(4).slice(0, 300),
	},
	monaco: { lat: 43.738, lng: 7.424, label: "" },
	nairobi: { lat: -1.2921, lng: 36.8219, label: "<script>alert(1)</script><img src=x onerror=alert(2)>" },
	kano: { lat: 12.0022, lng: 8.592, label: "😀".repeat(200) },
	tunis: { lat: 36.8065, lng: 10.1815, label: "\u202eedoc\u202e lecrap \u2069\u202e " },
	maputo: { lat: -25.9692, lng: 32.5732, label: `${"W".repeat(199)}!` },
	accra: { lat: 5.56, lng: -0.2, label: `o${"\u0302".repeat(39)}`.repeat(5) },
	/** Of an account that nobody can get into any more, with an operator's request for its recovery that is a week old. */
	lost: { lat: -1.6801, lng: 29.2281, label: "Blue door" },
	retired: { lat: 5.6037, lng: -0.187, label: "Gone" },
};

export type Place = keyof typeof places;

declare module "vitest" {
	export interface ProvidedContext {
		origin: string;
		/** Canonical codes. */
		codes: Record<Place, string>;
		/** The phone number of an agent, as it is dialled in Nigeria. The password is that of every account here. */
		agent: string;
		/** The phone number of the holder of `lost`, likewise. */
		lost: string;
		/** The key that signs tokens of the local operator. */
		operatorKey: JWK;
	}
}

/** wrangler.toml, but for the Worker: another that waits longer, since two files at a time sign up on a busy machine. */
const PATIENT_CONFIG = path.join(root, ".wrangler.browser.toml");

/** Serves the registry as `wrangler dev` does, on storage of its own, and mints an address at every place through the API. */
export default async function serve(project: TestProject): Promise<() => Promise<void>> {
	const entry = path.relative(root, path.join(await buildWorker(PATIENT_WORKER), "index.js"));
	const toml = readFileSync(path.join(root, "wrangler.toml"), "utf8");
	writeFileSync(PATIENT_CONFIG, toml.replace(/^main = .*$/m, `main = "${entry}"`));
	const closeGateway = await openSmsGateway(project);
	const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
	const operatorKeys = { keys: [{ ...(await exportJWK(publicKey)), kid: "local", alg: "ES256" }] };
	const server = createTestHarness({
		root,
		workers: [
			{
				configPath: PATIENT_CONFIG,
				vars: {
					OTP_GATEWAY_URL: `${project.getProvidedContext().smsGateway}/sms`,
					OPERATORS_ISSUER: LOCAL_OPERATOR.issuer,
					OPERATORS_AUDIENCE: LOCAL_OPERATOR.audience,
					OPERATORS: LOCAL_OPERATOR.email,
					OPERATORS_JWKS: JSON.stringify(operatorKeys),
				},
				secrets: {
					JWT_SECRETS: "browser:0123456789abcdef0123456789abcdef",
					SHARE_SECRETS: "share:0123456789abcdef0123456789abcde1",
					JOURNAL_SECRETS: "journal:0123456789abcdef0123456789abcde2",
					OTP_GATEWAY_TOKEN: "gateway-secret",
				},
			},
		],
	});
	const { url } = await server.listen();
	const worker = server.getWorker<{ DB: D1Database; ZONES: R2Bucket }>();
	await worker.applyD1Migrations("DB");
	const { DB, ZONES } = await worker.getEnv();
	await ZONES.put("world.zones", readFileSync(path.join(root, "zones/world.zones")));
	await ZONES.put("basemap.pmtiles", townAt(places.lagos));
	const { token } = await signUp(url.origin, "+2348031234567");
	const agent = await signUp(url.origin, "+2348031234568");
	await DB.prepare("update users set role = 'agent' where id = ?").bind(agent.id).run();
	const lost = await signUp(url.origin, "+2348031234569");
	const codes: Partial<Record<Place, string>> = {};
	for (const [name, place] of Object.entries(places)) {
		codes[name as Place] = await mint(url.origin, name === "lost" ? lost.token : token, place);
	}
	const [long, week] = [Date.now() - 400 * 86_400_000, Date.now() - 8 * 86_400_000];
	const longUnused =
		"update users set created_at = ?1, used_until = ?1, recovery_requested_at = ?2, recovery_agent_id = ?3 where id = ?4";
	// Deleting a session notes its last use.
	await DB.prepare("delete from sessions where user_id = ?").bind(lost.id).run();
	await DB.prepare(longUnused).bind(long, week, agent.id, lost.id).run();
	// The longest name of a suspicious event, which a table of operators' pages has to hold on a phone.
	const event = "insert into daily_counts (subject, day, count) values ('event:recovery_code_refused', ?, 12345)";
	await DB.prepare(event)
		.bind(Math.floor(Date.now() / 86_400_000))
		.run();
	const retired = await send(url.origin, { method: "DELETE", path: `/v1/addresses/${codes.retired}`, token });
	if (retired.status !== 204) throw new Error(`Retiring answered ${retired.status}`);
	project.provide("origin", url.origin);
	project.provide("agent", "08031234568");
	project.provide("lost", "08031234569");
	project.provide("operatorKey", await exportJWK(privateKey));
	project.provide("codes", codes as Record<Place, string>);
	return async () => {
		await server.close();
		rmSync(PATIENT_CONFIG);
		await closeGateway();
	};
}
