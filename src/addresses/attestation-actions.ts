/** What agents do at an address: attest it with their position, and hand over recovery codes. */
import { giveRecoveryCode } from "../accounts/recovery-actions.ts";
import type { AddressCode } from "../codes/code.ts";
import { newId } from "../crypto/random.ts";
import type { Caller } from "../db/caller.ts";
import type { Database } from "../db/open.ts";
import { retryOnConflict } from "../db/refusal.ts";
import { messagesOf } from "../db/retry.ts";
import { inEach, latestBy, merged } from "../db/several.ts";
import { type ResultOf, spending } from "../db/statement.ts";
import { AppError } from "../errors.ts";
import { spendingWrite } from "../limits/daily-limits.ts";
import { showSuspicion } from "../limits/suspicious.ts";
import { log } from "../logs/log.ts";
import { greatCircle } from "../points/plane.ts";
import type { Point } from "../points/point.ts";
import type { Registry } from "../registry.ts";
import { DAY, HOUR, SECOND } from "../time/time.ts";
import { assertSandbox, newestFirst } from "./actions.ts";
import { announceChange } from "./address-cache.ts";
import { updatedAt } from "./address-record.ts";
import { VISIT_METRES, VISIT_METRES_MAX } from "./attestation-schemas.ts";
import { textsOf } from "./content.ts";
import { lookUpAddress } from "./look-up.ts";
import { liveAddress } from "./retired-or-withheld.ts";
import type { Address, Attestation, PrivateRead } from "./store.ts";
import * as addressStore from "./store.ts";

/** How fast a person can travel between two visits, in kilometres per hour. */
const TRAVEL_KMH_MAX = 120;
/** The most visits in the export of an agent, the newest first. */
const VISITS_MAX = 10_000;

/** An agent's position in degrees, and its accuracy in metres. */
type Position = Point & { accuracy: number };

/** An agent's request to attest an address after a visit. `level` is 1 to 3. */
interface AttestationRequest {
	code: AddressCode;
	level: number;
	note: string;
	position: Position;
	/** The `updated_at` of the address as the agent saw it, if they send it. */
	seenAt: string | undefined;
}

/**
 * Stores an agent's attestation, raises the address's verification level to the attested one, and purges what caches hold of it. A level
 * below the current one is stored but lowers nothing.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED; ADDRESS_CHANGED since the agent saw it; FORBIDDEN for an agent's own address;
 * TOO_FAR from its pin; QUOTA_EXCEEDED.
 */
export async function attestAddress(
	registry: Registry,
	caller: Caller,
	request: AttestationRequest,
): Promise<{ attestation: Attestation; address: Address }> {
	const { code, level } = request;
	await assertSandbox(caller, code);
	const { isAgain, ...attested } = await retryOnConflict(() => tryAttest(registry, caller, request));
	if (isAgain) return attested;
	const { attestation, address } = attested;
	await announceChange(registry, [code.canonical], address);
	const who = { agent: attestation.agentId, user: address.ownerId };
	registry.log("info", "address_attested", who, { verification_level: level });
	return attested;
}

