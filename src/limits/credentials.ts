/**
 * Credentials that are not proved yet query the database like any other call. Wrong ones count for their network, in a count of their own
 * under the limit of look-ups, so that a few of them stop nobody. A credential that was proved here recently is not stopped by what
 * neighbours send.
 */
import type { Registry } from "../registry.ts";
import { MINUTE } from "../time/time.ts";
import { assertNotPast, countAfterAnswer } from "./rate-limits.ts";

/** Credentials that the database has proved in about the last two minutes, as hashes or ids. */
let [proved, provedBefore, turnsAt] = [new Set<string>(), new Set<string>(), 0];

/** Requests whose caller the database has proved. */
const provedRequests = new WeakSet<Registry>();

/** Whether the database has proved a credential in this isolate recently. */
export function wasProved(credential: string): boolean {
	return proved.has(credential) || provedBefore.has(credential);
}

/** Whether the database has not proved the caller of a request. */
export function isOfStranger(registry: Registry): boolean {
	return !provedRequests.has(registry);
}

/** The key that counts a network's wrong credentials; undefined without a network. */
const senderOf = ({ network }: Registry) => network && `unproved ${network}`;

/**
 * Refuses a credential before it reaches the database if too many from its network have proved wrong in this minute.
 * @param credential Its hash or id.
 * @throws AppError RATE_LIMITED.
 */
export function assertMayProve(registry: Registry, credential: string): void {
	const sender = senderOf(registry);
	if (sender === undefined || wasProved(credential)) return;
	const detail = "Too many wrong credentials were sent from your network. Wait a minute.";
	assertNotPast(registry, "LOOKUPS", [sender], detail);
}

/** Notes that the database has proved a credential. */
export function noteProved(registry: Registry, credential: string): void {
	if (registry.now > turnsAt) [provedBefore, proved, turnsAt] = [proved, new Set(), registry.now + MINUTE];
	proved.add(credential);
	provedRequests.add(registry);
}

/** Counts a credential that proved wrong, after the answer. */
export function noteUnproved(registry: Registry): void {
	countAfterAnswer(registry, "LOOKUPS", senderOf(registry));
}
