import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Point } from "../points/point.ts";

/**
 * All tables, and the single source of the migrations (`npm run db:generate`). Times are milliseconds since 1970-01-01 UTC.
 * No foreign key cascades: a table rebuilt by a later migration would take its children with it on D1.
 */

/** The time of erasure of an account whose erasure has begun: the epoch. */
export const ERASING = 0;

export const users = sqliteTable(
	"users",
	{
		/** `usr_` and random characters; reveals nothing about the person. */
		id: text("id").primaryKey(),
		/** E.164. Null once the number has passed to the account that proved it. */
		phone: text("phone").unique(),
		phoneVerified: integer("phone_verified", { mode: "boolean" }).notNull().default(false),
		/** PHC string. */
		passwordHash: text("password_hash").notNull(),
		role: text("role", { enum: ["user", "agent"] })
			.notNull()
			.default("user"),
		createdAt: integer("created_at").notNull(),
		/** When an operator suspended it. Its holder may only export and erase their data. */
		suspendedAt: integer("disabled_at"),
		/** SHA-256 of the recovery code, hexadecimal; null while there is none. */
		recoveryHash: text("recovery_hash"),
		/**
		 * When a closed account will be erased; null while it is open, ERASING once its erasure has begun. Triggers write `closed_owners`
		 * with it.
		 */
		eraseAt: integer("erase_at"),
		/** When an account that was never used is erased; null once its holder has signed in again. */
		unusedUntil: integer("unused_until"),
		/** The last use of any of its deleted sessions. A trigger writes it when a session is deleted. */
		usedUntil: integer("used_until"),
		/** A counter that each link to its private addresses carries. Incremented to end all of them, when all sessions end at once. */
		shareCount: integer("share_count").notNull().default(0),
		/** When an operator requested that its holder gets a new recovery code in person, and from which agent; null without a request. */
		recoveryRequestedAt: integer("recovery_requested_at"),
		recoveryAgentId: text("recovery_agent_id"),
		/** When the first recovery code of that request was shown. The agent may see another for a short while. */
		recoveryGivenAt: integer("recovery_given_at"),
		/**
		 * Requests of versions before 1.4.0, which any agent could end, and the agent who was shown the code. No code is shown for them any
		 * more, and such a version finds none of the newer requests while both serve.
		 */
		recoveryAskedAt: integer("recovery_asked_at"),
		recoveryGivenTo: text("recovery_given_to"),
		/** The names of the databases in which it has or had addresses, besides that of accounts, separated by spaces. */
		databaseNames: text("places").notNull().default(""),
	},
	(table) => [
		index("users_by_erasure").on(table.eraseAt).where(sql`${table.eraseAt} is not null`),
		index("users_by_role").on(table.role).where(sql`${table.role} = 'agent'`),
		index("users_by_disuse").on(table.unusedUntil).where(sql`${table.unusedUntil} is not null`),
	],
);

/** A sign-in on one device; the refresh tokens of its chain belong to it. */
export const sessions = sqliteTable(
	"sessions",
	{
		id: text("id").primaryKey(),
		userId: text("user_id").notNull(),
		createdAt: integer("created_at").notNull(),
		/** When its newest refresh token expires, or, signed in on the web, when it ends unless it is used again. */
		expiresAt: integer("expires_at").notNull(),
		revokedAt: integer("revoked_at"),
		/** SHA-256 of the token in a browser's cookie, hexadecimal; null for a session of the API. */
		webTokenHash: text("web_token_hash").unique(),
		/** How long a session of the web lasts without use, in milliseconds. */
		idleMilliseconds: integer("idle_milliseconds"),
		/**
		 * When it was last used: signed in, refreshed, or, on the web, seen within the last day or half hour. Null for sessions older
		 * than this column.
		 */
		lastSeenAt: integer("last_seen_at"),
		/** What signed in, such as `Chrome on Android`. */
		device: text("device"),
	},
	(table) => [
		index("sessions_by_user").on(table.userId),
		index("sessions_by_expiry").on(table.expiresAt),
		index("sessions_by_end").on(table.revokedAt).where(sql`${table.revokedAt} is not null`),
	],
);

