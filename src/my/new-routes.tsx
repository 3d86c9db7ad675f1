import { Hono } from "hono";
import { parseCode } from "../addresses/code.ts";
import { type Point, roundedDegrees } from "../addresses/coordinate-text.ts";
import { mintForCaller } from "../addresses/endpoints.ts";
import { allAddressStores, lookUpAddress } from "../addresses/look-up.ts";
import { listAddresses } from "../addresses/own-addresses.ts";
import { type PlaceText, readPlace } from "../addresses/place-text.ts";
import { pointAfter, type Way } from "../addresses/plane.ts";
import type { Address } from "../addresses/resolve.ts";
import { newAddressSchema } from "../addresses/schemas.ts";
import { SPOT_WINDOWS, type Spot, spotBounds, wayToPixel } from "../addresses/spot-drawing.ts";
import type { AppEnv } from "../http/app-env.ts";
import { findZone } from "../zones/find.ts";
import type { Zone, ZoneLocator } from "../zones/locate.ts";
import { openZoneLocator } from "../zones/open.ts";
import { checkPage } from "./check-page.tsx";
import { ACCURACY_METRES_MAX, clearDraft, type Draft, newDraft, newKey, readDraft, writeDraft } from "./draft.ts";
import { failureOf, fieldFailure } from "./failure.ts";
import { namePage } from "./name-page.tsx";
import { signIn } from "./signing-in.ts";
import { STEPS_METRES, spotPage } from "./spot-page.tsx";
import { forAnyone, goTo, type Visit } from "./visit.ts";
import { type Offer, wherePage } from "./where-page.tsx";

/** Farthest way that the drawing's script moves a pin at once, in metres. */
const DRAGGED_METRES_MAX = 5000;
/** Own addresses that are looked through for one at the same place, and drawn. */
const OWN_ADDRESSES_MAX = 100;

function numberOf(text: string | null, min: number, max: number): number | undefined {
	const value = text === null || !/^-?\d{1,6}(\.\d{1,15})?$/.test(text) ? Number.NaN : Number(text);
	return value >= min && value <= max ? value : undefined;
}

/** A point that a script or a button sent, in two fields. */
function sentPoint({ form }: Visit): Point | undefined {
	const lat = numberOf(form.get("lat"), -90, 90);
	const lng = numberOf(form.get("lng"), -180, 180);
	return lat === undefined || lng === undefined ? undefined : { lat: roundedDegrees(lat), lng: roundedDegrees(lng) };
}

/** Takes a point as the draft's, where a zone holds it; else the first page again, with what was entered. */
async function takePoint(visit: Visit, point: Point, accuracy: number | undefined, entered: string): Promise<Response> {
	try {
		await findZone(openZoneLocator(visit.c.env), point.lat, point.lng);
	} catch (error) {
		return wherePage(visit, { entered, failure: failureOf(visit, error), offer: await swappedOffer(visit, point) });
	}
	writeDraft(visit.c, newDraft(point, accuracy));
	return goTo(visit, "/my/new/spot");
}

/** The point the other way round, where that lies on land. */
async function swappedOffer({ c }: Visit, { lat, lng }: Point): Promise<Offer | undefined> {
	if (Math.abs(lng) > 90) return undefined;
	const swapped = await openZoneLocator(c.env).locate(lng, lat);
	return swapped && { point: { lat: lng, lng: lat }, asTyped: undefined };
}

/**
 * Whether a pasted point is probably the wrong way round: it lies in another country than the visitor, and the other way round it lies in theirs. That is asked, and
 * nothing is turned silently.
 */
async function probablySwapped({ c }: Visit, { lat, lng }: Point): Promise<Point | undefined> {
	const country = c.req.header("CF-IPCountry");
	if (!country || Math.abs(lng) > 90) return undefined;
	const locator = openZoneLocator(c.env);
	const [asTyped, turned] = await Promise.all([locator.locate(lat, lng), locator.locate(lng, lat)]);
	return turned?.country === country && asTyped?.country !== country ? { lat: lng, lng: lat } : undefined;
}

