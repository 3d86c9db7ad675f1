import type { Context } from "hono";
import { type AppError, type ProblemCode, problemTable } from "../errors.ts";
import { keyedHash } from "../hash.ts";
import { log } from "../log.ts";
import type { AppEnv } from "./app-env.ts";
import { clientNetwork } from "./rate-limit.ts";

/** Whom and what an event concerns. The log gets a keyed hash of each, so that lines can be told to belong together and name nobody. */
export interface Concerned {
	user?: string | undefined;
	phone?: string | undefined;
	session?: string | undefined;
	agent?: string | undefined;
	key?: string | undefined;
}

/** What is logged of an event as it is: words and numbers that say nothing about a person. */
export interface EventDetails {
	by?: "password" | "recovery code" | "one-time code" | "agent";
	/** The limit that stopped a sign-in. */
	limit?: string;
	/** Whether a number took the place of another one. */
	replaced?: boolean;
	/** Of an attestation. */
	verification_level?: number;
	code?: ProblemCode;
}

/** Writes an event that concerns security to the log, under the request's id and a keyed hash of its network. */
export type SecurityLog = (
	level: "info" | "warn",
	event: string,
	concerned?: Concerned,
	details?: EventDetails,
) => void;

/** 16 hexadecimal digits, 64 bits, tell all people of a registry apart. */
const HASH_CHARACTERS = 16;

/** The log of events that concern security, for a request. */
export function securityLog(c: Context<AppEnv>): SecurityLog {
	const [{ secret }] = c.var.config.signingSecrets;
	return (level, event, concerned = {}, details = {}) => {
		const named = Object.entries({ network: clientNetwork(c), ...concerned }).filter(
			([, value]) => value !== undefined,
		);
		const hashes = named.map(([kind, value]) => [
			kind,
			keyedHash(secret, "log", `${kind}\0${value}`).slice(0, HASH_CHARACTERS),
		]);
		log(level, event, { request_id: c.var.requestId, ...Object.fromEntries(hashes), ...details });
	};
}

/** Logs that a request was refused for want of a credential, of a right, or of what a limit has left. Any other error is no such refusal. */
export function logRefusal(c: Context<AppEnv>, { code }: AppError): void {
	const { status } = problemTable[code];
	// A wrong password is logged where it is counted, and without settings there is nothing to hash by.
	if (![401, 403, 429].includes(status) || code === "INVALID_CREDENTIALS" || !c.get("config")) return;
	const log = securityLog(c);
	log(status === 401 ? "info" : "warn", "refused", {}, { code });
}
