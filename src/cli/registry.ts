/** Backs up and restores a registry, and runs the commands of operators. See src/docs/guides/operate.md. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { parseArgs } from "node:util";
import { parsePhone } from "../accounts/phone.ts";
import { ACCOUNTS } from "../db/database-of-code.ts";
import { readSigningSecrets, type SecretName, type SigningSecrets } from "../settings/signing-secrets.ts";
import { type Delivery, deliver } from "../verification/gateway.ts";
import { type Manifest, readBackups, requireFinished, rowsOf } from "./backup.ts";
import { originOf, runCommand, UsageError } from "./command.ts";
import { databasesOf, type RegistryStorage } from "./databases.ts";
import { importRegistry } from "./import.ts";
import { localToken } from "./local-operator.ts";
import { moveCountry } from "./move.ts";
import { withRegistry, withScratchDatabases } from "./open-registry.ts";
import { LOCAL_URL, operatorCommands, operatorUsage, runOperatorCommand } from "./operator-acts.ts";
import { restoreBackup, rewindRegistry } from "./restore.ts";
import { interruptedReturn } from "./rewind-marker.ts";
import { unclaimedAddresses } from "./unclaimed.ts";
import { drillRestore, type Findings, verifyRegistry } from "./verify.ts";
import { createWrangler, outputOf, readWorkerConfig } from "./wrangler.ts";
import { exportVerified } from "./write-backup.ts";

/** The folder of backups that are not named by a path. Git ignores it. */
const BACKUPS = ".backups";

const USAGE = `Back up and restore a registry:

  npm run registry -- export [NAME]              Write all rows into ${BACKUPS}/NAME, which is named by date and time by default
  npm run registry -- import NAME                Load a backup into an empty registry
  npm run registry -- restore NAME               Return a registry to a backup, then apply newer changes from the journal
  npm run registry -- restore --to TIME          Return it to a time by D1's Time Travel, with --remote
  npm run registry -- verify                     Check that the registry is consistent; exits with 1 if it is not
  npm run registry -- verify NAME                Check that a backup is complete and of this registry
  npm run registry -- drill NAME                 Restore a backup and the journal into a temporary database, and check that
  npm run registry -- move NG                    Move the addresses of a country into the databases that wrangler.toml now binds for it
  npm run registry -- waiting                    List addresses whose account is missing after a restore

  A NAME with a slash is the path of a folder. Set JOURNAL_SECRETS in the environment to the secrets of the journal of the last 35 days. For
  a local registry they are read from .dev.vars.

  --to TIME      with restore and --remote: a time such as 2026-11-21T10:00:00Z
  --database NAME  with restore: only this one of several databases, by its binding, such as DB_NG
  --revive       with restore: also undo what was retired, revoked or closed since
  --incomplete   with restore and drill: continue although the journal begins after the backup or lacks entries, or a secret is lost
  --foreign      with import, restore, verify and drill: accept a backup of another registry, or one that your secrets did not sign
  --new-bucket   with export: the bucket was lost, and this backup stands for the journal that was in it
  --remote       on Cloudflare, not on this machine
  --env NAME     with --remote: another environment of wrangler.toml

Act as an operator. Give --reason TEXT with everything but the lists and figures:

${operatorUsage()}
  npm run registry -- otp-test PHONE             Send a test message through the gateway; needs OTP_GATEWAY_TOKEN in the environment
  npm run --silent registry -- operator-token    Print a link and a token, valid for an hour on this machine only

  ACCOUNT, KEY and REPORT are ids, such as usr_7dN3kq0vXW2mZrB8cT5yLa. \`find\` prints those of an account and its keys.

  --url URL      the registry, such as https://addr.example; http://127.0.0.1:8787 when left out
  --reason TEXT  why you do this, in 3 to 500 characters
  --cursor TEXT  with acts and reports: the next_cursor of the previous page
  --token TOKEN  your token; without it OPERATOR_TOKEN is read, or the local key for a local registry`;

const report = (line: string) => console.log(line);

function nameForNow(): string {
	return new Date().toISOString().replaceAll(/[:.]/g, "-");
}

function folderOf(name: string): string {
	return name.includes("/") ? name : path.join(BACKUPS, name);
}

