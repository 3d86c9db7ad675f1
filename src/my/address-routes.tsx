import { purgeAddress, retiredEntry } from "../addresses/address-cache.ts";
import { type AddressCode, displayCode, parseCode } from "../addresses/code.ts";
import { parseCursor, writeCursor } from "../addresses/cursor.ts";
import { changeForCaller } from "../addresses/endpoints.ts";
import { addressStores, allAddressStores, lookUpAddress } from "../addresses/look-up.ts";
import { addressHistory, listAddresses, retireAddress } from "../addresses/own-addresses.ts";
import { readPlace } from "../addresses/place-text.ts";
import type { Address } from "../addresses/resolve.ts";
import { resolveAddresses } from "../addresses/resolve.ts";
import { newAddressSchema } from "../addresses/schemas.ts";
import { windowFor } from "../addresses/spot-drawing.ts";
import { asciiDigits } from "../digits.ts";
import { AppError } from "../errors.ts";
import { newRoutes } from "../http/routes.ts";
import { historyPage, labelPage, ownAddressPage, retirePage } from "./address-page.tsx";
import { ACCURACY_METRES_MAX } from "./draft.ts";
import { type Failure, failureOf, fieldFailure } from "./failure.ts";
import { listPage } from "./list-page.tsx";
import { movePage } from "./move-page.tsx";
import { isConfirmed, movedPin, numberOf, type Pin, sentPoint, stepOf, surroundings, windowOf } from "./pin.ts";
import { PRINTS, printAddressesPage } from "./print-page.tsx";
import { forSignedIn, goTo, type SignedInVisit } from "./visit.ts";

/** Addresses on a page of the list. */
const PAGE_SIZE = 20;
/** Addresses in one printing. */
const PRINTED_MAX = 24;
/** Own addresses that can be named as the one that took another's place. */
const SUCCESSORS_MAX = 100;

/** Which sentence a page starts with after something was done: what stands in `?did=`. */
function noticeOf({ c, words }: SignedInVisit): string | undefined {
	const did = c.req.query("did") ?? "";
	if (did === "saved") return words.saved;
	if (did === "none-selected") return words.list.noneSelected;
	const [, retired] = /^retired-([A-Z]{2}\d{9})$/.exec(did) ?? [];
	return retired && words.retire.done(`\u2066${displayCode(retired)}\u2069`);
}

/** A page on an address of the visitor's own, named in the path. */
function forOwnAddress(handle: (visit: SignedInVisit, address: Address) => Response | Promise<Response>) {
	return forSignedIn(async (visit) => {
		const code = parseCode(visit.c.req.param("code") ?? "");
		const address = await lookUpAddress(visit.c, code, visit.signedIn.caller);
		if (address.ownerId !== visit.signedIn.user.id) {
			throw new AppError("FORBIDDEN", "This address belongs to another account.");
		}
		return handle(visit, address);
	});
}

async function othersOf({ c, signedIn }: SignedInVisit, address: Address): Promise<Address[]> {
	const { addresses } = await listAddresses(allAddressStores(c.env), signedIn.caller, SUCCESSORS_MAX, undefined);
	return addresses.filter(({ canonical }) => canonical !== address.canonical);
}

async function saveLabel(visit: SignedInVisit, address: Address): Promise<Response> {
	const { c, form, words } = visit;
	const entered = form.get("label") ?? "";
	const label = newAddressSchema().shape.label.safeParse(entered.trim());
	if (!label.success) return labelPage(visit, address, entered, fieldFailure("label", words.name.tooLong));
	if (form.get("version") !== String(address.version)) {
		const failure: Failure = { ...fieldFailure("label", words.errors.conflict), status: 409 };
		return labelPage(visit, address, entered, failure);
	}
	const code = parseCode(address.canonical);
	await changeForCaller(c, visit.signedIn.caller, code, { label: label.data });
	return goTo(visit, `/my/${address.canonical}`, { did: "saved" });
}

/** Signs, stickers or cards of the addresses that were selected in the list. */
async function printSelected(visit: SignedInVisit): Promise<Response> {
	const { c, signedIn } = visit;
	const asked = (c.req.queries("code") ?? []).slice(0, PRINTED_MAX);
	const found = await resolveAddresses(addressStores(c.env), asked);
	const own = found.filter((one): one is Address => !(one instanceof AppError) && one.ownerId === signedIn.user.id);
	const print = PRINTS.find((kind) => kind === c.req.query("as")) ?? PRINTS[0];
	return own.length === 0 ? goTo(visit, "/my", { did: "none-selected" }) : printAddressesPage(visit, own, print);
}

/** The drawing of an address's surroundings with its pin at a point, which need not be where it is stored. */
async function showMove(
	visit: SignedInVisit,
	address: Address,
	{ lat, lng, window }: Pick<Pin, "lat" | "lng" | "window">,
	more: { entered?: string; failure?: Failure } = {},
): Promise<Response> {
	const pin = { lat, lng, window, first: { lat: address.lat, lng: address.lng } };
	const { edges, own } = await surroundings(visit, pin);
	const others = own.filter(({ canonical }) => canonical !== address.canonical);
	const step = stepOf(visit.form.get("step"));
	return movePage(visit, address, pin, { around: { edges, own: others }, step, ...more });
}

