/** What operators do from a terminal, through the same API as from a page. */

import { type Act, pathOf } from "../acts/act.ts";
import { acts } from "../acts/acts.ts";
import { displayCode } from "../codes/code.ts";
import { codeWithoutCountry, countriesOf } from "../codes/code-guess.ts";
import { type ActField, bodyOf, fieldsOf } from "../operate/act-fields.ts";
import { searchFor } from "../operate/search.ts";
import { originOf, UsageError } from "./command.ts";
import { localToken } from "./local-operator.ts";
import { readWorkerConfig } from "./wrangler.ts";

/** The registry of `npm start`. */
export const LOCAL_URL = "http://127.0.0.1:8787";

/** The values given for the options of a command. */
type Given = Readonly<Record<string, string | undefined>>;

/** A request to the API of operators; a GET without a body. */
interface ActRequest {
	path: string;
	body?: object;
}

/** A command of operators. */
interface OperatorCommand {
	/** Its arguments, as `--help` shows them. */
	usage: string;
	summary: string;
	/** What to say if nothing is named; undefined if nothing need be. */
	missing?: string;
	/** Whether something can be named. */
	takesName: boolean;
	/** Its own options. */
	options: string[];
	request(named: string, given: Given): ActRequest;
}

const optionOf = ({ name }: ActField) => name.replaceAll("_", "-");

/** The text of a number, or "" for the usual limit. @throws UsageError for anything else. */
function numberOrUsual(option: string, text = ""): string {
	if (text === "usual") return "";
	if (!/^\d+$/.test(text)) throw new UsageError(`--${option} must be a number, or the word usual.`);
	return text;
}

/** The values given for a field of an act. Several choices are separated by commas. */
function givenFor(field: ActField, given: Given): string[] {
	const option = optionOf(field);
	const text = given[option];
	if (field.kind === "number") return [numberOrUsual(option, text)];
	if (text === undefined) return [];
	return field.kind === "choices" ? text.split(",") : [text];
}

/** An option as `--help` shows it. */
function usageOf(field: ActField): string {
	const { kind, options, isOptional } = field;
	const values = { text: "CODE", number: "NUMBER|usual", choice: options.join("|"), choices: options.join(",") };
	const usage = `--${optionOf(field)} ${values[kind]}`;
	return isOptional && kind === "text" ? `[${usage}]` : usage;
}

/** The command of an act. */
function commandOf(act: Act): OperatorCommand {
	const { name, path, example, printedBy } = act.on;
	const fields = () => fieldsOf(act).filter(({ name }) => name !== "reason");
	const [prefix] = /^[a-z]+_/.exec(example) ?? [];
	const hint = prefix
		? `Name the ${name} by its id, such as ${example}. \`${printedBy}\` prints it.`
		: `Name the ${name} by its code, such as ${example}.`;
	return {
		get usage() {
			return [name === "address" ? "CODE" : name.toUpperCase(), ...fields().map(usageOf)].join(" ");
		},
		summary: act.summary,
		missing: hint,
		takesName: true,
		get options() {
			return ["reason", ...fields().map(optionOf)];
		},
		request(named, given) {
			if (prefix && !named.startsWith(prefix)) throw new UsageError(hint);
			const { reason: _, ...body } = bodyOf(act, (field) => givenFor(field, given));
			return { path: pathOf(act).replace(path, path.replace(/\{\w+\}/, encodeURIComponent(named))), body };
		},
	};
}

/** The request for one page of a list of the operators' API. */
function listOf(list: string, asked: Record<string, string>, { cursor }: Given = {}): ActRequest {
	const query = new URLSearchParams({ ...asked, ...(cursor ? { cursor } : {}) });
	return { path: `${list}?${query}` };
}

/** The country that people mean if they name none: that of this shell, or of wrangler.toml. */
const countryHere = () => process.env.REGISTRY_COUNTRY ?? readWorkerConfig("").country;

/** The question for the country of a plate, with the code that it would be in one's own country if the check digit allows that. */
function whichCountry(digits: string, country: string | undefined): string {
	const [own] = countriesOf(digits, country ? [country] : []);
	const example = own ? `, such as ${displayCode(own + digits)}` : "";
	return `Which country is this code in? Write its two letters in front of the nine digits${example}. For a phone number, begin with a plus sign.`;
}

