/** What a request works with, opened once and handed down: no action, store or source ever reaches back up for it. */

import {
	type Database,
	openAddressesDatabase,
	openAllDatabases,
	openDatabase,
	openNearestAddressesDatabase,
	type ZoneOfCode,
} from "./db/open.ts";
import { type Bindings, type Config, readConfig } from "./env.ts";
import { createSecurityLog, type SecurityLog } from "./logs/security-log.ts";
import { networkOf } from "./platform/client-network.ts";
import { purgeTogether } from "./platform/purge.ts";
import type { ZoneLocator } from "./zones/locate.ts";
import { openZoneLocator } from "./zones/open-locator.ts";

/** A registry as one request, one scheduled run or one command works with it. Each part is opened when it is first used. */
export interface Registry {
	readonly settings: Config;
	/** What the runtime binds: for the few parts that read a bucket, a static asset or a rate limit themselves. */
	readonly bindings: Bindings;
	/** When the request came, in milliseconds since the epoch. */
	readonly now: number;
	/** Names the request in logs, in `X-Request-Id` and in a problem's `instance`. */
	readonly requestId: string;
	/** The public origin that links are built on, without a trailing slash. */
	readonly webUrl: string;
	/** The address that the client calls from, as CF-Connecting-IP tells it; undefined locally. */
	readonly clientAddress: string | undefined;
	/** What the client calls itself; undefined where it does not say. */
	readonly userAgent?: string | undefined;
	/** The network that limits count the client by; undefined locally. */
	readonly network: string | undefined;
	/** The database of accounts, as it is now. */
	readonly database: Database;
	/** The database that holds the addresses of a zone, as it is now. */
	databaseOf(zone: ZoneOfCode): Database;
	/** All databases that hold addresses, as they are now: that of accounts first, and mostly alone. */
	readonly databases: readonly Database[];
	/** The same for reads that may be behind: its nearest replica answers, where there are any. */
	nearestDatabaseOf(zone: ZoneOfCode): Database;
	readonly zones: ZoneLocator;
	/** Writes an event that concerns security to the log. */
	readonly log: SecurityLog;
	/** Lets work go on after the answer has been sent. */
	afterAnswer(work: Promise<unknown>): void;
	/** Drops what Workers Cache holds anywhere under these tags, shortly after the answer; does nothing where the runtime has none. */
	purgeTags(tags: string[]): void;
}

/** What only the caller of a registry knows: who asks, under what name, and what outlives the answer. */
export interface Circumstances
	extends Pick<Registry, "requestId" | "webUrl" | "clientAddress" | "userAgent" | "afterAnswer"> {
	now?: number;
	/** Workers Cache, where the runtime has it. */
	cache?: CacheContext | undefined;
}

/** Opens a registry. @throws ConfigError where a binding, secret or setting is missing or wrong. */
export function openRegistry(bindings: Bindings, circumstances: Circumstances): Registry {
	const { requestId, webUrl, clientAddress, userAgent, afterAnswer, cache, now = Date.now() } = circumstances;
	const settings = readConfig(bindings);
	const network = networkOf(clientAddress);
	return {
		settings,
		bindings,
		now,
		requestId,
		webUrl,
		clientAddress,
		userAgent,
		network,
		get database() {
			return openDatabase(bindings);
		},
		get databases() {
			return openAllDatabases(bindings);
		},
		databaseOf: (zone) => openAddressesDatabase(bindings, zone),
		nearestDatabaseOf: (zone) => openNearestAddressesDatabase(bindings, zone),
		get zones() {
			return openZoneLocator(bindings);
		},
		log: createSecurityLog(settings.signingSecrets[0].secret, requestId, network),
		afterAnswer,
		purgeTags(tags) {
			if (cache) afterAnswer(purgeTogether(cache, tags));
		},
	};
}
