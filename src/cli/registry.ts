/** Backs a registry up, brings it back, and does what operators do. src/docs/guides/operate.md. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { recordVerifiedBackup } from "../addresses/journal.ts";
import { displayCode, parseCode } from "../codes/code.ts";
import { readSigningSecrets, type SigningSecret } from "../env.ts";
import { exportRegistry, rowsIn } from "./backup.ts";
import { runCommand, UsageError } from "./command.ts";
import { importRegistry } from "./import.ts";
import { localToken } from "./local-operator.ts";
import { type OpenedRegistry, openRegistry } from "./open-registry.ts";
import { doAct, LISTS, OPERATOR_ACTS } from "./operator-acts.ts";
import { interruptedReturn, type Restored, restoreBackup, rewindRegistry } from "./restore.ts";
import { handOver, waitingAddresses } from "./waiting.ts";
import { createWrangler, outputOf } from "./wrangler.ts";

/** Where backups lie, unless they are named by a path. Git ignores it. */
const BACKUPS = ".backups";

const USAGE = `Back up and restore a registry:

  npm run registry -- export [NAME]              writes all rows into ${BACKUPS}/NAME, by default named by date and time
  npm run registry -- import NAME                puts them into an empty registry
  npm run registry -- restore NAME               brings a registry back to a backup, then applies newer changes from the journal
  npm run registry -- restore --to TIME          brings it back by D1's Time Travel (with --remote), such as 2026-11-21T10:00:00Z
  npm run registry -- waiting                    lists addresses whose account is missing after a restore
  npm run registry -- hand-over CODE ACCOUNT     gives such an address to an account, such as usr_7dN3kq0vXW2mZrB8cT5yLa

  NAME with a slash in it is the path of a folder. To restore, JWT_SECRETS in the environment has to hold the signing secrets
  of the last 35 days; for a local registry they are read from .dev.vars.

  --to TIME      with restore and --remote: a time such as 2026-11-21T10:00:00Z
  --revive       with restore: also undo what was retired, revoked or closed since
  --incomplete   with restore: accept that the journal does not reach back to the backup, or that a signing secret of it is lost
  --remote       on Cloudflare, not on this machine
  --env NAME     with --remote: another environment of wrangler.toml

Act as an operator. All acts but figures, zones and the lists need --reason TEXT:

  npm run registry -- find PHONE|CODE|ID         shows an account
  npm run registry -- suspend|restore|sign-out ID
  npm run registry -- pass-phone|refuse-phone ID decides on a number that two accounts claim
  npm run registry -- role ID --role agent       or --role user
  npm run registry -- allowance ID --new-addresses-per-day NUMBER|usual
  npm run registry -- scopes KEY --scopes addresses:read,changes:read
  npm run registry -- read CODE                  shows an address, private or hidden too
  npm run registry -- retire CODE                with --successor CODE, if there is one
  npm run registry -- hide|show CODE             hides an address from all but its holder, or shows it again
  npm run registry -- reports                    lists reports that wait for a decision; reports all lists all
  npm run registry -- report-text ID             lets the holder read the text of a report
  npm run registry -- decide ID --decision nothing|hide|retire
  npm run registry -- agents                     lists agents with what they did last
  npm run registry -- figures                    shows the figures of the registry
  npm run registry -- zones NG                   lists the zones of a country and how full they are
  npm run registry -- acts [ID|CODE]             lists what operators did, in all or to an account, key or address
  npm run --silent registry -- operator-token    prints a URL and a token for an hour, for this machine alone

  --url URL      the registry, such as https://addr.example; http://127.0.0.1:8787 when left out
  --reason TEXT  why, in 3 to 500 characters; kept with the act
  --role ROLE    with role: agent or user
  --decision D   with decide: nothing, hide or retire
  --successor C  with retire and decide: the code that takes its place
  --token TOKEN  your token; without it OPERATOR_TOKEN is read, or the local key for a local registry`;

const wrangler = createWrangler();
const report = (line: string) => console.log(line);

