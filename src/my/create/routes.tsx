import { mintAddress } from "../../addresses/actions.ts";
import { contentOf } from "../../addresses/content.ts";
import { newAddressSchema } from "../../addresses/schemas.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { pinSheet } from "../../forms/console-sheet.ts";
import { attempt, type Failure, failureOf, fieldFailure } from "../../forms/failure.ts";
import { forAnyone, goTo, pathTo, type Visit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import type { Point } from "../../points/point.ts";
import { Way } from "../../web/parts.tsx";
import { pinScript } from "../../web/scripts.ts";
import { findZone, namePoint } from "../../zones/find.ts";
import { signIn } from "../account/signing-in.ts";
import { checkPage } from "./check-page.tsx";
import {
	ACCURACY_METRES_MAX,
	clearDraft,
	type Draft,
	isAreaAlone,
	newDraft,
	newIdempotencyKey,
	readDraft,
	writeDraft,
} from "./draft.ts";
import { accuracyText, PinForm, sentLocality } from "./pin-form.tsx";
import { isConfirmed, movedPin, numberOf, sentPoint, stepOf, surroundings, windowOf } from "./placing.ts";
import { findPlace } from "./settlement.ts";
import { faultOfTexts, sentTexts, sentVisibility, TextFields, VisibilityChoice, WORDLESS } from "./text-fields.tsx";
import { type Offer, wherePage } from "./where-page.tsx";

/** Step 2: whether the pin is right, and how people find the place. */
async function spotPage(visit: Visit, draft: Draft, failure?: Failure): Promise<Response> {
	const { spot, where } = visit.words;
	const around = await surroundings(visit, draft);
	return consolePage(visit, {
		title: spot.title,
		step: 2,
		failure,
		styles: pinSheet,
		scripts: [pinScript],
		body: (
			<>
				<PinForm
					visit={visit}
					action="/my/new/spot"
					pin={draft}
					locality={draft.locality}
					around={around}
					step={stepOf(visit.c.req.query("step"))}
					fields={
						<>
							<TextFields visit={visit} texts={draft} failure={failure} isNew />
							<VisibilityChoice visit={visit} chosen={draft.visibility} />
						</>
					}
				/>
				<Way to={pathTo(visit, "/my/new")} text={where.startAgain} />
			</>
		),
	});
}

/** Starts a draft at a point if a zone holds it; else shows the first page again, with what was entered. */
async function takePoint(visit: Visit, point: Point, accuracy: number | undefined, entered: string): Promise<Response> {
	return attempt(
		visit,
		async () => {
			await findZone(visit.registry.zones, point.lat, point.lng);
			writeDraft(visit.c, newDraft(point, accuracy));
			return goTo(visit, "/my/new/spot");
		},
		async (failure) => wherePage(visit, { entered, failure, offer: await swappedOffer(visit, point) }),
	);
}

/** The point with latitude and longitude swapped, if that lies in a zone. */
async function swappedOffer({ registry }: Visit, { lat, lng }: Point): Promise<Offer | undefined> {
	if (Math.abs(lng) > 90) return undefined;
	const swapped = await registry.zones.locate(lng, lat);
	return swapped && { point: { lat: lng, lng: lat }, asTyped: undefined };
}

/**
 * The point with latitude and longitude swapped, if the pasted one probably has them the wrong way round: it lies outside the visitor's
 * country, and the swapped one inside. The visitor is asked; nothing is swapped silently.
 */
async function probablySwapped({ c, registry }: Visit, { lat, lng }: Point): Promise<Point | undefined> {
	const country = c.req.header("CF-IPCountry");
	if (!country || Math.abs(lng) > 90) return undefined;
	const locator = registry.zones;
	const [asTyped, turned] = await Promise.all([locator.locate(lat, lng), locator.locate(lng, lat)]);
	return turned?.country === country && asTyped?.country !== country ? { lat: lng, lng: lat } : undefined;
}

/** Starts a draft at the place that was pasted; else shows the first page again, with what is wrong or another reading of it. */
async function takePlace(visit: Visit, entered: string): Promise<Response> {
	const found = await findPlace(visit, entered);
	if ("failure" in found) {
		const { exchanged, settlements = [] } = found;
		const failure = settlements.length > 0 ? fieldFailure("place", visit.words.refused.named) : found.failure;
		const offer = exchanged && { point: exchanged, asTyped: undefined };
		return wherePage(visit, { entered, failure, offer, settlements });
	}
	const { point, isOfCode } = found;
	const turned = isOfCode ? undefined : await probablySwapped(visit, point);
	if (!turned) return takePoint(visit, point, undefined, entered);
	const failure = fieldFailure("place", visit.words.refused.swapped);
	return wherePage(visit, { entered, failure, offer: { point: turned, asTyped: point } });
}

/** The draft that a page was made for: the browser's, with the pin where the form has it. If that has expired, a new draft at the pin. */
function draftOf(visit: Visit): Draft | undefined {
	const stored = readDraft(visit.c);
	const sent = sentPoint(visit);
	if (!sent) return stored;
	const draft = stored ?? newDraft(sent, undefined);
	return { ...draft, ...sent, window: windowOf(visit.form.get("shown")) ?? draft.window };
}

/** A handler of a page that needs a draft. Without one, the visitor starts again. */
function forDraft(handle: (visit: Visit, draft: Draft) => Promise<Response>) {
	return forAnyone((visit) => {
		const draft = draftOf(visit);
		return draft ? handle(visit, draft) : goTo(visit, "/my/new");
	});
}

/** The draft as the last form holds it, so that exactly what was seen there is created. */
function sentDraft({ form }: Visit, draft: Draft): Draft {
	const degrees = (field: "lat" | "lng") => Number(form.get(field) ?? Number.NaN);
	const point = { lat: degrees("lat"), lng: degrees("lng") };
	const sent = newAddressSchema().safeParse({
		...{ ...point, visibility: sentVisibility(form), ...sentTexts(form) },
		locality: form.get("locality") || undefined,
	});
	const key = form.get("key") ?? "";
	return sent.success ? { ...draft, ...sent.data, key: /^[\dA-Za-z]{22}$/.test(key) ? key : draft.key } : draft;
}

/** Creating an address in three steps. Mounted at /my/new. */
export const newAddressRoutes = routesOf({
	// The page for a mistaken code sets `place` if what was entered is a place.
	"GET /": forAnyone((visit) => wherePage(visit, { entered: visit.c.req.query("place") ?? "" })),
	"POST /": forAnyone(async (visit) => {
		const point = sentPoint(visit);
		const accuracy = numberOf(visit.form.get("accuracy"), 0.1, ACCURACY_METRES_MAX);
		if (point) return takePoint(visit, point, accuracy, "");
		return takePlace(visit, visit.form.get("place") ?? "");
	}),
	"GET /spot": forDraft((visit, draft) => spotPage(visit, draft)),
	"POST /spot": forDraft(async (visit, draft) => {
		const { c, registry, form } = visit;
		const texts = sentTexts(form);
		const moved = { ...draft, ...movedPin(form, draft), ...texts, visibility: sentVisibility(form) };
		const fault = faultOfTexts(visit, texts);
		if (fault) return spotPage(visit, moved, fault);
		if (isConfirmed(form) && isAreaAlone(moved)) {
			return spotPage(visit, moved, {
				...fieldFailure("", accuracyText(visit, moved.accuracy ?? 0)),
				field: undefined,
			});
		}
		// The shortest way through the form must not make a sign without words.
		if (isConfirmed(form) && !texts.label && !form.has(WORDLESS)) {
			return spotPage(visit, moved, fieldFailure("label", visit.words.wordsMissing));
		}
		if (!isConfirmed(form)) {
			const point = await registry.zones.name(moved.lat, moved.lng);
			writeDraft(c, { ...moved, locality: sentLocality(form, point) });
			return goTo(visit, "/my/new/spot", { step: String(stepOf(form.get("step"))) });
		}
		return attempt(
			visit,
			async () => {
				const point = await namePoint(registry.zones, moved.lat, moved.lng);
				writeDraft(c, { ...moved, locality: sentLocality(form, point) });
				return goTo(visit, "/my/new/check");
			},
			(failure) => spotPage(visit, moved, { ...failure, field: undefined }),
		);
	}),
	"GET /check": forDraft((visit, draft) => checkPage(visit, draft, visit.c.req.query("account") !== "mine")),
	"POST /check": forDraft(createFromForm),
});

/** Signs in if needed, creates the address, and shows it. */
async function createFromForm(visit: Visit, stored: Draft): Promise<Response> {
	const { c, registry, form } = visit;
	const draft = sentDraft(visit, stored);
	const isNew = form.get("account") === "new";
	let known = visit;
	try {
		const { signedIn, did } = visit.signedIn
			? { signedIn: visit.signedIn, did: undefined }
			: await signIn(visit, isNew);
		known = { ...visit, signedIn };
		const request = { ...contentOf(draft), locality: draft.locality, idempotencyKey: draft.key };
		const { canonical } = await mintAddress(registry, signedIn.caller, request);
		clearDraft(c);
		return goTo(visit, `/my/${canonical}`, { new: "", ...(did ? { did } : {}) });
	} catch (error) {
		const failure = failureOf(known, error);
		// If this key has made another address already, the next try gets a new key.
		const next = failure.code === "IDEMPOTENCY_CONFLICT" ? { ...draft, key: newIdempotencyKey() } : draft;
		return checkPage(known, next, isNew && failure.code !== "PHONE_TAKEN", failure);
	}
}
