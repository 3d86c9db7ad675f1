/** What agents do at an address: attest what they saw, and where they stood. */
import { giveRecoveryCode } from "../accounts/recovery-actions.ts";
import type { AddressCode } from "../codes/code.ts";
import { newId } from "../crypto/random.ts";
import type { Caller } from "../db/caller.ts";
import type { Database } from "../db/open.ts";
import { madeAnew } from "../db/refusal.ts";
import { messagesOf } from "../db/retry.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import { AppError } from "../errors.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import { showSuspicion } from "../limits/suspicious.ts";
import { log } from "../logs/log.ts";
import type { Point } from "../points/coordinate-text.ts";
import { greatCircle } from "../points/plane.ts";
import type { Registry } from "../registry.ts";
import { DAY, HOUR, SECOND } from "../time/time.ts";
import { assertSandbox } from "./actions.ts";
import { announceChange, changedEntry } from "./address-cache.ts";
import { updatedAt } from "./address-record.ts";
import { VISIT_METRES, VISIT_METRES_MAX } from "./attestation-schemas.ts";
import { textsOf } from "./content.ts";
import { assertLive } from "./issued.ts";
import { lookUpAddress } from "./look-up.ts";
import type { Address, Attestation, PrivateRead } from "./store.ts";
import * as addressStore from "./store.ts";

/** How fast a person can travel between two visits, in kilometres per hour. */
const TRAVEL_KMH_MAX = 120;
/** Visits in the export of an agent: the newest. */
const VISITS_MAX = 10_000;

/** Where an agent stands, in degrees, and how accurate that is, in metres. */
export type Position = Point & { accuracy: number };

/** What an agent attests who has been there. `level` is 1 to 3. */
interface AttestationRequest {
	code: AddressCode;
	level: number;
	note: string;
	position: Position;
	/** The `updated_at` of what the agent saw, where they tell it. */
	seenAt: string | undefined;
}

/**
 * Stores what an agent attests of an address, raises the address's verification level to it, and drops what caches hold. A lower
 * level than it has is stored and lowers nothing.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED; ADDRESS_CHANGED since the agent saw it; FORBIDDEN for an agent's own
 * address; TOO_FAR from its pin; QUOTA_EXCEEDED.
 */
export async function attestAddress(
	registry: Registry,
	caller: Caller,
	request: AttestationRequest,
): Promise<{ attestation: Attestation; address: Address }> {
	const { code, level } = request;
	await assertSandbox(caller, code);
	const { isAgain, ...attested } = await madeAnew(() => tryAttest(registry, caller, request));
	if (isAgain) return attested;
	const { attestation, address } = attested;
	await announceChange(registry, [code.canonical], await changedEntry(address));
	const who = { agent: attestation.agentId, user: address.ownerId };
	registry.log("info", "address_attested", who, { verification_level: level });
	return attested;
}

/** Attests what is under the code now, or finds that it was done already: the same request, whose answer was lost. */
async function tryAttest(registry: Registry, caller: Caller, request: AttestationRequest) {
	const { code, level, position, seenAt } = request;
	const stored = await lookUpAddress(registry, caller, code);
	if (stored.ownerId === caller.userId) throw new AppError("FORBIDDEN", "Agents cannot attest their own addresses.");
	if (seenAt !== undefined && seenAt !== updatedAt(stored)) {
		const [last] = await caller.run(
			registry.databaseOf(code),
			addressStore.attestedBy({ agentId: caller.userId, limit: 1 }),
		);
		// Sent again, because the answer was lost: what has changed is what it did.
		const isSame = last?.canonical === code.canonical && last.level === level && last.note === request.note;
		if (isSame && last.createdAt === stored.updatedAt) return { attestation: last, address: stored, isAgain: true };
		throw new AppError(
			"ADDRESS_CHANGED",
			"The address has changed since you read it. Read it again, and attest it if you still agree.",
		);
	}
	const distance = visitDistance(registry, caller, position, stored);
	return { ...(await attest(registry, caller, request, stored, distance)), isAgain: false };
}

/**
 * Shows an agent who stands at a pin of an account the recovery code to hand over to its holder, where an operator asked for it in time.
 * @throws AppError As attestAddress does of the address and the distance; NOT_FOUND where no recovery is due.
 */
export async function recoverAtPin(
	registry: Registry,
	caller: Caller,
	{ code, position }: Pick<AttestationRequest, "code" | "position">,
): Promise<string> {
	await assertSandbox(caller, code);
	const address = await lookUpAddress(registry, caller, code);
	if (address.ownerId === caller.userId) throw new AppError("FORBIDDEN", "Agents cannot recover their own account.");
	visitDistance(registry, caller, position, address);
	return giveRecoveryCode(registry, caller, address.ownerId);
}

/** How far an agent's visit is from a pin, in metres. @throws AppError TOO_FAR, which is counted for operators. */
function visitDistance(registry: Registry, { userId: agent }: Caller, position: Position, pin: Point): number {
	const { metres } = greatCircle(position, pin);
	const allowed = Math.min(VISIT_METRES_MAX, VISIT_METRES + position.accuracy);
	if (metres <= allowed) return metres;
	showSuspicion(registry, "agent_too_far", { agent }, { metres: Math.round(metres) });
	const detail = `You are ${Math.round(metres)} metres from the point of the address. Go within ${Math.round(allowed)} metres.`;
	throw new AppError("TOO_FAR", detail, { errors: [{ path: "position", message: detail }] });
}