function nameForNow(): string {
	return new Date().toISOString().replaceAll(/[:.]/g, "-");
}

function folderOf(name: string): string {
	return name.includes("/") ? name : path.join(BACKUPS, name);
}

/** The secrets that the journal is encrypted with. */
function readSecrets(isRemote: boolean): SigningSecret[] {
	const local = !isRemote && existsSync(".dev.vars") ? readFileSync(".dev.vars", "utf8") : "";
	const text = process.env.JWT_SECRETS ?? /^JWT_SECRETS=(.*)$/m.exec(local)?.[1];
	if (!text) {
		throw new Error(
			"Set JWT_SECRETS in the environment to the signing secret that you kept. The journal is encrypted with it, so without it, addresses created since the backup cannot come back.",
		);
	}
	return readSigningSecrets(text);
}

function reportRestored({ burnt, remarks }: Restored, saveTo: string): void {
	for (const remark of remarks) report(remark);
	report(`Restored. ${burnt} codes were burnt. What was there before is in ${saveTo}.`);
	report("Purge the cache: deploy again with `npm run deploy`, so that nothing from before the restore is answered.");
}

interface RestoreArguments {
	folder: string | undefined;
	to: string | undefined;
	environment: string;
	isRemote: boolean;
	isReviving: boolean;
	isIncomplete: boolean;
}

async function restore(registry: OpenedRegistry, given: RestoreArguments): Promise<void> {
	const { folder, to, environment, isRemote, isReviving, isIncomplete } = given;
	const moment = Date.parse(to ?? "");
	if (!folder && Number.isNaN(moment)) throw new UsageError("--to is not a time such as 2026-11-21T10:00:00Z.");
	const before = `before-restore${environment && `-${environment}`}@`;
	const saved = existsSync(BACKUPS) ? readdirSync(BACKUPS).filter((name) => name.startsWith(before)) : [];
	const folders = saved.map((name) => path.join(BACKUPS, name));
	const interrupted = isRemote ? interruptedReturn(folders, folder ? undefined : moment) : undefined;
	const saveTo = interrupted ?? path.join(BACKUPS, before + nameForNow());
	const options = { secrets: readSecrets(isRemote), saveTo, isReviving, isIncomplete, report };
	if (folder) return reportRestored(await restoreBackup(registry, folder, options), saveTo);
	const rewind = async () => {
		const timestamp = new Date(moment).toISOString();
		await outputOf(wrangler, ["d1", "time-travel", "restore", "DB", "--timestamp", timestamp, "--env", environment]);
	};
	reportRestored(await rewindRegistry(registry, moment, rewind, options), saveTo);
}

const OPTIONS = {
	remote: { type: "boolean", default: false },
	env: { type: "string", default: "" },
	to: { type: "string" },
	revive: { type: "boolean", default: false },
	reason: { type: "string" },
	role: { type: "string" },
	scopes: { type: "string" },
	successor: { type: "string" },
	decision: { type: "string" },
	"new-addresses-per-day": { type: "string" },
	url: { type: "string", default: "http://127.0.0.1:8787" },
	token: { type: "string" },
	incomplete: { type: "boolean", default: false },
} as const;

const ACTS = ["export", "import", "restore", "waiting", "hand-over"];

/** The options that an act takes beside those of all of its kind. */
const OWN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
	role: ["role"],
	allowance: ["new-addresses-per-day"],
	scopes: ["scopes"],
	retire: ["successor"],
	decide: ["decision", "successor"],
};

