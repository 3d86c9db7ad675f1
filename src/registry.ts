/** What a request works with, opened once and passed down: no action, store or source ever reaches back up for it. */

import type { ZoneOfCode } from "./db/database-of-code.ts";
import {
	type Database,
	openAddressesDatabase,
	openAllDatabases,
	openDatabase,
	openNearestAddressesDatabase,
} from "./db/open.ts";
import { type Bindings, type Config, readConfig } from "./env.ts";
import { createSecurityLog, type SecurityLog } from "./logs/security-log.ts";
import { networkOf } from "./platform/client-network.ts";
import { purgeTogether } from "./platform/purge.ts";
import type { ZoneLocator } from "./zones/locate.ts";
import { openZoneLocator } from "./zones/open-locator.ts";

/** The registry that one request, scheduled run or command works with. Each part is opened when first used. */
export interface Registry {
	readonly settings: Config;
	/** The bindings of the runtime, for the few parts that read a bucket, a static asset or a rate limit themselves. */
	readonly bindings: Bindings;
	/** When the request arrived, in milliseconds since the epoch. */
	readonly now: number;
	/** The id of the request in logs, in `X-Request-Id` and in a problem's `instance`. */
	readonly requestId: string;
	/** The public origin that links are built on, without a trailing slash. */
	readonly webUrl: string;
	/** The client's IP address, from CF-Connecting-IP; undefined locally. */
	readonly clientAddress: string | undefined;
	/** The client's User-Agent; undefined if it sends none. */
	readonly userAgent?: string | undefined;
	/** The network under which limits count the client; undefined locally. */
	readonly network: string | undefined;
	/** The database of accounts: its primary, which is never behind. */
	readonly database: Database;
	/** The database that holds the addresses of a zone: its primary. */
	databaseOf(zone: ZoneOfCode): Database;
	/** All databases that hold addresses, as primaries: that of accounts first, and often no other. */
	readonly databases: readonly Database[];
	/** The same database for reads that may be slightly behind: its nearest replica answers, if there are any. */
	nearestDatabaseOf(zone: ZoneOfCode): Database;
	readonly zones: ZoneLocator;
	/** Writes security events to the log. */
	readonly log: SecurityLog;
	/** The accounts that the request has closed or opened. Before the answer, their addresses in other databases follow (src/app.ts). */
	readonly closedOrOpened: Set<string>;
	/** Lets work continue after the answer has been sent. */
	afterAnswer(work: Promise<unknown>): void;
	/** Purges everything that Workers Cache holds under these tags in any data centre, shortly after the answer; does nothing without it. */
	purgeTags(tags: string[]): void;
}

/** What only the opener of a registry knows: who is asking, how the request is named, and what may outlive the answer. */
export interface Circumstances
	extends Pick<Registry, "requestId" | "webUrl" | "clientAddress" | "userAgent" | "afterAnswer"> {
	now?: number;
	/** Workers Cache, if the runtime has it. */
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
		closedOrOpened: new Set(),
		afterAnswer,
		purgeTags(tags) {
			if (cache) afterAnswer(purgeTogether(cache, tags));
		},
	};
}
