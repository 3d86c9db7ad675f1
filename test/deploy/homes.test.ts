/** A deployment over several databases, told by the real wrangler to a stand-in of Cloudflare's API. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { deploymentSteps } from "../../src/cli/deployment.ts";
import { runSteps } from "../../src/cli/steps.ts";
import { readWorkerConfig } from "../../src/cli/wrangler.ts";
import { type CloudflareApi, serveCloudflareApi } from "../support/cloudflare-api.ts";

/** Paths in it are relative to where it lies. */
const CONFIG = ".wrangler.several-databases.toml";

let api: CloudflareApi;
let said: string[] = [];

beforeAll(async () => {
	api = await serveCloudflareApi();
});
afterAll(async () => {
	await api.stop();
	rmSync(CONFIG, { force: true });
});

/** Writes a configuration that binds databases besides DB: names on Cloudflare by bindings. */
function bind(bindings: Record<string, string>): void {
	const tables = Object.entries(bindings).map(
		([binding, name]) =>
			`[[d1_databases]]\nbinding = "${binding}"\ndatabase_name = "${name}"\nmigrations_dir = "migrations"\n`,
	);
	writeFileSync(CONFIG, [readFileSync("wrangler.toml", "utf8"), ...tables].join("\n"));
}

async function deploy(bindings: Record<string, string>): Promise<string> {
	bind(bindings);
	said = [];
	api.changes.length = 0;
	const steps = deploymentSteps({
		wrangler: api.wrangler(CONFIG),
		config: readWorkerConfig("", CONFIG),
		environment: "",
		indexFile: "zones/world.zones",
		isIndexChosen: false,
		placement: { location: "weur" },
		smoke: async () => {},
		say: (line) => void said.push(line),
		isLogged: true,
	});
	// Those alone that concern databases, because each starts wrangler a few times.
	return runSteps(
		steps.filter(({ name }) => ["checks", "database", "migrations", "homes"].includes(name)),
		(line) => said.push(line),
		false,
	).then(
		() => "deployed",
		(error: Error) => error.message,
	);
}

/** What a database notes of homes. */
const homesOf = (name: string) =>
	api.databases
		.get(name)
		?.prepare("select prefix, state from homes order by prefix")
		.all()
		.map(({ prefix, state }) => `${prefix} ${state}`);

/** What changed but for queries. */
const changes = () => api.changes.filter((call) => !/\/(query|graphql)$/.test(call));

const issue = (name: string, code: string) =>
	api.databases
		.get(name)
		?.exec(
			`insert into addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) values ('${code}', '', 0, 0, '', 'usr_a', 0)`,
		);

it("makes every database that is bound, and notes where codes are at home", async () => {
	expect(await deploy({ DB_KE: "kenya", DB_TZ_01: "tanzania" })).toBe("deployed");
	expect([...api.databases.keys()].toSorted()).toEqual(["address-registry", "kenya", "tanzania"]);
	expect(said.join("\n")).toContain("homes: KE in DB_KE, TZ0 in DB_TZ_01, TZ1 in DB_TZ_01");
	expect(homesOf("kenya")).toEqual(["KE here"]);
	expect(homesOf("tanzania")).toEqual(["TZ0 here", "TZ1 here"]);
	expect(homesOf("address-registry")).toEqual(["KE left", "TZ0 left", "TZ1 left"]);
	// So a Worker that was deployed without the binding issues none in DB that nobody finds later.
	expect(() => issue("address-registry", "KE000100010")).toThrow("refused: moving");
	issue("address-registry", "NG000100010");
	issue("kenya", "KE000100010");
});

it("refuses a binding whose codes live elsewhere, and says how to mend it", async () => {
	const outcome = await deploy({ DB_KE: "kenya", DB_TZ_01: "tanzania", DB_NG_01234: "nigeria" });
	expect(outcome).toContain(
		"DB_NG_01234 would take over the codes NG0, and DB holds some. Move them first: `npm run registry -- move NG`.",
	);
	expect(changes()).toEqual([]);
	expect(api.databases.has("nigeria")).toBe(false);
});

it.each([
	["that is taken away", { DB_KE: "kenya" }, "The codes TZ0 live in a database of their own"],
	["by another name", { DB_UG: "kenya", DB_TZ_01: "tanzania" }, "The codes KE live in"],
	["of an empty database", { DB_KE: "other", DB_TZ_01: "tanzania" }, "The codes KE live in another database"],
])("refuses the loss of one that is home: a binding %s", async (_, bindings, message) => {
	expect(await deploy(bindings)).toContain(message);
	expect(changes()).toEqual([]);
	expect(homesOf("kenya")).toEqual(["KE here"]);
});

it("refuses a name that is none of a database before it asks Cloudflare", async () => {
	await expect(deploy({ DB_NIGERIA: "nigeria" })).rejects.toThrow("DB_NIGERIA is not named as a database");
});

it("deploys again what is at home, and a country that nobody used yet beside it", async () => {
	expect(await deploy({ DB_KE: "kenya", DB_TZ_01: "tanzania", DB_UG: "uganda" })).toBe("deployed");
	expect(homesOf("uganda")).toEqual(["UG here"]);
});

it("goes on where a deployment was interrupted between the two databases", async () => {
	const bindings = { DB_KE: "kenya", DB_TZ_01: "tanzania", DB_UG: "uganda", DB_RW_0123456789: "rwanda" };
	expect(await deploy(bindings)).toBe("deployed");
	api.databases.get("rwanda")?.exec("update homes set state = 'filling'");
	expect(await deploy(bindings)).toBe("deployed");
	expect(homesOf("rwanda")).toEqual(Array.from("0123456789", (digit) => `RW${digit} here`));
});
