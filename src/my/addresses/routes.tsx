import {
	addressHistory,
	changeAddress,
	endShares,
	listAddresses,
	listRetired,
	ownAddress,
	ownAmong,
	retireAddress,
	shareAddress,
} from "../../addresses/actions.ts";
import { isNearEntrance } from "../../addresses/entrance.ts";
import { addressChangeSchema, ENTRANCE_METRES_MAX, newAddressSchema } from "../../addresses/schemas.ts";
import { SHARE_DAYS } from "../../addresses/share-link.ts";
import type { Address } from "../../addresses/store.ts";
import { TEXT_FIELDS } from "../../addresses/texts.ts";
import { changeUnit, listUnits, UNITS_MAX } from "../../addresses/unit-actions.ts";
import { streetsAround } from "../../basemap/around.ts";
import { type AddressCode, parseCode } from "../../codes/code.ts";
import { asciiDigits } from "../../codes/digits.ts";
import { isUnit, normalizeUnit } from "../../codes/unit.ts";
import { unitName } from "../../codes/unit-text.ts";
import { retryOnConflict, StaleRead } from "../../db/refusal.ts";
import { AppError } from "../../errors.ts";
import { attempt, type Failure, fieldFailure } from "../../forms/failure.ts";
import { forSignedIn, goTo, type SignedInVisit } from "../../forms/visit.ts";
import { routesOf } from "../../http/app-env.ts";
import { validateBody } from "../../http/validation.ts";
import { fill } from "../../languages/template.ts";
import { workInTurn } from "../../limits/hash-queue.ts";
import { reasonOfHiding } from "../../operate/owner-actions.ts";
import type { Point } from "../../points/point.ts";
import { plainLabel } from "../../print/label-for-display.ts";
import { windowFor } from "../../print/spot-drawing.ts";
import { answerReport, reportsAbout } from "../../reports/actions.ts";
import { reportAnswerSchema } from "../../reports/schemas.ts";
import { lengthText } from "../../web/measures.ts";
import { ACCURACY_METRES_MAX } from "../create/draft.ts";
import { sentLocality } from "../create/pin-form.tsx";
import {
	isConfirmed,
	movedPin,
	numberOf,
	type Pin,
	sentPoint,
	stepOf,
	surroundings,
	windowOf,
} from "../create/placing.ts";
import { findPlace } from "../create/settlement.ts";
import { faultOfTexts, sentTexts, sentVisibility } from "../create/text-fields.tsx";
import { changedPage, contentNow, isStale, pinNow, textsNow, versionFor, versionOfUnits } from "./changed-page.tsx";
import { listPage } from "./list-page.tsx";
import { movePage, type PinKind } from "./move-page.tsx";
import {
	historyPage,
	ownAddressPage,
	retirePage,
	SHARED_DAYS,
	type SharedLink,
	textsPage,
	unitsPage,
} from "./own-address-page.tsx";
import { PRINTS, type Printed, printAddressesPage } from "./printing-page.tsx";

/** How many addresses a page of the list has. */
const PAGE_SIZE = 20;
/** How many addresses are printed without taking a turn. */
const PRINTED_AT_ONCE = 20;

/** The most addresses in one printing. They fill whole sheets of each kind. */
const PRINTED_MAX = 60;
/** How many of the owner's addresses are offered as the successor of another. */
const SUCCESSORS_MAX = 100;

/**
 * A handler of a page on one of the visitor's addresses, named in the path. Forms are held to the version of the address that it reads. If
 * something changes before they write, it reads and handles them again.
 */
function forOwnAddress(
	handle: (visit: SignedInVisit, address: Address, code: AddressCode) => Response | Promise<Response>,
) {
	return forSignedIn((visit) => {
		const code = parseCode(visit.c.req.param("code") ?? "");
		return retryOnConflict(async () => {
			try {
				return await handle(visit, await ownAddress(visit.registry, visit.signedIn.caller, code), code);
			} catch (error) {
				throw error instanceof AppError && error.code === "PRECONDITION_FAILED" ? new StaleRead() : error;
			}
		});
	});
}

/** The page of an address, with the link to it that was just made, if any. */
async function showAddress(visit: SignedInVisit, address: Address, link?: SharedLink): Promise<Response> {
	const { c, registry, signedIn } = visit;
	const [{ sketch }, reports, hiddenBecause] = await Promise.all([
		streetsAround(registry, address, signedIn.user.id),
		reportsAbout(registry, [address.canonical]),
		reasonOfHiding(registry, address),
	]);
	const isNew = c.req.query("new") !== undefined;
	return ownAddressPage(visit, address, { isNew, sketch, reports, link, hiddenBecause });
}

/** Redirects to the page of an address, which says what was done. */
function backTo(visit: SignedInVisit, { canonical }: Address, did = "saved"): Response {
	return goTo(visit, `/my/${canonical}`, { did });
}