/**
 * The newest refresh token of each session and the one used before it. An older one names its session, so that its replay is recognised
 * without a row (RFC 9700 section 4.14.2).
 */
export const refreshTokens = sqliteTable(
	"refresh_tokens",
	{
		/** SHA-256 of the token, hexadecimal, or its first 128 bits. */
		hash: text("hash").primaryKey(),
		sessionId: text("session_id").notNull(),
		expiresAt: integer("expires_at").notNull(),
		consumedAt: integer("consumed_at"),
	},
	(table) => [
		index("refresh_tokens_by_session").on(table.sessionId),
		index("refresh_tokens_by_expiry").on(table.expiresAt),
	],
);

/** API keys. Revoked ones are retained for a while, so that what a leaked key did can still be investigated. */
export const apiKeys = sqliteTable(
	"api_keys",
	{
		/** `key_` and random characters. */
		id: text("id").primaryKey(),
		userId: text("user_id").notNull(),
		name: text("name").notNull(),
		mode: text("mode", { enum: ["test", "live"] }).notNull(),
		/** What may be shown of the key: `addr_live_` and its first characters. */
		prefix: text("prefix").notNull(),
		/** SHA-256 of the whole key, hexadecimal. */
		hash: text("hash").notNull().unique(),
		createdAt: integer("created_at").notNull(),
		lastUsedAt: integer("last_used_at"),
		revokedAt: integer("revoked_at"),
		/** Whether it writes sandbox addresses alone. Test keys that are older than the sandbox write live ones. */
		sandbox: integer("sandbox", { mode: "boolean" }).notNull().default(false),
		/** What the key may do. */
		scopes: text("scopes", { mode: "json" })
			.$type<("addresses:read" | "addresses:write" | "changes:read")[]>()
			.notNull()
			.default(["addresses:read"]),
	},
	// With `revoked_at` as its second column it finds the live keys of a user, in their order, without passing by the revoked ones.
	(table) => [
		index("api_keys_live_by_user").on(table.userId, table.revokedAt, table.createdAt, table.id),
		index("api_keys_by_revocation").on(table.revokedAt).where(sql`${table.revokedAt} is not null`),
	],
);

/** Failed sign-ins of the last day. Phones and networks are stored as keyed hashes, also for numbers without an account. */
export const failedSignIns = sqliteTable(
	"failed_sign_ins",
	{
		/** A keyed hash of phone and network together, or of a session. */
		pairKey: text("pair_key").primaryKey(),
		phoneKey: text("phone_key").notNull(),
		/** How many have failed since a window of the pair began, and when that was. */
		count: integer("count").notNull(),
		since: integer("since").notNull(),
		/** The same for the window of the phone. */
		phoneCount: integer("phone_count").notNull(),
		phoneSince: integer("phone_since").notNull(),
		/** When the last one failed. */
		failedAt: integer("failed_at").notNull(),
	},
	(table) => [
		index("failed_sign_ins_by_phone").on(table.phoneKey, table.failedAt),
		index("failed_sign_ins_by_time").on(table.failedAt),
	],
);

/** Failed sign-ins as 0.9.1 counted them, a row for each. Nothing is written or read here, and the next release drops it. */
export const failedLogins = sqliteTable(
	"failed_logins",
	{
		id: integer("id").primaryKey(),
		phoneKey: text("phone_key").notNull(),
		/** A keyed hash of phone and network together. */
		pairKey: text("pair_key").notNull(),
		failedAt: integer("failed_at").notNull(),
	},
	(table) => [
		index("failed_logins_by_phone").on(table.phoneKey, table.failedAt),
		index("failed_logins_by_pair").on(table.pairKey, table.failedAt),
		index("failed_logins_by_time").on(table.failedAt),
	],
);

/** Networks from which somebody has signed in with a phone, by keyed hashes: failures from elsewhere do not stop them there. */
export const knownNetworks = sqliteTable(
	"known_networks",
	{
		/** 128 bits of a keyed hash of phone and network together; up to 0.9.1 all 256. */
		key: text("key").primaryKey(),
		signedInAt: integer("signed_in_at").notNull(),
	},
	(table) => [index("known_networks_by_time").on(table.signedInAt)],
);