/** The secrets of the journal and of backups, and those of tokens if there are any, with which versions before 1.0.0 wrote both. */
function readSecrets(isRemote: boolean): SigningSecrets {
	const local = !isRemote && existsSync(".dev.vars") ? readFileSync(".dev.vars", "utf8") : "";
	const read = (name: SecretName) => {
		const text = process.env[name] ?? new RegExp(`^${name}=(.*)$`, "m").exec(local)?.[1];
		return text ? readSigningSecrets(text, name) : undefined;
	};
	const secrets = read("JOURNAL_SECRETS");
	if (!secrets) {
		throw new Error(
			"Set JOURNAL_SECRETS in the environment to the secret of the journal that you saved. It signs backups and encrypts the journal. Without it, a backup cannot be proved to be yours, and newer addresses cannot be restored.",
		);
	}
	return [...secrets, ...(read("JWT_SECRETS") ?? [])];
}

const OPTIONS = {
	remote: { type: "boolean" },
	env: { type: "string" },
	to: { type: "string" },
	database: { type: "string" },
	revive: { type: "boolean" },
	cursor: { type: "string" },
	url: { type: "string" },
	token: { type: "string" },
	incomplete: { type: "boolean" },
	foreign: { type: "boolean" },
	"new-bucket": { type: "boolean" },
} as const;

/** The options of acts, derived from the acts' fields. */
const OPTIONS_OF_ACTS = Object.fromEntries(
	Object.values(operatorCommands())
		.flatMap(({ options }) => options)
		.map((name) => [name, { type: "string" as const }]),
);

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

async function restore(registry: RegistryStorage, [name]: string[], values: Values): Promise<void> {
	const { to = "", remote: isRemote = false, env: environment = "" } = values;
	const moment = Date.parse(to);
	const before = `before-restore${environment && `-${environment}`}@`;
	const saved = existsSync(BACKUPS) ? readdirSync(BACKUPS).filter((name) => name.startsWith(before)) : [];
	const folders = saved.map((name) => path.join(BACKUPS, name));
	const interrupted = isRemote ? interruptedReturn(folders, name ? undefined : moment) : undefined;
	const saveTo = interrupted ?? path.join(BACKUPS, before + nameForNow());
	const accepted = {
		isReviving: values.revive ?? false,
		isIncomplete: values.incomplete ?? false,
		isForeign: values.foreign ?? false,
		only: values.database,
	};
	const options = { secrets: readSecrets(isRemote), saveTo, report, ...accepted };
	const rewind = async (binding: string) => {
		const timestamp = new Date(moment).toISOString();
		const args = ["d1", "time-travel", "restore", binding, "--timestamp", timestamp, "--env", environment];
		await outputOf(createWrangler(), args);
	};
	const { remarks, burnt } = name
		? await restoreBackup(registry, folderOf(name), options)
		: await rewindRegistry(registry, moment, rewind, options);
	remarks.forEach(report);
	report(
		`Restored. ${burnt} codes were burnt and will never be issued again. The previous state is saved in ${saveTo}.`,
	);
	report("Run `npm run deploy` to purge cached answers from before the restore.");
}

/** Says how many rows backups hold, and how long it took since `started`. */
function reportRowsOf(backups: ReadonlyMap<string, Manifest>, done: string, started: number): void {
	const rows = rowsOf(backups.values()).toLocaleString("en");
	report(`${rows} rows ${done} in ${((Date.now() - started) / 1000).toFixed(0)} s, and verified.`);
}

async function exportBackup(registry: RegistryStorage, [name = nameForNow()]: string[], values: Values): Promise<void> {
	const folder = folderOf(name);
	const started = Date.now();
	const secrets = readSecrets(values.remote ?? false);
	const backups = await exportVerified(registry, folder, report, secrets, values["new-bucket"] ?? false);
	reportRowsOf(backups, `written to ${folder}`, started);
	if (![...backups.values()].some(({ zoneIndex }) => zoneIndex))
		report(
			"The backup contains no zone index, because the bucket has none. Store the file of the served index with the backup.",
		);
}