/** Shows the pin at a place that was pasted. */
async function placePin(visit: SignedInVisit, address: Address, entered: string): Promise<Response> {
	const { c, words, signedIn } = visit;
	const stored = { ...address, window: windowFor(undefined) };
	const place = readPlace(entered);
	if (place.kind === "refused") {
		return showMove(visit, address, stored, { entered, failure: fieldFailure("place", words.refused[place.reason]) });
	}
	try {
		const point =
			place.kind === "point" ? place.point : await lookUpAddress(c, parseCode(place.canonical), signedIn.caller);
		return await showMove(visit, address, { ...point, window: stored.window }, { entered });
	} catch (error) {
		return showMove(visit, address, stored, { entered, failure: { ...failureOf(visit, error), field: "place" } });
	}
}

/** Moves the pin in the drawing, or, once it is right, the address itself. */
async function movePin(visit: SignedInVisit, address: Address): Promise<Response> {
	const { c, form, signedIn } = visit;
	const sent = sentPoint(visit);
	if (!sent) return placePin(visit, address, form.get("place") ?? "");
	// What the device found comes with its accuracy, and without the drawing that it is to be shown in.
	const accuracy = numberOf(form.get("accuracy"), 0.1, ACCURACY_METRES_MAX);
	const first = { lat: address.lat, lng: address.lng };
	const moved = movedPin(form, { ...sent, first, window: windowOf(form.get("shown")) ?? windowFor(accuracy) });
	if (!isConfirmed(form)) return showMove(visit, address, moved);
	try {
		const { lat, lng } = moved;
		const code = parseCode(address.canonical);
		await changeForCaller(c, signedIn.caller, code, { lat, lng });
	} catch (error) {
		return showMove(visit, address, moved, { failure: { ...failureOf(visit, error), field: undefined } });
	}
	return goTo(visit, `/my/${address.canonical}`, { did: "saved" });
}

async function retire(visit: SignedInVisit, address: Address): Promise<Response> {
	const { c, form, words } = visit;
	const digits = asciiDigits(form.get("digits") ?? "").replace(/\D/g, "");
	if (!digits || !address.canonical.endsWith(digits) || digits.length < 5) {
		const failure = fieldFailure("digits", words.retire.wrongFive);
		return retirePage(visit, address, await othersOf(visit, address), failure);
	}
	const named = form.get("successor");
	let successor: AddressCode | undefined;
	try {
		successor = named ? parseCode(named) : undefined;
		const code = parseCode(address.canonical);
		await retireAddress(addressStores(c.env), visit.signedIn.caller, code, successor, visit.now);
	} catch (error) {
		return retirePage(visit, address, await othersOf(visit, address), failureOf(visit, error));
	}
	await purgeAddress(c, address.canonical, retiredEntry(address.canonical, successor?.canonical ?? null));
	return goTo(visit, "/my", { did: `retired-${address.canonical}` });
}

/** A visitor's addresses. Mounted at /my, after every other path of the console, because a code may stand for them. */
export const ownAddressRoutes = newRoutes()
	.get(
		"/",
		forSignedIn(async (visit) => {
			const { c, signedIn } = visit;
			const search = (c.req.query("q") ?? "").trim().slice(0, 200);
			const cursor = c.req.query("cursor");
			const after = cursor ? parseCursor(cursor) : undefined;
			const page = await listAddresses(allAddressStores(c.env), signedIn.caller, PAGE_SIZE, after, search);
			return listPage(visit, {
				addresses: page.addresses,
				nextCursor: page.next && writeCursor(page.next),
				search,
				notice: noticeOf(visit),
			});
		}),
	)
	.get("/print", forSignedIn(printSelected))
	.get(
		"/:code",
		forOwnAddress((visit, address) =>
			ownAddressPage(visit, address, { isNew: visit.c.req.query("new") !== undefined, notice: noticeOf(visit) }),
		),
	)
	.get(
		"/:code/label",
		forOwnAddress((visit, address) => labelPage(visit, address, address.label)),
	)
	.post("/:code/label", forOwnAddress(saveLabel))
	.get(
		"/:code/history",
		forOwnAddress(async (visit, address) => {
			const code = parseCode(address.canonical);
			const events = await addressHistory(addressStores(visit.c.env), visit.signedIn.caller, code);
			return historyPage(visit, address, events);
		}),
	)
	.get(
		"/:code/move",
		forOwnAddress((visit, address) => showMove(visit, address, { ...address, window: windowFor(undefined) })),
	)
	.post("/:code/move", forOwnAddress(movePin))
	.get(
		"/:code/retire",
		forOwnAddress(async (visit, address) => retirePage(visit, address, await othersOf(visit, address))),
	)
	.post("/:code/retire", forOwnAddress(retire));