/** How much of a daily quota a subject has used. */
export const dailyCounts = sqliteTable(
	"daily_counts",
	{
		/** For whom something is counted, and what, such as `usr_...:new-addresses`. */
		subject: text("subject").notNull(),
		/** Days since 1970-01-01 UTC. */
		day: integer("day").notNull(),
		count: integer("count").notNull(),
	},
	(table) => [primaryKey({ columns: [table.subject, table.day] }), index("daily_counts_by_day").on(table.day)],
);

/** One-time codes sent in the last day; used and expired ones count towards the limits of their phone. */
export const otpCodes = sqliteTable(
	"otp_codes",
	{
		id: text("id").primaryKey(),
		/** E.164. */
		phone: text("phone").notNull(),
		/** The account that asked for it and alone may use it; empty where nobody was signed in. */
		userId: text("user_id").notNull(),
		/** Keyed hash of the phone and the network that asked for it where nobody was signed in; otherwise empty. */
		networkKey: text("network_key").notNull().default(""),
		/** Whether the account that has the phone asked for it, so that it does not count with those of strangers. */
		isForHolder: integer("is_for_holder", { mode: "boolean" }).notNull().default(false),
		/** HMAC-SHA-256 of the code, hexadecimal. */
		codeHash: text("code_hash").notNull(),
		sentAt: integer("sent_at").notNull(),
		expiresAt: integer("expires_at").notNull(),
		/** How often it was tried from where it was asked for, and from other networks. */
		tries: integer("tries").notNull().default(0),
		triesElsewhere: integer("tries_elsewhere").notNull().default(0),
		usedAt: integer("used_at"),
		/** Names the request that used it up. */
		usedBy: text("used_by"),
	},
	(table) => [
		index("otp_codes_by_phone").on(table.phone, table.sentAt),
		index("otp_codes_by_time").on(table.sentAt),
		index("otp_codes_by_user").on(table.userId, table.sentAt),
	],
);

/**
 * Every verification event of a phone: who proved which number, how, and whom it was taken from. Rows are only ever added, and go
 * with their account when it is erased.
 */
export const phoneProofs = sqliteTable(
	"phone_proofs",
	{
		id: text("id").primaryKey(),
		userId: text("user_id").notNull(),
		/** E.164. */
		phone: text("phone").notNull(),
		method: text("method", { enum: ["otp", "agent"] }).notNull(),
		/** Who attested it in person. */
		agentId: text("agent_id"),
		/** The unverified account that had the number until then: the same one, where the proof reset its password. */
		takenFrom: text("taken_from"),
		/** The previous number of the account, if it changed, and whether it was verified. */
		replacedPhone: text("replaced_phone"),
		replacedVerified: integer("replaced_verified", { mode: "boolean" }).notNull().default(false),
		provedAt: integer("proved_at").notNull(),
	},
	(table) => [
		index("phone_proofs_by_user").on(table.userId),
		index("phone_proofs_by_replaced_phone")
			.on(table.replacedPhone, table.provedAt)
			.where(sql`${table.replacedPhone} is not null`),
	],
);