async function takePlace(visit: Visit, place: PlaceText, entered: string): Promise<Response> {
	const { words, c } = visit;
	switch (place.kind) {
		case "refused": {
			const { reason, exchanged } = place;
			const offer = exchanged && { point: exchanged, asTyped: undefined };
			return wherePage(visit, { entered, failure: fieldFailure("place", words.refused[reason]), offer });
		}
		case "code":
			try {
				return await takePoint(
					visit,
					await lookUpAddress(c, parseCode(place.canonical), visit.signedIn?.caller),
					undefined,
					entered,
				);
			} catch (error) {
				return wherePage(visit, { entered, failure: { ...failureOf(visit, error), field: "place" } });
			}
		case "point": {
			const turned = await probablySwapped(visit, place.point);
			if (!turned) return takePoint(visit, place.point, undefined, entered);
			const failure = fieldFailure("place", words.refused.swapped);
			return wherePage(visit, { entered, failure, offer: { point: turned, asTyped: place.point } });
		}
	}
}

async function ownAddresses({ c, signedIn }: Visit): Promise<Address[]> {
	if (!signedIn) return [];
	const page = await listAddresses(allAddressStores(c.env), signedIn.caller, OWN_ADDRESSES_MAX, undefined);
	return page.addresses;
}

/** Borders of countries and zones in what the drawing shows, and the sides of the pin's own zone. */
async function edgesAround(locator: ZoneLocator, draft: Draft): Promise<Spot["edges"]> {
	const bounds = spotBounds({ pin: draft, window: draft.window });
	const [{ borders }, zone] = await Promise.all([locator.around(bounds), locator.locate(draft.lat, draft.lng)]);
	const edges: Spot["edges"] = borders.map(([a, b]) => [
		{ lng: a[0], lat: a[1] },
		{ lng: b[0], lat: b[1] },
	]);
	if (!zone || zone.isOfficial) return edges;
	const { south, west, north, east } = zone.bounds;
	const corners = [
		{ lat: south, lng: west },
		{ lat: north, lng: west },
		{ lat: north, lng: east },
		{ lat: south, lng: east },
	];
	for (const [index, corner] of corners.entries()) edges.push([corner, corners[(index + 1) % 4] ?? corner]);
	return edges;
}

/** How the buttons, the click or the drag of a form move the pin. */
function wayOf({ form }: Visit, draft: Draft): Way {
	const dragged = {
		north: numberOf(form.get("north"), -DRAGGED_METRES_MAX, DRAGGED_METRES_MAX) ?? 0,
		east: numberOf(form.get("east"), -DRAGGED_METRES_MAX, DRAGGED_METRES_MAX) ?? 0,
	};
	const [x, y] = [numberOf(form.get("map.x"), 0, 10_000), numberOf(form.get("map.y"), 0, 10_000)];
	// 0, 0 is what a browser sends when the picture was pressed by keyboard: no place in it was chosen.
	if (x !== undefined && y !== undefined && (x > 0 || y > 0)) return wayToPixel(draft.window, x, y);
	const step = stepOf(form);
	const pressed = { n: [step, 0], s: [-step, 0], e: [0, step], w: [0, -step] }[form.get("move") ?? ""] ?? [0, 0];
	return { north: dragged.north + (pressed[0] ?? 0), east: dragged.east + (pressed[1] ?? 0) };
}

function stepOf(form: URLSearchParams): number {
	return STEPS_METRES.find((metres) => String(metres) === form.get("step")) ?? STEPS_METRES[1];
}

/** A page of the flow that needs a draft; without one, or with one that has expired, it starts again. */
function forDraft(handle: (visit: Visit, draft: Draft) => Promise<Response>) {
	return forAnyone((visit) => {
		const draft = readDraft(visit.c);
		return draft ? handle(visit, draft) : goTo(visit, "/my/new");
	});
}

async function showSpot(visit: Visit, draft: Draft, more: { failure?: ReturnType<typeof failureOf> } = {}) {
	const edges = await edgesAround(openZoneLocator(visit.c.env), draft);
	const step = numberOf(visit.c.req.query("step") ?? null, 1, 25);
	return spotPage(visit, draft, { edges, own: await ownAddresses(visit), ...(step ? { step } : {}), ...more });
}

async function showCheck(visit: Visit, draft: Draft, isNew: boolean, failure?: ReturnType<typeof failureOf>) {
	const zone: Zone | undefined = await openZoneLocator(visit.c.env).locate(draft.lat, draft.lng);
	return checkPage(visit, draft, { zone, isNew, failure });
}