async function importBackup(registry: RegistryStorage, [name]: string[], values: Values): Promise<void> {
	const folder = folderOf(name!);
	const started = Date.now();
	requireFinished(folder);
	const trust = { secrets: readSecrets(values.remote ?? false), isForeign: values.foreign ?? false };
	const backups = await importRegistry(registry, folder, report, trust);
	reportRowsOf(backups, `read from ${folder}`, started);
}

async function printToken({ url: given = LOCAL_URL, remote, env }: Values): Promise<void> {
	if (remote || env)
		throw new UsageError("This token works only for the registry on this machine. Leave out --remote and --env.");
	const url = originOf(given);
	const token = await localToken();
	await runOperatorCommand("acts", "", { url, token }).catch((error: Error) => {
		if (error.cause) throw error;
		throw new Error(`${error.message}\n${url} accepts this machine's token only while \`npm start\` serves it.`);
	});
	console.error(`Open ${url}/operate?token=${token}`);
	console.log(token);
}

/** Prints what was found, and makes the command exit with 1 if something contradicts itself. */
function tell({ facts, remarks, faults }: Findings): void {
	facts.forEach(report);
	remarks.forEach(report);
	for (const fault of faults) console.error(`FAULT: ${fault}`);
	if (faults.length > 0) process.exitCode = 1;
}

async function verify(registry: RegistryStorage, [name]: string[], values: Values): Promise<void> {
	const secrets = readSecrets(values.remote ?? false);
	if (!name) {
		const findings = await verifyRegistry(registry, secrets);
		tell(findings);
		return report(findings.faults.length > 0 ? "The registry is inconsistent." : "The registry is consistent.");
	}
	const backups = await readBackups(folderOf(name), { secrets, isForeign: values.foreign ?? false });
	for (const [database, { startedAt, registry: id, ...backup }] of backups) {
		const of = backups.size > 1 ? `${folderOf(name)}, ${database}` : folderOf(name);
		const rows = rowsOf([{ startedAt, ...backup }]).toLocaleString("en");
		report(`${of} is complete: ${rows} rows from ${startedAt}, of the registry ${id ?? "that made it"}.`);
	}
}

async function drill(registry: RegistryStorage, [name]: string[], values: Values): Promise<void> {
	const { foreign: isForeign = false, incomplete: isIncomplete = false, remote = false } = values;
	const options = { secrets: readSecrets(remote), isForeign, isIncomplete, report };
	const names = databasesOf(registry).map((one) => one.name);
	const { findings, rows, burnt, seconds } = await withScratchDatabases(names, (scratch) =>
		drillRestore(registry, scratch, folderOf(name!), options),
	);
	tell(findings);
	report(
		`The drill restored ${rows.toLocaleString("en")} rows in ${seconds.toFixed(0)} s into a temporary database. ${burnt} codes would be burnt.`,
	);
}

async function move(
	{ database, bucket, apart }: RegistryStorage,
	[country = ""]: string[],
	values: Values,
): Promise<void> {
	if (!/^[A-Z]{2}$/.test(country))
		throw new UsageError(`${country} is no country. Name it by its two letters, such as NG.`);
	const databases = new Map([[ACCOUNTS, database], ...Object.entries(apart ?? {})]);
	const isDone = await moveCountry({ databases, bucket, country, report, isServedAtOnce: !values.remote });
	if (isDone) report(`The move of ${country} is done.`);
}

/** A command on a whole registry. */
interface RegistryCommand {
	/** How many arguments it takes. */
	names: number;
	/** What to say if there are fewer; undefined if they may be left out. */
	missing?: string;
	/** Options that it takes besides --remote and --env. */
	options?: string[];
	run(registry: RegistryStorage, names: string[], values: Values): Promise<void>;
}

const COMMANDS: Readonly<Record<string, RegistryCommand>> = {
	export: { names: 1, options: ["new-bucket"], run: exportBackup },
	import: { names: 1, missing: "Name the backup.", options: ["foreign"], run: importBackup },
	restore: { names: 1, options: ["to", "database", "revive", "incomplete", "foreign"], run: restore },
	verify: { names: 1, options: ["foreign"], run: verify },
	drill: { names: 1, missing: "Name the backup.", options: ["foreign", "incomplete"], run: drill },
	move: { names: 1, missing: "Name a country by its two letters, such as NG.", run: move },
	waiting: {
		names: 0,
		run: async (registry) => {
			for (const one of databasesOf(registry)) (await unclaimedAddresses(one)).forEach(report);
		},
	},
};

