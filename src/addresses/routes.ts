import { type Context, Hono } from "hono";
import { accepts } from "hono/accepts";
import type * as z from "zod";
import { type Database, openAddressesDatabase, openAllAddressesDatabases } from "../db/open.ts";
import type { Bindings } from "../env.ts";
import { AppError } from "../errors.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { requireAgent, requireUser, requireUserOrKey } from "../http/authentication.ts";
import { conditional } from "../http/conditional.ts";
import { answerPublicly, forgetAddress, rememberedAddress } from "../http/edge-cache.ts";
import { problemBody } from "../http/problem.ts";
import { countMisses, newAddressQuota, spendLookup } from "../http/rate-limit.ts";
import { BATCH_BODY_BYTES_MAX, jsonBody, validate } from "../http/validation.ts";
import { rateLimitHeaders } from "../limits/policy.ts";
import { openZoneLocator } from "../zones/open.ts";
import { attestAddress } from "./attest.ts";
import { type AddressCode, displayCode, normalizeCode, parseCode } from "./code.ts";
import { parseCursor, writeCursor } from "./cursor.ts";
import { labelSvg } from "./label.ts";
import { listAddresses, relabelAddress, retireAddress } from "./manage.ts";
import { mintAddress } from "./mint.ts";
import { qrSvg } from "./qr.ts";
import { addressRecord, attestationRecord, geoJsonFeature, type PublicAddress, publicRecord, qrUrl } from "./record.ts";
import { findAddress, resolveAddresses, type StoreOf } from "./resolve.ts";
import {
	addressChangeSchema,
	type batchAnswerSchema,
	batchSchema,
	idempotencyHeaderSchema,
	listQuerySchema,
	newAddressSchema,
	newAttestationSchema,
	resolveQuerySchema,
} from "./schemas.ts";
import { type Address, type AddressStore, createAddressStore } from "./store.ts";

function addressStores(env: Bindings): StoreOf {
	const stores = new Map<Database, AddressStore>();
	return (country) => {
		const database = openAddressesDatabase(env, country);
		const store = stores.get(database) ?? createAddressStore(database);
		stores.set(database, store);
		return store;
	};
}

function allAddressStores(env: Bindings): AddressStore[] {
	return openAllAddressesDatabases(env).map(createAddressStore);
}

function codeParameter(c: Context<AppEnv>): string {
	return c.req.param("code") ?? "";
}

function isMiss(outcome: unknown): boolean {
	return outcome instanceof AppError && outcome.code === "ADDRESS_NOT_FOUND";
}

/** Asks the database about a code, within the look-ups that the client's network has, for each of them tells whether the code exists. */
async function withinLookups<Result>(
	c: Context<AppEnv>,
	{ canonical }: AddressCode,
	ask: () => Promise<Result>,
): Promise<Result> {
	await spendLookup(c);
	try {
		return await ask();
	} catch (error) {
		if (isMiss(error)) await countMisses(c, canonical);
		throw error;
	}
}

/** The live address of a code. */
function lookUp(c: Context<AppEnv>, code: AddressCode): Promise<Address> {
	return withinLookups(c, code, () => findAddress(addressStores(c.env), code));
}

/** The public part of the address in the path, for anyone: from the edge's memory where it is fresh. */
export function publicAddress(c: Context<AppEnv>): Promise<PublicAddress> {
	const code = parseCode(codeParameter(c));
	return rememberedAddress(c, code.canonical, () => lookUp(c, code));
}