/** Minted addresses. The primary key is what makes a duplicate impossible. */
export const addresses = sqliteTable(
	"addresses",
	{
		/** `CCZZZZUUUUK`. */
		canonical: text("canonical").primaryKey(),
		/** The name of the zone at the time of minting, so that resolving needs no zone index. */
		zoneName: text("zone_name").notNull(),
		/** The first-level division of the country at the point, such as a state. Empty where none is known, or was not yet noted. */
		region: text("region").notNull().default(""),
		/** The division of the zone. A code reveals it anyway, so it is safe to show for a private address. */
		zoneRegion: text("zone_region").notNull().default(""),
		/** The settlement that a person at the point would name. Empty where none is near. */
		locality: text("locality").notNull().default(""),
		/** Whether the owner chose it, so that a new zone index does not replace it. */
		isLocalityChosen: integer("is_locality_chosen", { mode: "boolean" }).notNull().default(false),
		/** The edition of the zone index that it was minted by, such as `2-387a6ea5`. Null where it was not yet noted. */
		edition: text("edition"),
		/** Degrees, WGS 84, exactly as posted. */
		lat: real("lat").notNull(),
		lng: real("lng").notNull(),
		label: text("label").notNull(),
		directions: text("directions").notNull().default(""),
		/** The entrance, in degrees; JSON null if the owner has not set one. */
		entrance: text("entrance", { mode: "json" }).$type<Point | null>().notNull().default(sql`'null'`),
		/** Whether everyone who has the code sees the address, or only its owner and people with a link. */
		visibility: text("visibility", { enum: ["public", "private"] })
			.notNull()
			.default("public"),
		/** A counter that each link to the address carries. Incremented to end all of them. */
		shareCount: integer("share_count").notNull().default(0),
		verificationLevel: integer("verification_level").notNull().default(0),
		/** When an agent last attested its level. Unchanged when the level falls to 0. */
		verifiedAt: integer("verified_at"),
		ownerId: text("owner_id").notNull(),
		/** Incremented by every change that a reader can see; the ETag is derived from it. */
		version: integer("version").notNull().default(1),
		createdAt: integer("created_at").notNull(),
		/** When a reader could last see a change. Null while it is as it was created. */
		updatedAt: integer("updated_at"),
		/**
		 * When it was retired itself, whatever its owner's account is. No reader asks this: `retiredAt` of an address
		 * (src/addresses/address-columns-store.ts) also counts the closing of the account.
		 */
		retiredItselfAt: integer("retired_at"),
		/** The code of the successor that its owner named when it was retired. */
		successor: text("successor"),
		/** Since when an operator hides it from everyone but its owner. */
		hiddenAt: integer("hidden_at"),
		/**
		 * Retired by 1.3.0 because its owner closed the account, and live again when they come back in time. Nothing sets it any more: the
		 * closing is one row of `closed_owners`. The next release drops it.
		 */
		closedWithAccount: integer("closed_with_account", { mode: "boolean" }).notNull().default(false),
		/** The owner's own identifier for it, such as the number of a meter. */
		externalId: text("external_id"),
		/** A hash of the Idempotency-Key that it was minted under, and of that request; null once they are forgotten. */
		idempotencyKey: text("idempotency_key"),
		requestHash: text("request_hash"),
	},
	(table) => [
		// With `retired_at` as its second column it finds the live addresses of an owner, in their order, without passing by the retired ones.
		index("addresses_live_by_owner").on(table.ownerId, table.retiredItselfAt, table.createdAt, table.canonical),
		// What an owner has used for a trial in the sandbox is free for a live address, and the other way round.
		uniqueIndex("addresses_by_idempotency_key")
			.on(table.ownerId, table.idempotencyKey, sql`(${table.canonical} > 'ZZ')`)
			.where(sql`${table.idempotencyKey} is not null`),
		index("addresses_by_key_age").on(table.createdAt).where(sql`${table.idempotencyKey} is not null`),
		index("addresses_by_successor").on(table.successor).where(sql`${table.successor} is not null`),
		uniqueIndex("addresses_by_external_id")
			.on(table.ownerId, table.externalId, sql`(${table.canonical} > 'ZZ')`)
			.where(sql`${table.externalId} is not null`),
		index("addresses_by_retirement").on(table.retiredItselfAt).where(sql`${table.retiredItselfAt} is not null`),
	],
);

/**
 * Owners whose account is closed, or was: one row in each database that has addresses of theirs. All of them count as retired while it is
 * closed, so that closing and opening write as much for one address as for a million. A trigger writes the row in the database of accounts,
 * and the request and a job in the others (src/addresses/settle-actions.ts). It goes when the account is erased.
 */
export const closedOwners = sqliteTable(
	"closed_owners",
	{
		ownerId: text("owner_id").primaryKey(),
		/** Since when the account is closed; null once it is open again. */
		closedAt: integer("closed_at"),
		/** When it was closed or opened last. Its addresses count as changed then. */
		changedAt: integer("changed_at").notNull(),
		/** Whether the feed of changes tells this of each of its addresses, and otherwise of which address it was told last. */
		isTold: integer("is_told", { mode: "boolean" }).notNull().default(false),
		toldCreatedAt: integer("told_created_at").notNull().default(0),
		toldCanonical: text("told_canonical").notNull().default(""),
	},
	(table) => [
		index("closed_owners_closed").on(table.ownerId).where(sql`${table.closedAt} is not null`),
		index("closed_owners_untold").on(table.changedAt).where(sql`${table.isTold} = 0`),
	],
);

