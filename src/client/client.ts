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
	Share,
	SignedIn,
	TokenPair,
	Unit,
	UnitList,
	User,
	Zone,
} from "#api-types";
import { askedByLink } from "../codes/unit.ts";
import { parseCode } from "./codes.ts";
import { RegistryError } from "./error.ts";
import { send } from "./send.ts";

/** Options that every call takes. */
export interface CallOptions {
	signal?: AbortSignal;
}

/** Options of every call that changes an address. */
export interface ChangeOptions extends CallOptions {
	/** The ETag of what you have read (`etagOf`). If the address has changed since, the call fails with `PRECONDITION_FAILED`. */
	ifMatch?: string;
}

export interface ClientOptions {
	/** The origin of the registry, such as `https://addr.example`. */
	registry: string;
	/** An API key, for systems: sent with every call but those that need no credential. Keep it out of web pages. */
	key?: string;
	/** The tokens of a signed-in person, as `register` and `logIn` returned them or `onTokens` received them. */
	tokens?: TokenPair;
	/** Called with the tokens whenever they change, for you to store. A refresh token works once, so store the newest. */
	onTokens?: (tokens: TokenPair) => void;
	/** Sends requests in place of the platform's `fetch`. */
	fetch?: typeof fetch;
}

const tags = new WeakMap<object, string>();

/**
 * Returns the ETag of an answer of this client, which `ifMatch` takes.
 * @throws TypeError for anything else, such as an item of a list, so that a change never goes out without the condition that you meant.
 */
export function etagOf(answer: object): string {
	const tag = tags.get(answer);
	if (!tag) throw new TypeError("This answer has no ETag. Get the address by itself.");
	return tag;
}

export type Client = ReturnType<typeof createClient>;

