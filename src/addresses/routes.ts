import { type Context, Hono } from "hono";
import { openAddressesDatabase } from "../db/open.ts";
import type { Bindings } from "../env.ts";
import { type AppEnv, webUrl } from "../http/app-env.ts";
import { requireUser } from "../http/authentication.ts";
import { jsonBody, validate } from "../http/validation.ts";
import { openZoneLocator } from "../zones/open.ts";
import { displayCode } from "./code.ts";
import { labelSvg } from "./label.ts";
import { mintAddress } from "./mint.ts";
import { qrSvg } from "./qr.ts";
import { addressRecord, publicRecord, qrUrl } from "./record.ts";
import { resolveAddress } from "./resolve.ts";
import { idempotencyHeaderSchema, newAddressSchema } from "./schemas.ts";
import { type AddressStore, createAddressStore } from "./store.ts";

/** The store of the database that holds a country's addresses. */
export function addressStores(env: Bindings): (country: string) => AddressStore {
	return (country) => createAddressStore(openAddressesDatabase(env, country));
}

function resolveParameter(c: Context<AppEnv>) {
	return resolveAddress(addressStores(c.env), c.req.param("code") ?? "");
}

/** Mounted at /v1/addresses. */
export const addressRoutes = new Hono<AppEnv>()
	.post("/", requireUser, validate("header", idempotencyHeaderSchema), ...jsonBody(newAddressSchema), async (c) => {
		const address = await mintAddress(
			{ storeOf: addressStores(c.env), locator: openZoneLocator(c.env.ZONES), now: Date.now() },
			{
				...c.req.valid("json"),
				ownerId: c.var.caller.userId,
				idempotencyKey: c.req.valid("header")["idempotency-key"],
			},
		);
		c.header("Location", `${webUrl(c)}/v1/addresses/${address.canonical}`);
		return c.json(addressRecord(address, c.var.caller.userId, webUrl(c)), 201);
	})
	.get("/:code", requireUser, async (c) => {
		const address = await resolveParameter(c);
		return c.json(addressRecord(address, c.var.caller.userId, webUrl(c)));
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