/** What operators look up. */
const LOOK_UPS: Readonly<Record<string, OperatorCommand>> = {
	find: {
		usage: "PHONE|CODE|ACCOUNT",
		summary: "Show an account",
		missing: "Name an id, a code or a phone number.",
		takesName: true,
		options: ["reason"],
		request(named) {
			// Only what begins without a letter or a plus sign is read by the rules of the country.
			const country = /^\P{L}/u.test(named) && !named.startsWith("+") ? countryHere() : undefined;
			const found = codeWithoutCountry(named);
			if (found) throw new UsageError(whichCountry(found.digits, country));
			return { path: "accounts/find", body: searchFor(named, country) };
		},
	},
	reports: {
		usage: "[all]",
		summary: "List the reports that wait for a decision, or all of them",
		takesName: true,
		options: ["cursor"],
		request(which, given) {
			if (which && which !== "all") throw new UsageError("Use `reports` for those that wait, or `reports all`.");
			return listOf("reports", which ? {} : { waiting: "1" }, given);
		},
	},
	agents: {
		usage: "",
		summary: "List agents with what they did last",
		takesName: false,
		options: [],
		request: () => ({ path: "agents" }),
	},
	figures: {
		usage: "",
		summary: "Show the figures of the registry",
		takesName: false,
		options: [],
		request: () => ({ path: "figures" }),
	},
	zones: {
		usage: "COUNTRY",
		summary: "List the fullest zones of a country, such as NG",
		missing: "Name a country, such as NG.",
		takesName: true,
		options: [],
		request: (country) => listOf("zones", { country: country.toUpperCase() }),
	},
	acts: {
		usage: "[ACCOUNT|KEY|CODE]",
		summary: "List what operators did, in all or to one account, key or address",
		takesName: true,
		options: ["cursor"],
		request(about, given) {
			// Logs show the query of a URL, and must show no phone number.
			if (/^[^\p{L}]/u.test(about))
				throw new UsageError("Name an account or key by its id, or a code. `find` prints the id for a phone number.");
			return listOf("acts", about ? { [/^usr_/.test(about) ? "account" : "subject"]: about } : {}, given);
		},
	},
};

/** Every command of operators by its name: what they look up, and what they do. */
export function operatorCommands(): Readonly<Record<string, OperatorCommand>> {
	return { ...LOOK_UPS, ...Object.fromEntries(acts.map((act) => [act.command ?? act.name, commandOf(act)])) };
}

/** The lines of `--help` that list the commands of operators. */
export function operatorUsage(): string {
	const lines = Object.entries(operatorCommands()).map(([name, { usage, summary }]) => {
		const command = `  npm run registry -- ${`${name} ${usage}`.trim()}`;
		return command.length < 48 ? `${command.padEnd(49)}${summary}` : `${command}\n${" ".repeat(49)}${summary}`;
	});
	return lines.join("\n");
}

/**
 * Runs a command of operators, and returns the registry's answer.
 * @param name One of `operatorCommands`.
 * @param given Its options, with the `url` of the registry and the `token` that it accepts.
 * @throws UsageError if something is missing; Error with the registry's own words if it refuses.
 */
export async function runOperatorCommand(name: string, named: string, given: Given): Promise<unknown> {
	const command = operatorCommands()[name];
	if (!command) throw new UsageError(`There is no command '${name}'.`);
	if (!named && command.missing) throw new UsageError(command.missing);
	const { path, body } = command.request(named, given);
	if (body && !given.reason) throw new UsageError("Say why, with --reason. It is recorded with what you do.");
	const url = originOf(given.url ?? LOCAL_URL);
	const isLocal = /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(url);
	const token = given.token ?? process.env.OPERATOR_TOKEN ?? (isLocal ? await localToken() : undefined);
	if (!token) throw new UsageError("Set OPERATOR_TOKEN to your token, such as `cloudflared access token` prints it.");
	const answer = await fetch(`${url}/v1/operator/${path}`, {
		method: body ? "POST" : "GET",
		redirect: "manual",
		// Cloudflare Access reads the second, and puts its assertion in front of the registry.
		headers: { Authorization: `Bearer ${token}`, "Cf-Access-Token": token, "Content-Type": "application/json" },
		...(body ? { body: JSON.stringify({ ...body, reason: given.reason }) } : {}),
	}).catch((cause) => {
		throw new Error(`Cannot reach ${url}. Start the registry with \`npm start\`, or name another one with --url.`, {
			cause,
		});
	});
	const said = (await answer.json().catch((cause) => {
		throw new Error(
			`${url} answered with something other than the registry, perhaps a sign-in page. Get a new token, or correct --url.`,
			{ cause },
		);
	})) as { detail?: string };
	if (!answer.ok) throw new Error(said.detail ?? `${url} answered with status ${answer.status}.`);
	return said;
}