/** Attests the current address, or finds the attestation that an earlier identical request made, if its answer was lost. */
async function tryAttest(registry: Registry, caller: Caller, request: AttestationRequest) {
	const { code, level, position, seenAt } = request;
	const stored = await lookUpAddress(registry, caller, code);
	if (stored.ownerId === caller.userId) throw new AppError("FORBIDDEN", "Agents cannot attest their own addresses.");
	if (seenAt !== undefined && seenAt !== updatedAt(stored)) {
		const [last] = await caller.run(
			registry.databaseOf(code),
			addressStore.attestedBy({ agentId: caller.userId, limit: 1 }),
		);
		// The same request sent again because its answer was lost: the only change since is the one that it made itself.
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
 * Returns the recovery code of an account to the agent whom an operator named for it, at one of its pins, to hand over to the holder.
 * @throws AppError ADDRESS_NOT_FOUND, ADDRESS_RETIRED, ADDRESS_CHANGED, TOO_FAR; NOT_FOUND for another agent, elsewhere, and where no
 * recovery is due; QUOTA_EXCEEDED.
 */
export async function recoverAtPin(
	registry: Registry,
	caller: Caller,
	{ code, position }: Pick<AttestationRequest, "code" | "position">,
): Promise<string> {
	await assertSandbox(caller, code);
	const address = await lookUpAddress(registry, caller, code);
	const { metres, allowed } = distanceFrom(address, position);
	return giveRecoveryCode(registry, caller, address.ownerId, metres <= allowed);
}

/** How far a position is from a pin, and how far a visit may be, in metres. */
function distanceFrom(pin: Point, position: Position) {
	const allowed = Math.min(VISIT_METRES_MAX, VISIT_METRES + position.accuracy);
	return { metres: greatCircle(position, pin).metres, allowed };
}

/** The distance of an agent's visit from a pin, in metres. @throws AppError TOO_FAR, which is also shown to operators. */
function visitDistance(registry: Registry, { userId: agent }: Caller, position: Position, pin: Point): number {
	const { metres, allowed } = distanceFrom(pin, position);
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
		// The attestation must not apply to a pin or text that has changed in the meantime.
		isSeen: addressStore.assertContent(stored),
		...(seenAt === undefined && {
			isKnown: addressStore.assertUnchangedSince({ canonical, since: registry.now - DAY }),
		}),
		attested: spending(
			addressStore.attest({ ...event, agentId }),
			spendingWrite(registry, "attestations", agentId, { texts: [note, ...textsOf(stored)] }),
		),
		raised: addressStore.raiseLevel(event),
		attestations: addressStore.attestationById(event),
		visits: addressStore.attestedBy({ agentId, limit: 2 }),
		issued: addressStore.byOneCode(canonical),
	}));
	const address = liveAddress(issued);
	if (!attestation) throw new Error("A live address was found and its attestation was not stored");
	const elsewhere = registry.databases.filter((db) => db !== registry.databaseOf(code));
	if (elsewhere.length === 0) noteSpeed(registry, visits);
	else registry.afterAnswer(noteSpeedBetween(registry, elsewhere, visits));
	return { attestation, address };
}

/** Notes the speed of an agent whose previous visit may be in another database. */
async function noteSpeedBetween(registry: Registry, others: readonly Database[], visits: Attestation[]): Promise<void> {
	const [{ agentId } = { agentId: "" }] = visits;
	try {
		const lists = await inEach(others, addressStore.attestedBy({ agentId, limit: 1 }));
		noteSpeed(registry, merged([visits, ...lists], latestVisit, 2));
	} catch (error) {
		log("warn", "agent_speed_unknown", { request_id: registry.requestId, causes: messagesOf(error) });
	}
}

/** Reports to operators an agent who moved between two places faster than anybody can travel. */
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

/** Statements that read, from one database, an agent's newest attestations and readings of private addresses. */
function readingVisits(agentId: string, limit: number) {
	return { attested: addressStore.attestedBy({ agentId, limit }), reads: addressStore.readsBy({ agentId, limit }) };
}

/** An agent's attestations and readings of private addresses, newest first. */
export async function allVisitsOf(registry: Registry, agentId: string) {
	return mergedVisits(await inEach(registry.databases, readingVisits(agentId, VISITS_MAX)), VISITS_MAX);
}

/** The latest visits of agents, by agent id: the last address attested, how many were attested within a day, and the last private read. */
export async function lastVisitsOf(registry: Registry, agentIds: string[]) {
	const asked = { agents: agentIds, since: registry.now - DAY };
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

/** Merges an agent's visits from several databases, newest first. */
function mergedVisits(found: ResultOf<ReturnType<typeof readingVisits>>[], limit: number) {
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

/** The most addresses, and the most visits, of an account that an operator is shown. */
const SHOWN_MAX = 20;

/** Statements that read, from one database, an account's newest live addresses and what it attested and read there as an agent. */
export function readingNewest(userId: string) {
	const addresses = addressStore.ownedBy({ ownerId: userId, isSandbox: false }, SHOWN_MAX);
	return { addresses, ...readingVisits(userId, SHOWN_MAX) };
}

/** Merges the results of readingNewest from several databases into one. */
export function mergedNewest(lists: ResultOf<ReturnType<typeof readingNewest>>[]) {
	const addresses = merged(
		lists.map((list) => list.addresses),
		newestFirst,
		SHOWN_MAX,
	);
	return { addresses, ...mergedVisits(lists, SHOWN_MAX) };
}