/** An access token lasts half an hour, and is refreshed before use when less time than this is left, in milliseconds. */
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
 * Creates a client of a registry. It retries what is safe to repeat: reads, changes, batches and creations. A creation carries an
 * Idempotency-Key, which the client makes unless you give one. The client refreshes a person's tokens in time, once for all waiting calls,
 * and never reuses a refresh token whose answer was lost.
 * @throws TypeError if `registry` is not an http or https URL.
 * @example
 * ```ts
 * const client = createClient({ registry: "https://addr.example" });
 * const { lat, lng } = await client.resolve("NG-1377-48215");
 * ```
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
		/** Whether the credential is sent; otherwise the call is anonymous. */
		isOwn?: boolean;
		isRepeatable?: boolean;
	}

	const sendOnce = async (method: string, path: string, outgoing: Outgoing) => {
		const { body, headers, isOwn, isRepeatable, signal } = outgoing;
		let tag: string | null | undefined;
		const fetchTagged: typeof fetch = async (input, init) => {
			const answer = await (fetch ?? globalThis.fetch)(input, init);
			tag = answer.headers.get("ETag");
			return answer;
		};
		const answer = await send(
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
			{ fetch: fetchTagged, signal, isRepeatable: isRepeatable ?? method !== "POST" },
		);
		if (answer && tag) tags.set(answer, tag);
		return answer;
	};

	/** Exchanges the refresh token for new tokens. It is dropped before it is sent, because sending it twice would end the session. */
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

	/** Sends a call with the credential. The access token is refreshed before it expires, or when the registry no longer accepts it. */
	const sendOwn = async (method: string, path: string, outgoing: Outgoing) => {
		if (current?.refresh && expiryOf(current.access) - Date.now() < REFRESH_AHEAD) refresh();
		// If a refresh fails, the access token may still be good for some minutes, and the call itself tells when it is not.
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
	/** The options of a change as they are sent. */
	const held = ({ ifMatch, ...options }: ChangeOptions = {}) => ({
		...own,
		...options,
		headers: ifMatch === undefined ? {} : { "If-Match": ifMatch },
	});
	const at = (code: string) => `addresses/${encodeURIComponent(code)}`;
	const unitAt = (code: string, unit: string) => `${at(code)}/units/${encodeURIComponent(unit)}`;
	/**
	 * The public path of the address of a code, or of a link to a private address. The link's token goes into the query, because logs of
	 * request paths must not contain it.
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
		 * Returns the address of a code in any spelling, as anyone may see it, or of a link to a private one. Sends no credential, so the call
		 * counts for your network; see `get`.
		 */
		resolve: (codeOrLink: string, options?: CallOptions) => call<PublicAddress>("GET", publicAt(codeOrLink), options),

		/** Returns the address of a code as a GeoJSON Feature. Needs no credential. */
		resolveAsGeoJson: (codeOrLink: string, options?: CallOptions) =>
			call<AddressFeature>("GET", publicAt(codeOrLink, ".geojson"), options),

		/**
		 * Resolves up to 100 codes at once, each to its address or its problem. With `updatedSince`, an address that has not changed since then
		 * is only reported as `unchanged`.
		 */
		resolveMany: (codes: string[], { updatedSince, ...options }: CallOptions & { updatedSince?: Date } = {}) =>
			call<BatchAnswer>("POST", "public/addresses/batch", {
				...own,
				...options,
				body: { codes, ...(updatedSince ? { updated_since: updatedSince.toISOString() } : {}) },
				isRepeatable: true,
			}),

		/** Returns the zone of a point in degrees, WGS 84. Needs no credential. */
		zoneAt: (point: { lat: number; lng: number }, options?: CallOptions) =>
			call<Zone>("GET", `public/zones?${query(point)}`, options),

		/**
		 * Creates an address. If your program may end before the answer, give an `idempotencyKey` that you store, such as the id of your own
		 * record.
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

		/** Creates addresses for up to 100 items, each under an external id of your own, so that you can send them again at any time. */
		createMany: (items: NewBatchAddress[], { dryRun, ...options }: CallOptions & { dryRun?: boolean } = {}) =>
			call<NewBatchAnswer>("POST", "addresses/batch", {
				...own,
				...options,
				body: { items, ...(dryRun ? { dry_run: true } : {}) },
				isRepeatable: true,
			}),

		/**
		 * Returns the record of an address as it is now. The call counts for your key or account, and shows its private addresses too. Takes any
		 * spelling.
		 */
		get: (code: string, options?: CallOptions) => call<Address>("GET", at(code), { ...own, ...options }),

		/** Returns a page of your own addresses, newest first. */
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

		/**
		 * The link to the page of an address, for an order's e-mail or a courier: `https://addr.example/a/NG137748215`. It asks nothing.
		 * @throws TypeError for a text in which there is no code whose check digit fits.
		 */
		addressUrl: (code: string) => {
			const { canonical } = parseCode(code);
			if (!canonical) throw new TypeError(`"${code}" is no address code`);
			return `${origin}/a/${canonical}`;
		},

		/** Changes an address of yours. */
		change: (code: string, change: AddressChange, options?: ChangeOptions) =>
			call<Address>("PATCH", at(code), { ...held(options), body: change }),

		/** Retires an address of yours for good. `successor` is the code to use instead. */
		retire: (code: string, { successor, ...options }: ChangeOptions & { successor?: string } = {}) =>
			// In the query for proxies that drop the body of a DELETE, in the body for registries before 1.4.0.
			call<void>("DELETE", successor ? `${at(code)}?${query({ successor })}` : at(code), {
				...held(options),
				...(successor ? { body: { successor } } : {}),
			}),

		/** Makes a link to an address of yours, which shows it for some days although it is private. */
		share: (code: string, { days, ...options }: ChangeOptions & { days?: number } = {}) =>
			call<Share>("POST", `${at(code)}/share`, { ...held(options), body: { ...(days ? { days } : {}) } }),

		/** Ends all links to an address of yours. With `ifMatch` it is sent once only, because it changes the ETag itself. */
		endShares: (code: string, options: ChangeOptions = {}) =>
			call<void>("DELETE", `${at(code)}/share`, { ...held(options), isRepeatable: options.ifMatch === undefined }),

		/** Returns what happened to an address of yours, oldest first. */
		history: (code: string, options?: CallOptions) =>
			call<AddressHistory>("GET", `${at(code)}/history`, { ...own, ...options }),

		/** Returns the units of an address: flats, shops and offices. Takes a code or a link to a private address, and needs no credential. */
		listUnits: (codeOrLink: string, options?: CallOptions) =>
			call<UnitList>("GET", publicAt(codeOrLink, "/units"), options),

		/** Returns the units of an address of yours as they are now, even if the address is private. */
		listOwnUnits: (code: string, options?: CallOptions) =>
			call<UnitList>("GET", `${at(code)}/units`, { ...own, ...options }),

		/** Names a unit of an address of yours, such as `3B`, or changes its label. */
		putUnit: (code: string, unit: string, { label = "", ...options }: ChangeOptions & { label?: string } = {}) =>
			call<Unit>("PUT", unitAt(code, unit), { ...held(options), body: { label } }),

		/** Removes a unit of an address of yours. */
		removeUnit: (code: string, unit: string, options?: ChangeOptions) =>
			call<void>("DELETE", unitAt(code, unit), held(options)),

		/** Registers a person and signs them in. */
		register: async (credentials: Credentials, options?: CallOptions) =>
			keep(await call<SignedIn>("POST", "auth/register", { ...options, body: credentials })),

		/** Signs a person in. */
		logIn: async (credentials: Credentials, options?: CallOptions) =>
			keep(await call<SignedIn>("POST", "auth/login", { ...options, body: credentials })),

		/** Returns the person who is signed in. */
		me: (options?: CallOptions) => call<User>("GET", "auth/me", { ...own, ...options }),

		/** Returns the API keys of the person who is signed in. */
		listKeys: (options?: CallOptions) => call<Key[]>("GET", "keys", { ...own, ...options }),

		/** Creates an API key. Only this answer contains the whole key. */
		createKey: (newKey: NewKey, options?: CallOptions) =>
			call<CreatedKey>("POST", "keys", { ...own, ...options, body: newKey }),

		/** Revokes an API key. */
		revokeKey: (id: string, options?: CallOptions) =>
			call<void>("DELETE", `keys/${encodeURIComponent(id)}`, { ...own, ...options }),
	};
}