function requireOptions(act: string, options: string[], values: Values): void {
	const wrong = Object.keys(values).find((name) => !options.includes(name));
	if (wrong) throw new UsageError(`--${wrong} does not belong to ${act}, which takes --${options.join(", --")}.`);
}

/** @throws UsageError unless exactly a backup or a time to go back to is named. */
function requireBackupOrTime(name: string | undefined, { to, remote }: Values): void {
	if (!name && !to) throw new UsageError("Name the backup.");
	if (to && (name || !remote)) {
		throw new UsageError(
			"--to works only with restore --remote and without a backup, because only D1 on Cloudflare has Time Travel.",
		);
	}
	if (to && Number.isNaN(Date.parse(to))) throw new UsageError("--to must be a time, such as 2026-11-21T10:00:00Z.");
}

/** What the gateway did with a message, in words. */
const DELIVERIES: Readonly<Record<Delivery, string>> = {
	accepted: "The gateway accepted the message.",
	refused: "The gateway refused the message, so nothing was sent. Check the token, the number and the adapter's log.",
	unknown: "The gateway's answer does not say whether the message was sent. Check its URL and its log.",
};

/** Sends a test message as the registry sends codes. @throws UsageError, AppError INVALID_PHONE */
async function testGateway([phone, excess]: string[], { env = "", ...others }: Values): Promise<void> {
	if (!phone || excess) throw new UsageError("Name one phone number, such as +2348031234567.");
	requireOptions("otp-test", ["env"], others);
	const url = process.env.OTP_GATEWAY_URL ?? readWorkerConfig(env).otpGatewayUrl;
	const token = process.env.OTP_GATEWAY_TOKEN;
	if (!url) throw new UsageError("Set OTP_GATEWAY_URL in the environment or under [vars] in wrangler.toml.");
	if (!token) throw new UsageError("Set OTP_GATEWAY_TOKEN in the environment.");
	const delivery = await deliver({ url, token }, parsePhone(phone), "This is a test message of your address registry.");
	report(DELIVERIES[delivery]);
	if (delivery !== "accepted") process.exitCode = 1;
}

const options = { ...OPTIONS_OF_ACTS, ...OPTIONS } as typeof OPTIONS;

await runCommand({ usage: USAGE, options, positionalsMax: 2 }, async ({ values, positionals }) => {
	const [name = "", ...names] = positionals;
	const ofOperator = operatorCommands()[name];
	// Until 1.4.0, this lifted a suspension.
	if (name === "restore" && names[0]?.startsWith("usr_"))
		throw new UsageError(
			`\`restore\` returns a registry to a backup. To lift a suspension, use \`unsuspend ${names[0]}\`.`,
		);
	const isToken = name === "operator-token";
	if (name === "otp-test") return testGateway(names, values);
	if (!ofOperator && !isToken && !Object.hasOwn(COMMANDS, name))
		throw new UsageError(name ? `There is no command '${name}'.` : "Name a command.");
	const excess = names[ofOperator ? Number(ofOperator.takesName) : (COMMANDS[name]?.names ?? 0)];
	if (excess !== undefined) throw new UsageError(`Unexpected argument '${excess}'.`);
	if (isToken) return printToken(values);
	if (ofOperator) {
		requireOptions(name, ["url", "token", ...ofOperator.options], values);
		const {
			remote: _remote,
			revive: _revive,
			incomplete: _incomplete,
			foreign: _foreign,
			"new-bucket": _newBucket,
			...given
		} = values;
		return console.log(JSON.stringify(await runOperatorCommand(name, names[0] ?? "", given), null, 2));
	}
	const { missing, options = [], run, ...takes } = COMMANDS[name]!;
	if (missing && names.length < takes.names) throw new UsageError(missing);
	if (name === "restore") requireBackupOrTime(names[0], values);
	requireOptions(name, ["remote", "env", ...options], values);
	const { remote: isRemote = false, env: environment = "" } = values;
	if (environment && !isRemote)
		throw new UsageError("--env needs --remote: on this machine all environments share one registry.");
	await withRegistry({ isRemote, environment }, (registry) => run(registry, names, values));
});
