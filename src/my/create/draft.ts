import { Buffer } from "node:buffer";
import type { Context } from "hono";
import * as z from "zod/mini";
import { newAddressSchema } from "../../addresses/schemas.ts";
import { randomBase62 } from "../../crypto/random.ts";
import { clearCookie, readCookie, writeCookie } from "../../forms/cookies.ts";
import type { AppEnv } from "../../http/app-env.ts";
import type { Point } from "../../points/coordinate-text.ts";
import { metresBetween } from "../../points/plane.ts";
import { SPOT_WINDOWS, windowFor } from "../../print/spot-drawing.ts";
import { lazy, type ValueOf } from "../../schemas/lazy.ts";
import { latitude, longitude } from "../../zones/schemas.ts";

/** How long an address that is being created is stored, in seconds. */
const DRAFT_SECONDS = 3600;
/** Accuracies beyond this, in metres, tell nothing of a place. */
export const ACCURACY_METRES_MAX = 100_000;

/** From this accuracy on, in metres, a point says only the area: nobody's gate stands there until the pin is moved. */
export const AREA_METRES = 1000;

const draftSchema = lazy(() =>
	z.object({
		...newAddressSchema().shape,
		/** The point that was found or pasted at first, before the pin was moved. */
		first: z.object({ lat: latitude().schema, lng: longitude().schema }),
		/** How exactly the device knew that point, in metres; unknown for a pasted one. */
		accuracy: z.optional(z.number().with(z.positive(), z.lte(ACCURACY_METRES_MAX))),
		/** Index in SPOT_WINDOWS: how much ground the drawing shows. */
		window: z.int().with(z.gte(0), z.lte(SPOT_WINDOWS.length - 1)),
		/** The Idempotency-Key that it is minted under, so that sending it twice makes one address. */
		key: z.string().with(z.regex(/^[\dA-Za-z]{22}$/)),
	}),
);

/** An address that is being created. It lives in a cookie, so that no coordinate is in a URL, a history or a log. */
export type Draft = ValueOf<typeof draftSchema>;

/** A draft of an address at a point. */
export function newDraft({ lat, lng }: Point, accuracy: number | undefined): Draft {
	const address = newAddressSchema().parse({ lat, lng });
	return { ...address, first: { lat, lng }, accuracy, window: windowFor(accuracy), key: newIdempotencyKey() };
}

/** A new Idempotency-Key. */
export function newIdempotencyKey(): string {
	return randomBase62(22);
}

/** Whether the pin of a draft still stands where the first point was, which said only the area. */
export function isAreaAlone({ accuracy = 0, first, lat, lng }: Draft): boolean {
	return accuracy >= AREA_METRES && metresBetween(first, { lat, lng }) < 1;
}

/** The browser's draft, or undefined when it has none or one that is not valid. */
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