/** @throws UsageError when an option is given that the act does not take. */
function requireOptions(act: string, isOfOperator: boolean, values: Readonly<Record<string, unknown>>): void {
	const ofBackups = ["remote", "env", ...(act === "restore" ? ["to", "revive", "incomplete"] : [])];
	const ofOperators = ["url", "token", ...(act === "zones" || LISTS.includes(act) ? [] : ["reason"])];
	const taken = isOfOperator ? [...ofOperators, ...(OWN_OPTIONS[act] ?? [])] : ofBackups;
	for (const [name, option] of Object.entries(OPTIONS)) {
		const usual = "default" in option ? option.default : undefined;
		if (values[name] !== usual && !taken.includes(name))
			throw new UsageError(`--${name} does not belong to ${act}, which takes --${taken.join(", --")}.`);
	}
	if (values.env && !values.remote)
		throw new UsageError("--env needs --remote: on this machine all environments share one registry.");
}

await runCommand({ usage: USAGE, options: OPTIONS, positionalsMax: 3 }, async ({ values, positionals }) => {
	const [act, name, account, ...rest] = positionals;
	if (act === "operator-token" && !name) {
		if (values.remote || values.env) throw new UsageError("This token opens the registry of this machine alone.");
		const token = await localToken();
		await doAct("acts", "", { ...values, token }).catch((error: Error) => {
			if (error.cause) throw error;
			throw new Error(
				`${error.message}\n${values.url} does not take the token of this machine unless \`npm start\` runs it.`,
			);
		});
		console.error(`Open ${values.url}/operate?token=${token}`);
		return console.log(token);
	}
	// What is restored is an account or, under any other name, the registry.
	const isOfOperator = act && Object.hasOwn(OPERATOR_ACTS, act) && (act !== "restore" || name?.startsWith("usr_"));
	if (isOfOperator && account === undefined) {
		requireOptions(act, true, values);
		if (!name && act === "zones") throw new UsageError("Name a country, such as NG.");
		if (!name && !LISTS.includes(act)) throw new UsageError("Name an id, a code or a phone number.");
		return console.log(JSON.stringify(await doAct(act, name ?? "", values), null, 2));
	}
	if (!act || !ACTS.includes(act)) throw new UsageError(act ? `There is no act '${act}'.` : "Say what to do.");
	const excess = act === "hand-over" ? rest[0] : account;
	if (excess !== undefined || (act === "waiting" && name))
		throw new UsageError(`Unexpected argument '${excess ?? name}'.`);
	if (!name && (act === "import" || (act === "restore" && !values.to))) throw new UsageError("Name the backup.");
	if (act === "hand-over" && !(name && account)) throw new UsageError("Name the code and the account.");
	const { to, remote: isRemote, env: environment, revive: isReviving, incomplete: isIncomplete } = values;
	if (to && (act !== "restore" || name || !isRemote)) {
		throw new UsageError(
			"--to works only with restore --remote and without a backup, because only D1 on Cloudflare has Time Travel.",
		);
	}
	requireOptions(act, false, values);
	const registry = await openRegistry({ isRemote, environment }, wrangler);
	try {
		if (act === "restore") {
			const folder = name && folderOf(name);
			return await restore(registry, { folder, to, environment, isRemote, isReviving, isIncomplete });
		}
		if (act === "waiting") return (await waitingAddresses(registry.database)).forEach(report);
		if (act === "hand-over") {
			const code = parseCode(name!);
			await handOver(registry.database, code.canonical, account!);
			return report(
				`${displayCode(code.canonical)} belongs to ${account} now. If it is private, it stays so until its holder shows it.`,
			);
		}
		const started = Date.now();
		const folder = folderOf(name ?? nameForNow());
		const isExport = act === "export";
		const { tables, startedAt, zoneIndex } = isExport
			? await exportRegistry(registry, folder, report)
			: await importRegistry(registry, folder, report);
		if (isExport) await recordVerifiedBackup(registry.bucket, startedAt);
		const rows = rowsIn(Object.values(tables).flat());
		const seconds = ((Date.now() - started) / 1000).toFixed(0);
		report(
			`${rows.toLocaleString("en")} rows ${isExport ? "written to" : "read from"} ${folder} in ${seconds} s, and verified.`,
		);
		if (isExport && !zoneIndex)
			report("It holds no zone index, because the bucket has none. Keep the file of the served index with the backup.");
	} finally {
		await registry.close();
	}
});
