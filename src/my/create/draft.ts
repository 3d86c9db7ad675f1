import { Buffer } from "node:buffer";
import type { Context } from "hono";
import * as z from "zod/mini";
import { newAddressSchema } from "../../addresses/schemas.ts";
import { latitude, longitude } from "../../addresses/zone-schemas.ts";
import { randomBase62 } from "../../crypto/random.ts";
import { clearCookie, readCookie, writeCookie } from "../../forms/cookies.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { metresBetween } from "../../points/plane.ts";
import type { Point } from "../../points/point.ts";
import { SPOT_WINDOWS, windowFor } from "../../print/spot-drawing.ts";
import { lazy, type ValueOf } from "../../schemas/lazy.ts";

/** How long an address that is being created is stored, in seconds. */
const DRAFT_SECONDS = 3600;
/** Accuracies worse than this, in metres, say nothing about a place. */
export const ACCURACY_METRES_MAX = 100_000;

/** With this accuracy or worse, in metres, a point says only the area. The visitor must then move the pin before it can be confirmed. */
export const AREA_METRES = 1000;

const draftSchema = lazy(() =>
	z.object({
		...newAddressSchema().shape,
		/** The point that was first found or pasted, before the pin was moved. */
		first: z.object({ lat: latitude().schema, lng: longitude().schema }),
		/** The device's accuracy at that point, in metres; undefined for a pasted point. */
		accuracy: z.optional(z.number().with(z.positive(), z.lte(ACCURACY_METRES_MAX))),
		/** Index into SPOT_WINDOWS: how much ground the drawing shows. */
		window: z.int().with(z.gte(0), z.lte(SPOT_WINDOWS.length - 1)),
		/** The Idempotency-Key to mint it with, so that sending it twice makes one address. */
		key: z.string().with(z.regex(/^[\dA-Za-z]{22}$/)),
	}),
);

/** An address that is being created. It is stored in a cookie, so that no coordinate is in a URL, a history or a log. */
export type Draft = ValueOf<typeof draftSchema>;

/** A new draft of an address at a point. `accuracy` is in metres. */
export function newDraft({ lat, lng }: Point, accuracy: number | undefined): Draft {
	const address = newAddressSchema().parse({ lat, lng });
	return { ...address, first: { lat, lng }, accuracy, window: windowFor(accuracy), key: newIdempotencyKey() };
}

export function newIdempotencyKey(): string {
	return randomBase62(22);
}

/** Whether a draft's pin is still at its first point, and that said only the area. */
export function isAreaAlone({ accuracy = 0, first, lat, lng }: Draft): boolean {
	return accuracy >= AREA_METRES && metresBetween(first, { lat, lng }) < 1;
}

/** The browser's draft, or undefined if it has none or an invalid one. */
export function readDraft(c: Context<AppEnv>): Draft | undefined {
	const text = readCookie(c, "draft");
	if (!text) return undefined;
	try {
		return draftSchema().safeParse(JSON.parse(Buffer.from(text, "base64url").toString())).data;
	} catch {
		return undefined;
	}
}

export function writeDraft(c: Context<AppEnv>, draft: Draft): void {
	writeCookie(c, "draft", Buffer.from(JSON.stringify(draft)).toString("base64url"), DRAFT_SECONDS);
}

export function clearDraft(c: Context<AppEnv>): void {
	clearCookie(c, "draft");
}
