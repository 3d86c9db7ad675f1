/** The calls of the registry, typed by its OpenAPI document. */
import type {
	Address,
	AddressChange,
	AddressFeature,
	AddressHistory,
	AddressList,
	BatchAnswer,
	CreatedKey,
	Credentials,
	Key,
	NewAddress,
	NewBatchAddress,
	NewBatchAnswer,
	NewKey,
	PublicAddress,
	SignedIn,
	TokenPair,
	Unit,
	UnitList,
	User,
	Zone,
} from "#api-types";
import { askedByLink } from "../codes/unit.ts";
import { RegistryError } from "./error.ts";
import { send } from "./send.ts";

/** What every call takes beside its own arguments. */
export interface CallOptions {
	signal?: AbortSignal;
}

export interface ClientOptions {
	/** The origin of the registry, such as `https://addr.example`. */
	registry: string;
	/** An API key, for systems: sent with every call but those that need no credential. Keep it out of web pages. */
	key?: string;
	/** The tokens of a signed-in person, as `register`, `logIn` or an earlier `onTokens` gave them. */
	tokens?: TokenPair;
	/** Is told the tokens whenever they change, for you to keep. A refresh token works once, so keep the newest. */
	onTokens?: (tokens: TokenPair) => void;
	/** What sends requests, in place of the platform's `fetch`. */
	fetch?: typeof fetch;
}

export type Client = ReturnType<typeof createClient>;

/** An access token with less left than this is refreshed before it is used, in milliseconds: its half hour is left to try in. */
const REFRESH_AHEAD = 5 * 60_000;

