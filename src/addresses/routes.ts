import { type Context, Hono } from "hono";
import { openAddressesDatabase } from "../db/open.ts";
import type { Bindings } from "../env.ts";
import { AppError } from "../errors.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { requireAgent, requireUser, requireUserOrKey } from "../http/authentication.ts";
import { countMisses, newAddressQuota, spendLookups } from "../http/rate-limit.ts";
import { jsonBody, validate } from "../http/validation.ts";
import { rateLimitHeaders } from "../limits/policy.ts";
import { openZoneLocator } from "../zones/open.ts";
import { attestAddress } from "./attest.ts";
import { displayCode, parseCode } from "./code.ts";
import { labelSvg } from "./label.ts";
import { mintAddress } from "./mint.ts";
import { qrSvg } from "./qr.ts";
import { addressRecord, attestationRecord, publicRecord, qrUrl } from "./record.ts";
import { resolveAddress } from "./resolve.ts";
import { idempotencyHeaderSchema, newAddressSchema, newAttestationSchema } from "./schemas.ts";
import { type Address, type AddressStore, createAddressStore } from "./store.ts";

/** The store of the database that holds a country's addresses. */
export function addressStores(env: Bindings): (country: string) => AddressStore {
	return (country) => createAddressStore(openAddressesDatabase(env, country));
}

/** The address of the path's code, within the look-ups that the client's network has. */
async function resolveParameter(c: Context<AppEnv>): Promise<Address> {
	const { canonical } = parseCode(c.req.param("code") ?? "");
	await spendLookups(c);
	try {
		return await resolveAddress(addressStores(c.env), canonical);
	} catch (error) {
		if (error instanceof AppError && error.code === "ADDRESS_NOT_FOUND") await countMisses(c, canonical);
		throw error;
	}
}

/** Mounted at /v1/addresses. */
export const addressRoutes = new Hono<AppEnv>()
	.post("/", requireUser, validate("header", idempotencyHeaderSchema), ...jsonBody(newAddressSchema), async (c) => {
		const now = Date.now();
		const quota = newAddressQuota(c, now);
		const address = await mintAddress(
			{ storeOf: addressStores(c.env), locator: openZoneLocator(c.env.ZONES), quota, now },
			{
				...c.req.valid("json"),
				ownerId: c.var.caller.userId,
				idempotencyKey: c.req.valid("header")["idempotency-key"],
			},
		);
		const left = quota.state();
		if (left) for (const [name, value] of Object.entries(rateLimitHeaders(left, now))) c.header(name, value);
		c.header("Location", `${webUrl(c)}/v1/addresses/${address.canonical}`);
		return c.json(addressRecord(address, c.var.caller.userId, webUrl(c)), 201);
	})
	.get("/:code", requireUserOrKey, async (c) => {
		const address = await resolveParameter(c);
		return c.json(addressRecord(address, c.var.caller.userId, webUrl(c)));
	})
	.post("/:code/attestations", requireUser, requireAgent, ...jsonBody(newAttestationSchema), async (c) => {
		const { level, note } = c.req.valid("json");
		const request = { code: c.req.param("code"), agentId: c.var.caller.userId, level, note };
		const { attestation, address } = await attestAddress(addressStores(c.env), request, Date.now());
		return c.json(attestationRecord(attestation, address), 201);
	})
	.get("/:code/qr.svg", async (c) => {
		const { canonical } = await resolveParameter(c);
		return c.body(qrSvg(qrUrl(canonical, webUrl(c)), displayCode(canonical)), 200, {
			"Content-Type": "image/svg+xml; charset=utf-8",
			"Content-Disposition": `inline; filename="${displayCode(canonical)}.svg"`,
			"Cross-Origin-Resource-Policy": "cross-origin",
		});
	})
	.get("/:code/label.svg", async (c) => {
		const { canonical, zoneName, label } = await resolveParameter(c);
		return c.body(labelSvg(qrUrl(canonical, webUrl(c)), canonical, zoneName, label), 200, {
			"Content-Type": "image/svg+xml; charset=utf-8",
			"Content-Disposition": `inline; filename="${displayCode(canonical)}-label.svg"`,
			"Cross-Origin-Resource-Policy": "cross-origin",
		});
	});

/** Mounted at /v1/public/addresses. */
export const publicAddressRoutes = new Hono<AppEnv>().get("/:code", async (c) =>
	c.json(publicRecord(await resolveParameter(c))),
);
