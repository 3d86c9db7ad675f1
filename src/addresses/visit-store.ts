/** All SQL on what agents do at addresses: their attestations, and their readings of private addresses. */
import { and, desc, eq, getTableColumns, gte, lt, or, sql } from "drizzle-orm";
import { hasRow, insertRow, updateRows } from "../db/rows.ts";
import { addresses, attestations, privateReads } from "../db/schema.ts";
import { type Parameters, query, statement } from "../db/statement.ts";
import { changedAt, isLive } from "./address-columns-store.ts";
import { ATTESTED_FIELDS, type AttestedField } from "./content.ts";
import { perField } from "./texts.ts";

/** An attestation, as stored. */
export type Attestation = typeof attestations.$inferSelect;

/** An attestation about to be stored. The attested content is copied from the address. */
type NewAttestation = Omit<Attestation, AttestedField>;

/** An agent's reading of a private address, as stored. */
export type PrivateRead = typeof privateReads.$inferSelect;

/** The attestations of an address, oldest first. */
export const attestationsOf = statement(({ canonical }: Parameters<{ canonical: string }>) =>
	query
		.select()
		.from(attestations)
		.where(eq(attestations.canonical, canonical))
		.orderBy(attestations.createdAt, sql`rowid`),
);

/** The newest attestations of an agent, each with the visibility of its address. */
export const attestedBy = statement(({ agentId, limit }: Parameters<{ agentId: string; limit: number }>) =>
	query
		.select({ ...getTableColumns(attestations), visibility: addresses.visibility })
		.from(attestations)
		.innerJoin(addresses, eq(addresses.canonical, attestations.canonical))
		.where(eq(attestations.agentId, agentId))
		.orderBy(desc(attestations.createdAt))
		.limit(limit),
);

type ReadOfDay = Parameters<Pick<PrivateRead, "canonical" | "agentId"> & { today: number }>;

const isReadOn = ({ canonical, agentId, today }: ReadOfDay) =>
	and(eq(privateReads.canonical, canonical), eq(privateReads.agentId, agentId), gte(privateReads.readAt, today));

/** Records that an agent reads a private address, at most once a day (UTC). */
export const noteRead = statement((read: ReadOfDay & Parameters<Pick<PrivateRead, "readAt">>) => {
	const { canonical, agentId, readAt } = read;
	const row = { id: sql`null`, canonical, agentId, readAt };
	return insertRow(privateReads, row, sql`where not ${hasRow(privateReads, isReadOn(read))}`);
});

/** Agents' readings of a private address, oldest first. */
export const readsOf = statement(({ canonical }: Parameters<{ canonical: string }>) =>
	query
		.select()
		.from(privateReads)
		.where(eq(privateReads.canonical, canonical))
		.orderBy(privateReads.readAt, privateReads.id),
);

/** The latest visits of agents, and how many attestations they made since a time. */
export const lastVisits = statement(({ agents, since }: Parameters<{ agents: string[]; since: number }>) => {
	const attested = sql`from ${attestations} where ${attestations.agentId} = value`;
	const newest = sql`${attested} order by ${attestations.createdAt} desc limit 1`;
	return query
		.select({
			agentId: sql<string>`value`.as("agent"),
			attested: sql<string | null>`(select ${attestations.canonical} ${newest})`.as("attested"),
			attestedAt: sql<number | null>`(select ${attestations.createdAt} ${newest})`.as("attested_at"),
			lately: sql<number>`(select count(*) ${attested} and ${attestations.createdAt} >= ${since})`.as("lately"),
			readAt: sql<number | null>`(select max(${privateReads.readAt}) from ${privateReads}
				where ${privateReads.agentId} = value)`.as("last_read_at"),
		})
		.from(sql`json_each(${agents})`);
});

/** The newest readings of private addresses by an agent. */
export const readsBy = statement(({ agentId, limit }: Parameters<{ agentId: string; limit: number }>) =>
	query
		.select()
		.from(privateReads)
		.where(eq(privateReads.agentId, agentId))
		.orderBy(desc(privateReads.readAt))
		.limit(limit),
);

/** Stores an attestation if its address is live. Run again, it stores nothing twice. */
export const attest = statement((attestation: Parameters<NewAttestation>) => {
	const { id, canonical, agentId, level, note, position, distance, createdAt } = attestation;
	const attested = perField(ATTESTED_FIELDS, (field) => sql`${addresses[field]}`);
	return insertRow(
		attestations,
		{ id, canonical, agentId, level, note, position, distance, createdAt, ...attested },
		sql`from ${addresses} where ${isLive(attestation)}`,
	).onConflictDoNothing();
});

/**
 * Raises the level of a live address to the attested one; if the level is the same, only updates the time. Run again, it changes nothing.
 */
export const raiseLevel = statement(
	(attestation: Parameters<Pick<Attestation, "canonical" | "level" | "createdAt">>) => {
		const { level, createdAt } = attestation;
		const { verificationLevel, verifiedAt } = addresses;
		const isNewer = and(eq(verificationLevel, level), sql`${verifiedAt} is not ${createdAt}`);
		const raised = { verificationLevel: level, verifiedAt: createdAt, ...changedAt(createdAt) };
		return updateRows(addresses, raised, and(isLive(attestation), or(lt(verificationLevel, level), isNewer)));
	},
);

export const attestationById = statement(({ id }: Parameters<{ id: string }>) =>
	query.select().from(attestations).where(eq(attestations.id, id)),
);