/**
 * What an address said before a change, so that its owner can read its history. The batch that changes a text or the point writes
 * these rows. They are only ever added, and go with their address when it is erased.
 */
export const addressChanges = sqliteTable(
	"address_changes",
	{
		id: integer("id").primaryKey(),
		canonical: text("canonical").notNull(),
		changedAt: integer("changed_at").notNull(),
		/** What changed: the point, the entrance, or the text of this name; or that a link to it was made. */
		change: text("change", { enum: ["label", "directions", "point", "entrance", "shared"] }).notNull(),
		/** The text before, the entrance as JSON, or when the link expires. The column is as old as the first text. */
		text: text("label"),
		/** The point before in degrees, when the point changed. */
		lat: real("lat"),
		lng: real("lng"),
	},
	(table) => [index("address_changes_by_address").on(table.canonical, table.changedAt)],
);

/** Zone numbers opened because a zone was full: another number for the same area. */
export const overflowZones = sqliteTable(
	"overflow_zones",
	{
		country: text("country").notNull(),
		/** The number taken, 0 to 9999. */
		zone: integer("zone").notNull(),
		/** The number that the index publishes for the area. */
		area: integer("area").notNull(),
		/** 1 for the area's first overflow, then 2, and so on. */
		ordinal: integer("ordinal").notNull(),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		primaryKey({ columns: [table.country, table.zone] }),
		uniqueIndex("overflow_zones_by_area").on(table.country, table.area, table.ordinal),
	],
);

/**
 * The free codes of zones that are nearly full, written down when a zone first missed a draw of random candidates. A trigger
 * (migration 0001) takes a code out as an address is minted under it, so the list stays as short as what is left.
 */
export const lastCodes = sqliteTable("last_codes", {
	canonical: text("canonical").primaryKey(),
});

/**
 * Addresses whose newest version is not in the journal yet (src/addresses/journal.ts). Triggers write these rows whenever an address is
 * inserted or its version is raised, so that no path to a change can forget it.
 */
export const journalQueue = sqliteTable("journal_queue", {
	canonical: text("canonical").primaryKey(),
	version: integer("version").notNull(),
	/** Since when its newest version has been queued; null if that was not recorded. */
	queuedAt: integer("queued_at"),
	/** The version of an entry in the bucket that this row does not follow, as after a rollback; null while there is none. */
	newerEntry: integer("newer_entry"),
});

/**
 * Accounts of which a phone, a password, a suspension, a closing or the revocation or scopes of a key is not in the journal yet. Triggers
 * write these rows, so that no path to a change can forget it.
 */
export const accountQueue = sqliteTable("account_journal_queue", {
	userId: text("user_id").primaryKey(),
	/** When it changed last, in milliseconds: later states have greater numbers. */
	version: integer("version").notNull(),
	/** The version of a newer entry in the bucket, as after a rollback; null while there is none. */
	newerEntry: integer("newer_entry"),
});

/** Codes and accounts whose entry was written since the hourly job last added them to the record of the journal. */
export const journalWritten = sqliteTable("journal_written", {
	id: text("id").primaryKey(),
	version: integer("version").notNull(),
});

/**
 * The random id of this registry, `reg_` and 32 hexadecimal digits: its bucket and its backups have the same. One row, which also has the
 * last checkpoint that this database shares with the bucket (src/journal/checkpoint.ts).
 */
export const registryIdentity = sqliteTable("registry_identity", {
	id: text("id").primaryKey(),
	/** The number of the checkpoint, and a random text that tells it from one of another history; null before the first. */
	checkpoint: integer("checkpoint"),
	checkpointMark: text("checkpoint_mark"),
	/** What the last run found where database and bucket do not belong together in time, and since when. */
	incident: text("incident", { enum: ["database_behind", "bucket_behind"] }),
	incidentSince: integer("incident_since"),
});

/** Accounts that have been erased, by their random ids alone, so that a restored backup does not bring them back. */
export const erasedAccounts = sqliteTable("erased_accounts", {
	userId: text("user_id").primaryKey(),
	erasedAt: integer("erased_at").notNull(),
});

