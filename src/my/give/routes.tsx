import type { Context } from "hono";
import { accountSuspended } from "../../accounts/signed-in.ts";
import { listAddresses, ownAddress, shareAddress } from "../../addresses/actions.ts";
import { parseCode } from "../../codes/code.ts";
import { AppError } from "../../errors.ts";
import { keepPrivate } from "../../forms/console-page.tsx";
import { failureOf, fieldFailure } from "../../forms/failure.ts";
import { FOREIGN_FORM, forAnyone, readVisit, type SignedInVisit, type Visit } from "../../forms/visit.ts";
import { type AppEnv, newRoutes } from "../../http/app-env.ts";
import { choicePage, firstPage, GIVEN_DAYS, givePage, noShopPage, sentPage, strangerPage } from "./give-pages.tsx";
import { type Shop, shopOf } from "./shop.ts";

/** How many addresses are offered at once, the newest. */
const OFFERED_MAX = 20;

/** The page for a visit to a shop that can be sent something; else one that says why not. */
function forShop(visit: Visit, handle: (shop: Shop) => Response | Promise<Response>): Response | Promise<Response> {
	const shop = shopOf(visit.c.req.method === "GET" ? visit.c.get("url").searchParams : visit.form);
	return shop ? handle(shop) : noShopPage(visit, fieldFailure("", visit.words.give.unknown));
}

/**
 * A handler of a form that shows or sends what is the visitor's own. Who is not signed in is told how to be, in another tab: any website
 * can imitate a sign-in, so these pages never ask for a password.
 */
function forOwner(handle: (visit: SignedInVisit, shop: Shop) => Promise<Response>) {
	return forAnyone((visit) =>
		forShop(visit, (shop) => {
			const { signedIn } = visit;
			if (!signedIn) return strangerPage(visit, shop);
			if (signedIn.user.suspendedAt !== null) throw accountSuspended(visit.registry);
			return handle({ ...visit, signedIn }, shop);
		}),
	);
}

async function choose(visit: SignedInVisit, shop: Shop): Promise<Response> {
	const { registry, signedIn, form } = visit;
	const search = form.get("q") ?? "";
	const { addresses, nextCursor } = await listAddresses(registry, signedIn.caller, { limit: OFFERED_MAX, search });
	return choicePage(visit, shop, { addresses, search, hasMore: nextCursor !== undefined });
}

/** Shows the code that a button has chosen, for the script to send, with a link to it if the button asks for one. */
async function send(visit: SignedInVisit, shop: Shop): Promise<Response> {
	const { registry, signedIn, form } = visit;
	const link = form.get("link");
	const code = parseCode(link ?? form.get("code") ?? "");
	if (link === null) return sentPage(visit, shop, await ownAddress(registry, signedIn.caller, code), undefined);
	const { address, url } = await shareAddress(registry, signedIn.caller, { code, days: GIVEN_DAYS });
	return sentPage(visit, shop, address, url);
}

/**
 * The tab in which a customer of a shop sends it the code of one of their addresses. The field on the shop's page opens it (src/client).
 * Unlike all other pages it keeps the page that opened it, to send the code there. Mounted at /give.
 */
export const giveRoutes = newRoutes()
	.use(keepPrivate)
	// Without the session: neither the answer nor its time may depend on who is signed in.
	.get("/", async (c: Context<AppEnv>) => {
		const visit = await readVisit(c, new URLSearchParams(), "");
		return forShop(visit, (shop) => firstPage(visit, shop));
	})
	.post("/", forOwner(choose))
	.post("/send", forOwner(send));

giveRoutes.onError(async (error, c) => {
	const visit = await readVisit(c, new URLSearchParams(), "");
	const failure = failureOf(visit, error);
	const isForeignForm = error instanceof AppError && error.detail === FOREIGN_FORM;
	const message = isForeignForm ? visit.words.errors.form : failure.message;
	return givePage(visit, undefined, { title: message, failure: { ...failure, field: undefined, message } });
});