/** What the last form holds: what was seen there is what is created. */
function sentDraft({ form }: Visit, draft: Draft): Draft {
	const sent = newAddressSchema.safeParse({
		lat: Number(form.get("lat") ?? Number.NaN),
		lng: Number(form.get("lng") ?? Number.NaN),
		label: form.get("label") ?? "",
	});
	const key = form.get("key") ?? "";
	return sent.success ? { ...draft, ...sent.data, key: /^[\dA-Za-z]{22}$/.test(key) ? key : draft.key } : draft;
}

/** Creating an address in four steps. Mounted at /my/new. */
export const newAddressRoutes = new Hono<AppEnv>({ strict: false })
	.get(
		"/",
		forAnyone((visit) => wherePage(visit)),
	)
	.post(
		"/",
		forAnyone((visit) => {
			const point = sentPoint(visit);
			const accuracy = numberOf(visit.form.get("accuracy"), 0.1, ACCURACY_METRES_MAX);
			if (point) return takePoint(visit, point, accuracy, "");
			const entered = visit.form.get("place") ?? "";
			return takePlace(visit, readPlace(entered), entered);
		}),
	)
	.get(
		"/spot",
		forDraft((visit, draft) => showSpot(visit, draft)),
	)
	.post(
		"/spot",
		forDraft(async (visit, draft) => {
			const { form } = visit;
			const window = numberOf(form.get("window"), 0, SPOT_WINDOWS.length - 1);
			const isReset = form.get("go") === "first";
			const moved = {
				...draft,
				...(isReset ? draft.first : pointAfter(draft, wayOf(visit, draft))),
				...(window === undefined ? {} : { window: Math.trunc(window) }),
			};
			if (form.get("go") === "right") {
				try {
					await findZone(openZoneLocator(visit.c.env), moved.lat, moved.lng);
				} catch (error) {
					return showSpot(visit, moved, { failure: failureOf(visit, error) });
				}
			}
			writeDraft(visit.c, moved);
			return form.get("go") === "right"
				? goTo(visit, "/my/new/name")
				: goTo(visit, "/my/new/spot", { step: String(stepOf(form)) });
		}),
	)
	.get(
		"/name",
		forDraft(async (visit, draft) => namePage(visit, draft)),
	)
	.post(
		"/name",
		forDraft(async (visit, draft) => {
			const entered = visit.form.get("label") ?? "";
			const label = newAddressSchema.shape.label.safeParse(entered.trim());
			if (!label.success) {
				const failure = fieldFailure("label", visit.words.name.tooLong);
				return namePage(visit, { ...draft, label: entered }, failure);
			}
			writeDraft(visit.c, { ...draft, label: label.data });
			return goTo(visit, "/my/new/check");
		}),
	)
	.get(
		"/check",
		forDraft((visit, draft) => showCheck(visit, draft, visit.c.req.query("account") !== "mine")),
	)
	.post("/check", forAnyone(createFromForm));

/** Signs in where that is needed, creates the address, and shows it. */
async function createFromForm(visit: Visit): Promise<Response> {
	const { c, form } = visit;
	const sent = sentPoint(visit);
	const kept = readDraft(c) ?? (sent && newDraft(sent, undefined));
	if (!kept) return goTo(visit, "/my/new");
	const draft = sentDraft(visit, kept);
	const isNew = form.get("account") === "new";
	let known = visit;
	try {
		const signedIn = visit.signedIn ?? (await signIn(visit, isNew));
		known = { ...visit, signedIn };
		const { lat, lng, label, key } = draft;
		const { address } = await mintForCaller(c, signedIn.caller, { lat, lng, label }, key);
		clearDraft(c);
		return goTo(visit, `/my/${address.canonical}`, { new: "" });
	} catch (error) {
		const failure = failureOf(known, error);
		// The account is there by now, or this key has made another address: the next try is another one.
		const next = failure.code === "IDEMPOTENCY_CONFLICT" ? { ...draft, key: newKey() } : draft;
		return showCheck(known, next, isNew && failure.code !== "PHONE_TAKEN", failure);
	}
}