async function othersOf({ registry, signedIn }: SignedInVisit, address: Address): Promise<Address[]> {
	const { addresses } = await listAddresses(registry, signedIn.caller, { limit: SUCCESSORS_MAX });
	return addresses.filter(({ canonical }) => canonical !== address.canonical);
}

async function saveTexts(visit: SignedInVisit, address: Address, code: AddressCode): Promise<Response> {
	const { registry, form, words, signedIn } = visit;
	const texts = sentTexts(form);
	const fault = faultOfTexts(visit, texts);
	if (fault) return textsPage(visit, address, texts, fault);
	const change = addressChangeSchema().parse(texts);
	const version = versionFor("texts", address);
	if (isStale(visit, version) && TEXT_FIELDS.some((field) => change[field] !== address[field])) {
		const differences = textsNow(visit, address, texts);
		return changedPage(visit, address, { title: words.address.changeWords, differences, version });
	}
	await changeAddress(registry, signedIn.caller, { code, change, ifMatch: [address.version] });
	return backTo(visit, address);
}

async function saveVisibility(visit: SignedInVisit, address: Address, code: AddressCode): Promise<Response> {
	const { registry, form, words, signedIn } = visit;
	const visibility = sentVisibility(form);
	const version = versionFor("visibility", address);
	if (isStale(visit, version) && visibility !== address.visibility) {
		const title = words.visibility.seenBy;
		const [now, mine] = [words.visibility[address.visibility], words.visibility[visibility]];
		return changedPage(visit, address, { title, differences: [{ name: title, now, mine }], version });
	}
	await changeAddress(registry, signedIn.caller, { code, change: { visibility }, ifMatch: [address.version] });
	return backTo(visit, address);
}

/** Makes a link to an address, if that is as the page showed it. */
async function share(visit: SignedInVisit, address: Address, code: AddressCode): Promise<Response> {
	const { registry, words, signedIn } = visit;
	const version = versionFor("address", address);
	if (isStale(visit, version)) {
		const differences = contentNow(visit, address);
		return changedPage(visit, address, {
			title: words.visibility.seenBy,
			differences,
			version,
			button: words.continue,
		});
	}
	const request = { code, days: sharedDays(visit), ifMatch: [address.version] };
	return showAddress(visit, address, await shareAddress(registry, signedIn.caller, request));
}

/** For how many days the form asks for a link. */
function sharedDays({ form }: SignedInVisit): number {
	return SHARED_DAYS.find((days) => String(days) === form.get("days")) ?? SHARE_DAYS;
}

/** Names units of an address, separated by commas, or removes one. */
async function saveUnit(visit: SignedInVisit, address: Address, code: AddressCode): Promise<Response> {
	const { registry, form, words, signedIn } = visit;
	const removed = form.get("remove");
	// A unit to remove is named as it is stored. That may be in digits that are read differently today.
	const entered = form.get("unit") ?? "";
	const units =
		removed === null
			? entered
					.split(/[,;،\n]/)
					.map((written) => ({ unit: normalizeUnit(written), name: unitName(written) }))
					.filter(({ unit }) => unit)
			: [{ unit: removed, name: removed }];
	const label = sentTexts(form).label;
	const again = async (failure: Failure) => {
		const { units: known } = await listUnits(registry, signedIn.caller, code);
		const isFull = failure.code === "QUOTA_EXCEEDED" && known.length >= UNITS_MAX;
		return unitsPage(visit, address, known, {
			failure: isFull ? fieldFailure("unit", fill(words.units.full, { count: String(UNITS_MAX) })) : failure,
			unit: entered,
			label,
		});
	};
	if (units.length === 0 || !units.every(({ unit }) => isUnit(unit)))
		return again(fieldFailure("unit", words.units.wrong));
	if (!newAddressSchema().shape.label.safeParse(label).success) {
		return again(fieldFailure("label", words.texts.label.tooLong));
	}
	const { units: known, address: current } = await listUnits(registry, signedIn.caller, code);
	const version = versionOfUnits(known);
	const changed = new Map(units.map((each) => [each.unit, each]));
	const overwritten = known.filter((one) => changed.has(one.unit) && (removed !== null || one.label !== label));
	if (isStale(visit, version) && overwritten.length > 0) {
		const mine = removed === null ? plainLabel(label) : words.units.remove;
		const differences = overwritten.map(({ name, label: now }) => ({ name, now: plainLabel(now), mine }));
		return changedPage(visit, address, { title: words.units.title, differences, version });
	}
	return attempt(
		visit,
		async () => {
			let { version } = current;
			for (const unit of changed.values()) {
				const change = { code, ...unit, label: removed === null ? label : undefined, ifMatch: [version] };
				({ version } = (await changeUnit(registry, signedIn.caller, change)).address);
			}
			return goTo(visit, `/my/${address.canonical}/units`);
		},
		again,
	);
}

