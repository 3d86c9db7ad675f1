import { keyedHash } from "../crypto/hash.ts";
import type { ProblemCode } from "../errors.ts";
import { log } from "./log.ts";

/** Whom and what an event concerns. The log gets a keyed hash of each, so that lines can be matched but name nobody. */
export interface Concerned {
	user?: string | undefined;
	phone?: string | undefined;
	session?: string | undefined;
	agent?: string | undefined;
	key?: string | undefined;
}

/** Details of an event that are logged unhashed: words and numbers that identify nobody. */
export interface EventDetails {
	by?: "password" | "recovery code" | "one-time code" | "agent";
	/** The limit that stopped a sign-in. */
	limit?: string;
	/** Whether a phone number replaced another one. */
	replaced?: boolean;
	/** The level of an attestation. */
	verification_level?: number;
	code?: ProblemCode;
	/** How fast somebody would have had to travel. */
	kilometres_per_hour?: number;
	/** How far an agent was from a pin. */
	metres?: number;
	/** Why a refresh token was refused. */
	reason?: "unknown" | "expired" | "revoked" | "replayed";
	/** What an operator did. */
	act?: string;
	/** The country and zone of codes that do not exist, such as `NG0421`. */
	zone?: string;
}

/** Logs an event that concerns security, with the request's id and a keyed hash of its network. */
export type SecurityLog = (
	level: "info" | "warn",
	event: string,
	concerned?: Concerned,
	details?: EventDetails,
) => void;

/** 16 hexadecimal digits, 64 bits: enough to tell all people of a registry apart. */
const HASH_CHARACTERS = 16;

/**
 * The log of events that concern security, for one request.
 * @param secret Keys the hashes.
 * @param network The network that the client is counted by; undefined locally.
 */
export function createSecurityLog(secret: Uint8Array, requestId: string, network: string | undefined): SecurityLog {
	return (level, event, concerned = {}, details = {}) => {
		const named = Object.entries({ network, ...concerned }).filter(([, value]) => value !== undefined);
		const hashes = named.map(([kind, value]) => [
			kind,
			keyedHash(secret, "log", `${kind}\0${value}`).slice(0, HASH_CHARACTERS),
		]);
		log(level, event, { request_id: requestId, ...Object.fromEntries(hashes), ...details });
	};
}