/** When an access token expires, in milliseconds since the epoch. */
function expiryOf(access: string): number {
	try {
		return JSON.parse(atob(access.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/"))).exp * 1000;
	} catch {
		return 0;
	}
}

/**
 * A client of a registry. It repeats what may be repeated: reads, changes, batches, and creations, which carry an Idempotency-Key that it
 * makes where you give none. A person's tokens are refreshed in time, once for all calls that wait, and never with a refresh token whose
 * answer was lost.
 */
export function createClient({ registry, key, tokens, onTokens, fetch }: ClientOptions) {
	if (!/^https?:\/\/./.test(registry))
		throw new TypeError(`registry: "${registry}" is no origin, such as https://addr.example`);
	const origin = new URL(registry).origin;
	let current = tokens;
	let refreshing: Promise<void> | undefined;

	const keep = <Tokens extends TokenPair>(fresh: Tokens): Tokens => {
		current = { access: fresh.access, refresh: fresh.refresh };
		onTokens?.(current);
		return fresh;
	};

	interface Outgoing extends CallOptions {
		body?: unknown;
		headers?: Record<string, string>;
		/** Whether the credential is sent; otherwise the call is anyone's. */
		isOwn?: boolean;
		isRepeatable?: boolean;
	}

	const sendOnce = (method: string, path: string, { body, headers, isOwn, isRepeatable, signal }: Outgoing) =>
		send(
			() =>
				new Request(`${origin}/v1/${path}`, {
					method,
					headers: {
						...(body ? { "Content-Type": "application/json" } : {}),
						...(isOwn && key ? { Authorization: `Api-Key ${key}` } : {}),
						...(isOwn && !key && current ? { Authorization: `Bearer ${current.access}` } : {}),
						...headers,
					},
					body: body ? JSON.stringify(body) : null,
				}),
			{ fetch, signal, isRepeatable: isRepeatable ?? method !== "POST" },
		);

	/** Trades the refresh token, which is given up before it is sent: sent a second time, it would end the session. */
	const refresh = () => {
		refreshing ??= (async () => {
			const { access, refresh } = current!;
			current = { access, refresh: "" };
			keep((await sendOnce("POST", "auth/token/refresh", { body: { refresh } })) as TokenPair);
		})().finally(() => {
			refreshing = undefined;
		});
		return refreshing;
	};

	/** Sends a call with the credential, whose access token is refreshed before it expires, or when the registry no longer takes it. */
	const sendOwn = async (method: string, path: string, outgoing: Outgoing) => {
		if (current?.refresh && expiryOf(current.access) - Date.now() < REFRESH_AHEAD) refresh();
		// Where a refresh fails, the access token may be good for some minutes more, and the call itself tells when it is not.
		await refreshing?.catch(() => {});
		const access = current?.access;
		try {
			return await sendOnce(method, path, outgoing);
		} catch (error) {
			if (!(error instanceof RegistryError) || error.code !== "INVALID_TOKEN" || !current) throw error;
			if (access === current.access) {
				if (!refreshing && !current.refresh) throw error;
				await refresh();
			}
			return sendOnce(method, path, outgoing);
		}
	};

	const call = <Answer>(method: string, path: string, outgoing: Outgoing = {}): Promise<Answer> =>
		(outgoing.isOwn && !key ? sendOwn : sendOnce)(method, path, outgoing) as Promise<Answer>;

	const own = { isOwn: true };
	const at = (code: string) => `addresses/${encodeURIComponent(code)}`;
	const unitAt = (code: string, unit: string) => `${at(code)}/units/${encodeURIComponent(unit)}`;
	/**
	 * Where anyone reads the address of a code, or of a link to a private one, whose token goes into the query: what logs requests by their
	 * path must not hold it.
	 */
	const publicAt = (codeOrLink: string, rest = "") => {
		const share = askedByLink(codeOrLink)?.get("share");
		return share
			? `public/${at(codeOrLink.replace(/[?#].*/s, ""))}${rest}?${query({ share })}`
			: `public/${at(codeOrLink)}${rest}`;
	};
	const query = (parts: object) =>
		new URLSearchParams(Object.entries(parts).flatMap(([name, part]) => (part == null ? [] : [[name, `${part}`]])));

	return {
		/**
		 * The address of a code in any spelling, as anyone may see it, or of a link to a private one. Sends no credential, and counts for your
		 * network: see `get`.
		 */
		resolve: (codeOrLink: string, options?: CallOptions) => call<PublicAddress>("GET", publicAt(codeOrLink), options),

		/** The address of a code as a GeoJSON Feature. Needs no credential. */
		resolveAsGeoJson: (codeOrLink: string, options?: CallOptions) =>
			call<AddressFeature>("GET", publicAt(codeOrLink, ".geojson"), options),

		/**
		 * Up to 100 codes at once, each with its address or its problem. With `updatedSince`, an address that has not changed since then is only
		 * called `unchanged`.
		 */
		resolveMany: (codes: string[], { updatedSince, ...options }: CallOptions & { updatedSince?: Date } = {}) =>
			call<BatchAnswer>("POST", "public/addresses/batch", {
				...own,
				...options,
				body: { codes, ...(updatedSince ? { updated_since: updatedSince.toISOString() } : {}) },
				isRepeatable: true,
			}),

		/** The zone of a point in degrees, WGS 84. Needs no credential. */
		zoneAt: (point: { lat: number; lng: number }, options?: CallOptions) =>
			call<Zone>("GET", `public/zones?${query(point)}`, options),

		/**
		 * A new address. Give an `idempotencyKey` that you keep, such as the id of your own record, if your program may end before the
		 * answer.
		 */
		create: (
			address: NewAddress,
			{ idempotencyKey = crypto.randomUUID(), ...options }: CallOptions & { idempotencyKey?: string } = {},
		) =>
			call<Address>("POST", "addresses", {
				...own,
				...options,
				body: address,
				headers: { "Idempotency-Key": idempotencyKey },
				isRepeatable: true,
			}),

		/** New addresses for up to 100 items, each under an external id of your own, so that you can send them again at any time. */
		createMany: (items: NewBatchAddress[], { dryRun, ...options }: CallOptions & { dryRun?: boolean } = {}) =>
			call<NewBatchAnswer>("POST", "addresses/batch", {
				...own,
				...options,
				body: { items, ...(dryRun ? { dry_run: true } : {}) },
				isRepeatable: true,
			}),

		/** The record of an address as it is now, for your key or account, whose private addresses it shows too. Takes any spelling. */
		get: (code: string, options?: CallOptions) => call<Address>("GET", at(code), { ...own, ...options }),

		/** A page of your own addresses, newest first. */
		list: ({
			limit,
			cursor,
			externalId,
			...options
		}: CallOptions & { limit?: number; cursor?: string | null; externalId?: string } = {}) =>
			call<AddressList>("GET", `addresses?${query({ limit, cursor, external_id: externalId })}`, {
				...own,
				...options,
			}),

		/** Changes an address of yours. */
		change: (code: string, change: AddressChange, options?: CallOptions) =>
			call<Address>("PATCH", at(code), { ...own, ...options, body: change }),

		/** Retires an address of yours for good, and names the one to use instead. */
		retire: (code: string, { successor, ...options }: CallOptions & { successor?: string } = {}) =>
			call<void>("DELETE", at(code), { ...own, ...options, body: { ...(successor ? { successor } : {}) } }),

		/** What happened to an address of yours, oldest first. */
		history: (code: string, options?: CallOptions) =>
			call<AddressHistory>("GET", `${at(code)}/history`, { ...own, ...options }),

		/** The units of an address: flats, shops and offices. Takes a code or a link to a private address, and needs no credential. */
		listUnits: (codeOrLink: string, options?: CallOptions) =>
			call<UnitList>("GET", publicAt(codeOrLink, "/units"), options),

		/** The units of an address of yours as they are now, also of a private one. */
		listOwnUnits: (code: string, options?: CallOptions) =>
			call<UnitList>("GET", `${at(code)}/units`, { ...own, ...options }),

		/** Names a unit of an address of yours, such as `3B`, or changes its label. */
		putUnit: (code: string, unit: string, { label = "", ...options }: CallOptions & { label?: string } = {}) =>
			call<Unit>("PUT", unitAt(code, unit), { ...own, ...options, body: { label } }),

		/** Removes a unit of an address of yours. */
		removeUnit: (code: string, unit: string, options?: CallOptions) =>
			call<void>("DELETE", unitAt(code, unit), { ...own, ...options }),

		/** Registers a person and signs them in. */
		register: async (credentials: Credentials, options?: CallOptions) =>
			keep(await call<SignedIn>("POST", "auth/register", { ...options, body: credentials })),

		/** Signs a person in. */
		logIn: async (credentials: Credentials, options?: CallOptions) =>
			keep(await call<SignedIn>("POST", "auth/login", { ...options, body: credentials })),

		/** The person who is signed in. */
		me: (options?: CallOptions) => call<User>("GET", "auth/me", { ...own, ...options }),

		/** The API keys of the person who is signed in. */
		listKeys: (options?: CallOptions) => call<Key[]>("GET", "keys", { ...own, ...options }),

		/** A new API key; this answer alone holds the whole of it. */
		createKey: (newKey: NewKey, options?: CallOptions) =>
			call<CreatedKey>("POST", "keys", { ...own, ...options, body: newKey }),

		/** Revokes an API key. */
		revokeKey: (id: string, options?: CallOptions) =>
			call<void>("DELETE", `keys/${encodeURIComponent(id)}`, { ...own, ...options }),
	};
}