/**
 * Prints signs, stickers or cards of the addresses selected in the list; if none are, of all that the search found, page by page. With
 * `units`, prints those of the units of the selected address.
 */
async function printAddresses(visit: SignedInVisit): Promise<Response> {
	const { c, registry, signedIn } = visit;
	const asked = c.req.queries("code")?.slice(0, PRINTED_MAX);
	const { addresses, nextCursor } = asked
		? { addresses: await ownAmong(registry, signedIn.caller, asked), nextCursor: undefined }
		: await listAddresses(registry, signedIn.caller, { limit: PRINTED_MAX, ...askedOfList(visit) });
	const print = PRINTS.find((kind) => kind === c.req.query("as")) ?? PRINTS[0];
	const [first] = addresses;
	if (!first) return goTo(visit, "/my");
	// A hundred signs block the isolate for a tenth of a second.
	const printing = (printed: Printed[], nextCursor?: string) => {
		const work = () => printAddressesPage(visit, printed, print, nextCursor);
		return printed.length > PRINTED_AT_ONCE ? workInTurn(signedIn.user.id, work) : work();
	};
	if (c.req.query("units") === undefined) {
		return printing(
			addresses.map((address) => ({ address })),
			nextCursor,
		);
	}
	const { units } = await listUnits(registry, signedIn.caller, parseCode(first.canonical));
	const printed = units.slice(0, PRINTED_MAX).map((unit) => ({ address: first, unit }));
	return units.length === 0 ? backTo(visit, first, "") : printing(printed);
}

/** Which part of the list is asked for. */
function askedOfList({ c }: SignedInVisit): { search: string; cursor: string | undefined } {
	return { search: (c.req.query("q") ?? "").trim().slice(0, 200), cursor: c.req.query("cursor") || undefined };
}

/** What a pin is placed for, by the path. */
function placingOf({ c }: SignedInVisit): PinKind {
	return c.req.param("placing") === "entrance" ? "entrance" : "move";
}

/** Where the pin is when the page is opened. */
function openingPin(address: Address, placing: PinKind): Pin {
	const point = placing === "entrance" ? (address.entrance ?? address) : address;
	return {
		lat: point.lat,
		lng: point.lng,
		first: { lat: address.lat, lng: address.lng },
		window: windowFor(undefined),
	};
}

/** The page with a drawing of an address's surroundings and a pin, which need not be where the stored point is. */
async function showPin(
	visit: SignedInVisit,
	address: Address,
	placing: PinKind,
	pin: Pin = openingPin(address, placing),
	more: { entered?: string; failure?: Failure } = {},
): Promise<Response> {
	const around = await surroundings(visit, pin);
	const locality = sentLocality(visit.form, around.point);
	const own = around.own.filter(({ canonical }) => canonical !== address.canonical);
	const step = stepOf(visit.form.get("step"));
	return movePage(visit, address, pin, { placing, around: { ...around, own }, step, locality, ...more });
}

/** Shows the pin at a place that was pasted. */
async function placePin(visit: SignedInVisit, address: Address, placing: PinKind, entered: string): Promise<Response> {
	const stored = openingPin(address, placing);
	const found = await findPlace(visit, entered);
	if ("failure" in found) return showPin(visit, address, placing, stored, { entered, failure: found.failure });
	const { lat, lng } = found.point;
	return showPin(visit, address, placing, { ...stored, lat, lng }, { entered });
}

/** The change that saves a confirmed pin. */
function changeOf(address: Address, placing: PinKind, point: Point) {
	if (placing === "entrance") return { entrance: point };
	// An entrance that is now too far away belonged to the former point.
	return { ...point, ...(isNearEntrance(point, address.entrance) ? {} : { entrance: null }) };
}