/**
 * Codes that no address row holds any more and that must never be issued again: their address was erased after it was retired, or
 * was issued after the backup that the database was restored from. Rows are only ever added.
 */
export const burntCodes = sqliteTable(
	"burnt_codes",
	{
		canonical: text("canonical").primaryKey(),
		/** Null when it is not known, as after a restore. */
		retiredAt: integer("retired_at"),
		/** The code of the address that its owner named as its successor, until either owner's account is erased. */
		successor: text("successor"),
	},
	(table) => [index("burnt_codes_by_successor").on(table.successor).where(sql`${table.successor} is not null`)],
);

/** Every verification event of an address: who was there, when, and what they attest. Rows are only ever added. */
export const attestations = sqliteTable(
	"attestations",
	{
		id: text("id").primaryKey(),
		canonical: text("canonical").notNull(),
		agentId: text("agent_id").notNull(),
		/** 1 to 3. */
		level: integer("level").notNull(),
		note: text("note").notNull(),
		/** What the agent attested: the label and the point of the address at that time. Null in rows older than this column. */
		label: text("label"),
		directions: text("directions"),
		entrance: text("entrance", { mode: "json" }).$type<Point | null>(),
		lat: real("lat"),
		lng: real("lng"),
		/** Where the agent stood, in degrees, and how accurate that was, in metres. Null in rows older than this column. */
		position: text("position", { mode: "json" }).$type<(Point & { accuracy: number }) | null>(),
		/** How far that was from the pin, in metres. */
		distance: real("distance"),
		createdAt: integer("created_at").notNull(),
	},
	(table) => [
		index("attestations_by_address").on(table.canonical, table.createdAt),
		index("attestations_by_agent").on(table.agentId, table.createdAt),
	],
);

/** What agents read of private addresses in order to attest them. Rows are only ever added, and go with their address. */
export const privateReads = sqliteTable(
	"private_reads",
	{
		id: integer("id").primaryKey(),
		canonical: text("canonical").notNull(),
		agentId: text("agent_id").notNull(),
		readAt: integer("read_at").notNull(),
	},
	(table) => [
		index("private_reads_by_address").on(table.canonical, table.readAt),
		index("private_reads_by_agent").on(table.agentId, table.readAt),
	],
);

/**
 * A number that an agent attested for an account which has another one. It becomes the account's once its holder accepts it, signed in;
 * where another account has the number, that one is given notice first and may object.
 */
export const pendingPhones = sqliteTable(
	"pending_phones",
	{
		/** The account that is to get the number. */
		userId: text("user_id").primaryKey(),
		/** E.164. */
		phone: text("phone").notNull(),
		agentId: text("agent_id").notNull(),
		attestedAt: integer("attested_at").notNull(),
		/** When the holder accepted it; null while they have not. */
		acceptedAt: integer("accepted_at"),
		/** When the account that has the number objected. */
		objectedAt: integer("objected_at"),
	},
	(table) => [index("pending_phones_by_phone").on(table.phone)],
);

/** What people without an account report about an address. Erased 90 days after it was written. */
export const reports = sqliteTable(
	"reports",
	{
		/** `rpt_` and random characters. Who has it reads the state of the report. */
		id: text("id").primaryKey(),
		canonical: text("canonical").notNull(),
		kind: text("kind", { enum: ["wrong_place", "gone", "no_access", "duplicate", "offensive", "other"] }).notNull(),
		text: text("text").notNull(),
		/** Where the address should be, in degrees, as the reporter says; null where they do not. */
		point: text("point", { mode: "json" }).$type<Point | null>(),
		createdAt: integer("created_at").notNull(),
		/** When an operator let the owner read the text. */
		textShownAt: integer("text_shown_at"),
		/** What the owner of the address answered. */
		answer: text("answer").notNull().default(""),
		answeredAt: integer("answered_at"),
		/** What an operator decided; null while the report is open. */
		decision: text("decision", { enum: ["nothing", "hide", "retire"] }),
		reason: text("reason").notNull().default(""),
		decidedAt: integer("decided_at"),
	},
	(table) => [
		index("reports_by_address").on(table.canonical, table.createdAt),
		index("reports_waiting").on(table.createdAt).where(sql`${table.decision} is null`),
		index("reports_by_time").on(table.createdAt),
	],
);