/** Mounted at /v1/addresses. */
export const addressRoutes = new Hono<AppEnv>()
	.post("/", requireUser, validate("header", idempotencyHeaderSchema), ...jsonBody(newAddressSchema), async (c) => {
		const now = Date.now();
		const quota = newAddressQuota(c, now);
		const address = await mintAddress(
			{
				storeOf: addressStores(c.env),
				stores: allAddressStores(c.env),
				locator: openZoneLocator(c.env.ZONES),
				quota,
				now,
			},
			{
				...c.req.valid("json"),
				ownerId: c.var.caller.userId,
				idempotencyKey: c.req.valid("header")["idempotency-key"],
			},
		);
		const left = quota.state();
		if (left) for (const [name, value] of Object.entries(rateLimitHeaders(left, now))) c.header(name, value);
		// Where somebody asked for this code a moment ago, it is remembered that nothing is there.
		await forgetAddress(c, address.canonical);
		c.header("Location", `${webUrl(c)}/v1/addresses/${address.canonical}`);
		return c.json(addressRecord(address, c.var.caller.userId, webUrl(c)), 201);
	})
	.get("/", requireUser, validate("query", listQuerySchema), async (c) => {
		const { userId } = c.var.caller;
		const { limit, cursor } = c.req.valid("query");
		const page = await listAddresses(
			allAddressStores(c.env),
			userId,
			limit,
			cursor === undefined ? undefined : parseCursor(cursor),
		);
		return c.json({
			data: page.addresses.map((address) => addressRecord(address, userId, webUrl(c))),
			next_cursor: page.next ? writeCursor(page.next) : null,
		});
	})
	.get("/:code", requireUserOrKey, async (c) => {
		const address = await lookUp(c, parseCode(codeParameter(c)));
		return c.json(addressRecord(address, c.var.caller.userId, webUrl(c)));
	})
	.patch("/:code", requireUser, ...jsonBody(addressChangeSchema), async (c) => {
		const { userId } = c.var.caller;
		const { label } = c.req.valid("json");
		const code = parseCode(codeParameter(c));
		const address = await withinLookups(c, code, () => relabelAddress(addressStores(c.env), code, userId, label));
		await forgetAddress(c, address.canonical);
		return c.json(addressRecord(address, userId, webUrl(c)));
	})
	.delete("/:code", requireUser, async (c) => {
		const { userId } = c.var.caller;
		const code = parseCode(codeParameter(c));
		await withinLookups(c, code, () => retireAddress(addressStores(c.env), code, userId, Date.now()));
		await forgetAddress(c, code.canonical);
		return c.body(null, 204);
	})
	.post("/:code/attestations", requireUser, requireAgent, ...jsonBody(newAttestationSchema), async (c) => {
		const { level, note } = c.req.valid("json");
		const code = parseCode(codeParameter(c));
		const request = { code, agentId: c.var.caller.userId, level, note };
		const { attestation, address } = await withinLookups(c, code, () =>
			attestAddress(addressStores(c.env), request, Date.now()),
		);
		await forgetAddress(c, address.canonical);
		return c.json(attestationRecord(attestation, address), 201);
	})
	.get("/:code/qr.svg", conditional, async (c) => {
		const address = await publicAddress(c);
		const display = displayCode(address.canonical);
		return answerPublicly(c, address, {
			body: qrSvg(qrUrl(address.canonical, webUrl(c)), display),
			contentType: "image/svg+xml; charset=utf-8",
			format: "qr",
			headers: { "Content-Disposition": `inline; filename="${display}.svg"` },
		});
	})
	.get("/:code/label.svg", conditional, async (c) => {
		const address = await publicAddress(c);
		const { canonical, zoneName, label } = address;
		return answerPublicly(c, address, {
			body: labelSvg(qrUrl(canonical, webUrl(c)), canonical, zoneName, label),
			contentType: "image/svg+xml; charset=utf-8",
			format: "label",
			headers: { "Content-Disposition": `inline; filename="${displayCode(canonical)}-label.svg"` },
		});
	});

/** Mounted at /v1/public/addresses. */
export const publicAddressRoutes = new Hono<AppEnv>()
	.get("/:code", conditional, validate("query", resolveQuerySchema), async (c) => {
		const address = await publicAddress(c);
		const wanted = accepts(c, {
			header: "Accept",
			supports: ["application/json", "application/geo+json"],
			default: "application/json",
		});
		const format = c.req.valid("query").format ?? (wanted === "application/geo+json" ? "geojson" : "json");
		const [record, contentType] =
			format === "geojson"
				? [geoJsonFeature(address), "application/geo+json"]
				: [publicRecord(address), "application/json"];
		return answerPublicly(c, address, {
			body: JSON.stringify(record),
			contentType,
			format,
			headers: { Vary: "Accept" },
		});
	})
	.post("/batch", ...jsonBody(batchSchema, BATCH_BODY_BYTES_MAX), async (c) => {
		const { codes } = c.req.valid("json");
		await spendLookup(c, "BATCHES");
		const resolved = await resolveAddresses(addressStores(c.env), codes);
		const missed = codes.filter((_, index) => isMiss(resolved[index]));
		if (missed[0] !== undefined) await countMisses(c, normalizeCode(missed[0]), missed.length);
		const data: z.infer<typeof batchAnswerSchema>["data"] = resolved.map((outcome, index) => {
			const code = codes[index] ?? "";
			return outcome instanceof AppError
				? { code, problem: problemBody(outcome, webUrl(c), c.var.requestId) }
				: { code, address: publicRecord(outcome) };
		});
		return c.json({ data }, 200, { "Cache-Control": "no-store" });
	});