/** Moves the pin in the drawing, or saves it once it is confirmed. */
async function movePin(visit: SignedInVisit, address: Address, code: AddressCode): Promise<Response> {
	const placing = placingOf(visit);
	const { registry, form, signedIn, words, locale } = visit;
	const isRemoved = placing === "entrance" && form.has("remove");
	const sent = sentPoint(visit);
	if (!sent && !isRemoved) return placePin(visit, address, placing, form.get("place") ?? "");
	// A position from the device comes with its accuracy, but without the scale of the drawing that is to show it.
	const accuracy = numberOf(form.get("accuracy"), 0.1, ACCURACY_METRES_MAX);
	const { first } = openingPin(address, placing);
	const moved = {
		...movedPin(form, { ...(sent ?? first), first, window: windowOf(form.get("shown")) ?? windowFor(accuracy) }),
		first,
	};
	if (!isRemoved && !isConfirmed(form)) return showPin(visit, address, placing, moved);
	const change = isRemoved ? { entrance: null } : changeOf(address, placing, { lat: moved.lat, lng: moved.lng });
	const version = versionFor("pin", address);
	if (isStale(visit, version)) {
		const locality = form.get("locality") ?? address.locality;
		const differences = pinNow(visit, address, { ...address, ...change, locality });
		return changedPage(visit, address, { title: words[placing].title, differences, version });
	}
	const save = async () => {
		const point = placing === "move" ? await registry.zones.name(moved.lat, moved.lng) : undefined;
		// The first answer is empty. If another place was chosen before, the empty answer takes that back.
		const isTakenBack = address.isLocalityChosen && form.get("locality") === "";
		const locality = sentLocality(form, point) ?? (isTakenBack ? point?.localities[0]?.name : undefined);
		await changeAddress(registry, signedIn.caller, {
			code,
			change: { ...change, locality },
			ifMatch: [address.version],
		});
		return backTo(visit, address);
	};
	return attempt(visit, save, (refusal) => {
		const failure = { ...refusal, field: undefined };
		const metres = lengthText(ENTRANCE_METRES_MAX, locale.language);
		const message = failure.code === "TOO_FAR" ? fill(words.entrance.far, { metres }) : failure.message;
		return showPin(visit, address, placing, moved, { failure: { ...failure, message } });
	});
}

async function retire(visit: SignedInVisit, address: Address): Promise<Response> {
	const { registry, form, words, signedIn } = visit;
	const again = async (failure: Failure) => retirePage(visit, address, await othersOf(visit, address), failure);
	const digits = asciiDigits(form.get("digits") ?? "").replace(/\D/g, "");
	if (!digits || !address.canonical.endsWith(digits) || digits.length < 5) {
		return again(fieldFailure("digits", words.retire.wrongFive));
	}
	const version = versionFor("address", address);
	if (isStale(visit, version)) {
		const { title, button } = words.retire;
		return changedPage(visit, address, { title, differences: contentNow(visit, address), version, button });
	}
	return attempt(
		visit,
		async () => {
			const named = form.get("successor");
			const successor = named ? parseCode(named) : undefined;
			const request = { code: parseCode(address.canonical), successor, ifMatch: [address.version] };
			await retireAddress(registry, signedIn.caller, request);
			return goTo(visit, "/my", { did: `retired-${address.canonical}` });
		},
		again,
	);
}

/** The visitor's addresses. Mounted at /my after all other paths of the console, because a code can take their place. */
export const ownAddressRoutes = routesOf({
	"GET /": forSignedIn(async (visit) => {
		const { registry, signedIn } = visit;
		const { search, cursor } = askedOfList(visit);
		const isFirst = !search && cursor === undefined;
		const [page, retired] = await Promise.all([
			listAddresses(registry, signedIn.caller, { limit: PAGE_SIZE, cursor, search }),
			isFirst ? listRetired(registry, signedIn.caller) : [],
		]);
		return listPage(visit, { ...page, retired, search });
	}),
	"GET /print": forSignedIn(printAddresses),
	"GET /:code": forOwnAddress((visit, address) => showAddress(visit, address)),
	"GET /:code/label": forOwnAddress((visit, address) => textsPage(visit, address, address)),
	"POST /:code/label": forOwnAddress(saveTexts),
	"POST /:code/reports/:id": forOwnAddress(async (visit, address, code) => {
		const id = visit.c.req.param("id") ?? "";
		const { text: answer } = validateBody(reportAnswerSchema, { text: visit.form.get(id)?.trim() ?? "" });
		await answerReport(visit.registry, visit.signedIn.caller, { code, id, answer });
		return backTo(visit, address);
	}),
	"POST /:code/visibility": forOwnAddress(saveVisibility),
	"POST /:code/share": forOwnAddress(share),
	"POST /:code/end-links": forOwnAddress(async (visit, address, code) => {
		await endShares(visit.registry, visit.signedIn.caller, { code });
		return backTo(visit, address, "links-ended");
	}),
	"GET /:code/units": forOwnAddress(async (visit, address, code) =>
		unitsPage(visit, address, (await listUnits(visit.registry, visit.signedIn.caller, code)).units),
	),
	"POST /:code/units": forOwnAddress(saveUnit),
	"GET /:code/history": forOwnAddress(async (visit, address, code) =>
		historyPage(visit, address, await addressHistory(visit.registry, visit.signedIn.caller, code)),
	),
	"GET /:code/:placing{move|entrance}": forOwnAddress((visit, address) => showPin(visit, address, placingOf(visit))),
	"POST /:code/:placing{move|entrance}": forOwnAddress(movePin),
	"GET /:code/retire": forOwnAddress(async (visit, address) =>
		retirePage(visit, address, await othersOf(visit, address)),
	),
	"POST /:code/retire": forOwnAddress(retire),
});