/** Units of an address, such as flats and shops. They have no codes of their own. */
export const units = sqliteTable(
	"units",
	{
		canonical: text("canonical").notNull(),
		/** As it is compared: NFKC, upper case, without spaces. */
		unit: text("unit").notNull(),
		label: text("label").notNull(),
		createdAt: integer("created_at").notNull(),
		/** As its owner wrote it; empty where that is the same. */
		name: text("name").notNull().default(""),
	},
	(table) => [primaryKey({ columns: [table.canonical, table.unit] })],
);

/**
 * What happened to addresses, in the order in which it was committed: the feed of changes reads it. Triggers write these rows whenever an
 * address is inserted, changed for its readers or deleted. A `reset` begins a new feed; there is always at least one row.
 */
export const changes = sqliteTable("changes", {
	seq: integer("seq").primaryKey({ autoIncrement: true }),
	canonical: text("canonical").notNull(),
	kind: text("kind", {
		enum: ["reset", "created", "changed", "moved", "verified", "hidden", "shown", "retired", "erased"],
	}).notNull(),
	at: integer("at").notNull(),
});

/** Limits that operators have set for an account. Null is the default limit. */
export const allowances = sqliteTable("allowances", {
	userId: text("user_id").primaryKey(),
	newAddressesPerDay: integer("new_addresses_per_day"),
	unknownCodesPerMinute: integer("unknown_codes_per_minute"),
});

/**
 * What operators did. Triggers let rows only be added: erasing a person empties the reasons of acts on them and leaves
 * a keyed hash of their id.
 */
export const operatorActs = sqliteTable(
	"operator_acts",
	{
		/** `act_` and random characters. */
		id: text("id").primaryKey(),
		at: integer("at").notNull(),
		/** The name that the identity provider gives. */
		operator: text("operator").notNull(),
		/** What was done, such as `suspend`. */
		act: text("act").notNull(),
		/** What was set, such as `agent`; empty if the act alone says it. */
		detail: text("detail").notNull(),
		/** The account, key, address or report that it was done to; empty where none was found. */
		subject: text("subject").notNull(),
		/** The account that it concerns; empty where there is none. */
		userId: text("user_id").notNull(),
		reason: text("reason").notNull(),
		requestId: text("request_id").notNull(),
	},
	(table) => [
		index("operator_acts_by_time").on(table.at, table.id),
		index("operator_acts_by_user").on(table.userId, table.at),
	],
);

/**
 * What 1.3.0 reserved in the database of accounts for a write in another. Nothing reads or writes it, and the clean-up empties it within a
 * week. The next baseline leaves it out.
 */
export const reservations = sqliteTable(
	"reservations",
	{
		userId: text("user_id").notNull(),
		name: text("name").notNull(),
		/** The prefix of the code to be minted, such as `NG0421`; empty for any other write. */
		prefix: text("prefix").notNull(),
		requestHash: text("request_hash"),
		at: integer("at").notNull(),
	},
	(table) => [primaryKey({ columns: [table.userId, table.name] }), index("reservations_by_time").on(table.at)],
);

/** Accounts that were closed or reopened, until the databases of their addresses have followed. A trigger writes them. */
export const unsettled = sqliteTable("unsettled", {
	userId: text("user_id").primaryKey(),
	at: integer("at").notNull(),
});

/**
 * Where the addresses of a country or of some of its zones live, by what their codes begin with, such as `NG` or `NG0`. Empty where there
 * is one database. Triggers refuse writes of what is not `here`; `npm run deploy` and `npm run registry -- move` write these rows.
 */
export const homes = sqliteTable("homes", {
	prefix: text("prefix").primaryKey(),
	/**
	 * `moving` and then `left` in the database that they leave, `arriving` and then `here` in the one that they come to; `filling` and then
	 * `here` where none was ever issued.
	 */
	state: text("state", { enum: ["here", "moving", "left", "arriving", "filling"] }).notNull(),
	/**
	 * Null until all of them have come, then 0; then since when a Worker that reads them here alone answers all requests; at last, in both
	 * databases, when the move ended.
	 */
	servedSince: integer("served_since"),
});