async function attest(
	registry: Registry,
	caller: Caller,
	{ code, level, note, position, seenAt }: AttestationRequest,
	stored: Address,
	distance: number,
) {
	const { canonical } = code;
	const at = { position, distance: Math.round(distance * 10) / 10 };
	const event = { id: newId("att"), canonical, level, note, ...at, createdAt: registry.now };
	const {
		attestations: [attestation],
		visits,
		issued,
	} = await caller.run(registry.databaseOf(code), (agentId) => ({
		// A pin or text that changes meanwhile must not be attested.
		isSeen: addressStore.assertContent(stored),
		...(seenAt === undefined && {
			isKnown: addressStore.assertUnchangedSince({ canonical, since: registry.now - DAY }),
		}),
		attested: addressStore.attest({ ...event, agentId }),
		...spendingWrite(registry, "attestations", agentId, { texts: [note, ...textsOf(stored)] }),
		raised: addressStore.raiseLevel(event),
		attestations: addressStore.attestationById(event),
		visits: addressStore.attestedBy({ agentId, limit: 2 }),
		issued: addressStore.byCodes([canonical]),
	}));
	const address = assertLive(issued.get(canonical));
	if (!attestation) throw new Error("A live address was found and its attestation was not stored");
	const elsewhere = registry.databases.filter((db) => db !== registry.databaseOf(code));
	if (elsewhere.length === 0) noteSpeed(registry, visits);
	else registry.afterAnswer(noteSpeedBetween(registry, elsewhere, visits));
	return { attestation, address };
}

/** The same where an agent may have been at an address of another database before. */
async function noteSpeedBetween(registry: Registry, others: readonly Database[], visits: Attestation[]): Promise<void> {
	const [{ agentId } = { agentId: "" }] = visits;
	try {
		const lists = await inEach(others, addressStore.attestedBy({ agentId, limit: 1 }));
		noteSpeed(registry, merged([visits, ...lists], latestVisit, 2));
	} catch (error) {
		log("warn", "agent_speed_unknown", { request_id: registry.requestId, causes: messagesOf(error) });
	}
}

/** Shows operators an agent who was at two places faster than anybody travels between them. */
function noteSpeed(registry: Registry, [last, before]: Attestation[]): void {
	if (!last?.position || !before?.position) return;
	const { metres } = greatCircle(last.position, before.position);
	const kilometres = Math.max(0, metres - last.position.accuracy - before.position.accuracy) / 1000;
	const speed = kilometres / (Math.max(last.createdAt - before.createdAt, SECOND) / HOUR);
	if (speed <= TRAVEL_KMH_MAX) return;
	showSuspicion(registry, "agent_too_fast", { agent: last.agentId }, { kilometres_per_hour: Math.round(speed) });
}

/** Orders attestations, the newest first. */
const latestVisit = latestBy<Attestation>(
	({ createdAt }) => createdAt,
	({ id }) => id,
);

/** What an agent attested and which private addresses they read, newest first. */
export async function allVisitsOf(
	registry: Registry,
	agentId: string,
): Promise<{ attested: Attestation[]; reads: PrivateRead[] }> {
	const asked = { agentId, limit: VISITS_MAX };
	const reading = { attested: addressStore.attestedBy(asked), reads: addressStore.readsBy(asked) };
	const found = await inEach(registry.databases, reading);
	return mergedVisits(found, VISITS_MAX);
}

/** What agents did last, by their ids: which address they attested, how many within a day, and when they read a private one. */
export async function lastVisitsOf(registry: Registry, agentIds: string[]) {
	const asked = { agents: JSON.stringify(agentIds), since: registry.now - DAY };
	const [first = [], ...others] = await inEach(registry.databases, addressStore.lastVisits(asked));
	const visits = new Map(first.map((found) => [found.agentId, found]));
	for (const { agentId, attested, attestedAt, lately, readAt } of others.flat()) {
		const known = visits.get(agentId);
		if (!known) continue;
		if ((attestedAt ?? 0) > (known.attestedAt ?? 0)) Object.assign(known, { attested, attestedAt });
		known.lately += lately;
		known.readAt = Math.max(known.readAt ?? 0, readAt ?? 0) || null;
	}
	return visits;
}

/** What an agent did in several databases, newest first. */
function mergedVisits<Attested extends Attestation>(
	found: { attested: Attested[]; reads: PrivateRead[] }[],
	limit: number,
): { attested: Attested[]; reads: PrivateRead[] } {
	const byReading = latestBy<PrivateRead>(
		({ readAt }) => readAt,
		({ canonical }) => canonical,
	);
	return {
		attested: merged(
			found.map(({ attested }) => attested),
			latestVisit,
			limit,
		),
		reads: merged(
			found.map(({ reads }) => reads),
			byReading,
			limit,
		),
	};
}

/** Newest addresses and visits of an account that an operator is shown. */
const SHOWN_MAX = 20;

/** Reads the newest live addresses of an account in one database, and what it attested and read there as an agent, newest first. */
export function readingNewest(userId: string) {
	const asked = { agentId: userId, limit: SHOWN_MAX };
	return {
		addresses: addressStore.ownedBy({ ownerId: userId, isSandbox: false }, SHOWN_MAX),
		attested: addressStore.attestedBy(asked),
		reads: addressStore.readsBy(asked),
	};
}

/** What was read so in several databases, as that of one. */
export function mergedNewest<Attested extends Attestation>(
	lists: { addresses: Address[]; attested: Attested[]; reads: PrivateRead[] }[],
) {
	const newestFirst = latestBy<Address>(
		({ createdAt }) => createdAt,
		({ canonical }) => canonical,
	);
	const addresses = merged(
		lists.map((list) => list.addresses),
		newestFirst,
		SHOWN_MAX,
	);
	return { addresses, ...mergedVisits(lists, SHOWN_MAX) };
}
