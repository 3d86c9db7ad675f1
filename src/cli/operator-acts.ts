/** What an operator does from a terminal, by the same API as from a page. */
import { searchFor } from "../operate/search.ts";
import { originOf, UsageError } from "./command.ts";
import { localToken } from "./local-operator.ts";

/** The registry of `npm start`. */
export const LOCAL_URL = "http://127.0.0.1:8787";

type OptionName =
	| ("reason" | "role" | "evidence" | "scopes" | "code" | "successor" | "decision" | "cursor" | "url" | "token")
	| ("new-addresses-per-day" | "unknown-codes-per-minute");

/** What the acts take besides their subject: of the registry, its `url` and the `token` that it takes. */
type ActOptions = Partial<Record<OptionName, string | undefined>>;

/** A request to the API of operators; a GET without a body. */
interface ActRequest {
	path: string;
	body?: object;
}

/** A number, or null for the limit of every account. */
function numberOrUsual(options: ActOptions, name: OptionName): number | null {
	const text = options[name] ?? "";
	if (text === "usual") return null;
	if (!/^\d+$/.test(text)) throw new UsageError(`--${name} is a number, or the word usual.`);
	return Number(text);
}

/** One page of a list: what is asked for, and where it goes on. */
function pageOf(list: string, asked: Record<string, string>, { cursor }: ActOptions): ActRequest {
	const query = new URLSearchParams({ ...asked, ...(cursor ? { cursor } : {}) });
	return { path: `${list}?${query}` };
}

/** The path of an act on an account. */
function onAccount(id: string, act: string): string {
	if (!/^usr_/.test(id))
		throw new UsageError("Name the account by its id, such as usr_7dN3kq0vXW2mZrB8cT5yLa. `find` prints it.");
	return `accounts/${id}/${act}`;
}

const plain = (act: string) => (id: string) => ({ path: onAccount(id, act), body: {} });

/** Every act, by its name on the command line. */
export const OPERATOR_ACTS: Readonly<Record<string, (subject: string, options: ActOptions) => ActRequest>> = {
	find: (subject) => ({ path: "accounts/find", body: searchFor(decodeURIComponent(subject)) }),
	suspend: plain("suspend"),
	restore: plain("restore"),
	"sign-out": plain("sign-out"),
	"pass-phone": plain("pass-phone"),
	"refuse-phone": plain("refuse-phone"),
	role: (id, { role }) => ({ path: onAccount(id, "role"), body: { role } }),
	recovery: (id, { evidence }) => ({ path: onAccount(id, "recovery"), body: { evidence } }),
	allowance: (id, options) => ({
		path: onAccount(id, "allowance"),
		body: {
			new_addresses_per_day: numberOrUsual(options, "new-addresses-per-day"),
			unknown_codes_per_minute: numberOrUsual(options, "unknown-codes-per-minute"),
		},
	}),
	scopes: (id, { scopes = "" }) => ({ path: `keys/${id}/scopes`, body: { scopes: scopes.split(",") } }),
	"revoke-key": (id) => ({ path: `keys/${id}/revoke`, body: {} }),
	"hand-over": (id, { code }) => ({ path: onAccount(id, "hand-over"), body: { code } }),
	read: (code) => ({ path: `addresses/${code}/read`, body: {} }),
	retire: (code, { successor }) => ({ path: `addresses/${code}/retire`, body: { successor } }),
	hide: (code) => ({ path: `addresses/${code}/hide`, body: {} }),
	show: (code) => ({ path: `addresses/${code}/show`, body: {} }),
	reports(which, options) {
		if (which && which !== "all") throw new UsageError("Say `reports` for those that wait, or `reports all`.");
		return pageOf("reports", which ? {} : { waiting: "1" }, options);
	},
	"report-text": (id) => ({ path: `reports/${id}/text`, body: {} }),
	decide: (id, { decision, successor }) => ({ path: `reports/${id}/decide`, body: { decision, successor } }),
	agents: () => ({ path: "agents" }),
	figures: () => ({ path: "figures" }),
	zones: (country) => ({ path: `zones?country=${country.toUpperCase()}` }),
	acts(text, options) {
		const about = decodeURIComponent(text);
		// The query of a URL stands in logs, and a phone number must not.
		if (/^[^\p{L}]/u.test(about))
			throw new UsageError("Name an account or key by its id, or a code. `find` prints the id for a phone number.");
		return pageOf("acts", about ? { [/^usr_/.test(about) ? "account" : "subject"]: about } : {}, options);
	},
};

/** What has nothing named. */
export const WHOLE = ["agents", "figures"];

/** What needs nothing named: without it, all is shown. */
export const LISTS = ["acts", "reports", ...WHOLE];

const OWN_OPTIONS: Readonly<Record<string, string[]>> = {
	role: ["role"],
	recovery: ["evidence"],
	allowance: ["new-addresses-per-day", "unknown-codes-per-minute"],
	scopes: ["scopes"],
	"hand-over": ["code"],
	retire: ["successor"],
	decide: ["decision", "successor"],
	acts: ["cursor"],
	reports: ["cursor"],
};

/** The options that an act takes. */
export function optionsOf(act: string): string[] {
	const reason = LISTS.includes(act) || act === "zones" ? [] : ["reason"];
	return ["url", "token", ...reason, ...(OWN_OPTIONS[act] ?? [])];
}

/**
 * Does an act and returns what the registry answers.
 * @throws UsageError where something is missing; Error with the registry's own words where it refuses.
 */
export async function doAct(name: string, subject: string, options: ActOptions): Promise<unknown> {
	const { path, body } = OPERATOR_ACTS[name]?.(encodeURIComponent(subject), options) ?? { path: "" };
	if (body && !options.reason) throw new UsageError("Say why, with --reason. It is kept with the act.");
	const url = originOf(options.url ?? LOCAL_URL);
	const isLocal = /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(url);
	const token = options.token ?? process.env.OPERATOR_TOKEN ?? (isLocal ? await localToken() : undefined);
	if (!token) throw new UsageError("Put your token into OPERATOR_TOKEN, such as `cloudflared access token` prints it.");
	const answer = await fetch(`${url}/v1/operator/${path}`, {
		method: body ? "POST" : "GET",
		redirect: "manual",
		// Cloudflare Access reads the second, and puts its assertion in front of the registry.
		headers: { Authorization: `Bearer ${token}`, "Cf-Access-Token": token, "Content-Type": "application/json" },
		...(body ? { body: JSON.stringify({ ...body, reason: options.reason }) } : {}),
	}).catch((cause) => {
		throw new Error(
			`Nothing answers at ${url}. Start the registry with \`npm start\`, or name another one with --url.`,
			{ cause },
		);
	});
	const said = (await answer.json().catch((cause) => {
		throw new Error(
			`What answers at ${url} is not the registry, but perhaps where one signs in to it. Get a new token, or correct --url.`,
			{ cause },
		);
	})) as { detail?: string };
	if (!answer.ok) throw new Error(said.detail ?? `${url} answers ${answer.status}.`);
	return said;
}
