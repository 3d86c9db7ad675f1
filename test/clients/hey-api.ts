/** The same thirteen calls with `@hey-api/openapi-ts`, whose functions are named by the operations. */
import { createClient } from "./generated/hey-api/client/index.ts";
import {
	changeAddress,
	createAddress,
	createKey,
	getAddress,
	getAddressHistory,
	getCurrentUser,
	listAddresses,
	refreshTokens,
	register,
	resolveAddress,
	resolveAddressAsGeoJson,
	resolveAddresses,
	retireAddress,
} from "./generated/hey-api/index.ts";
import { taking } from "./taking.ts";

/** Runs all thirteen against a registry, for a phone that has no account yet. @throws Error where one does not succeed. */
export async function thirteenCalls(baseUrl: string, phone: string): Promise<string[]> {
	const client = createClient({ baseUrl });
	const { done, must } = taking();

	const password = "correct horse battery";
	const { refresh } = must("register", await register({ client, body: { phone, password } }));
	const { access } = must("refresh", await refreshTokens({ client, body: { refresh } }));
	const signedIn = { client, auth: access };
	const me = must("me", await getCurrentUser(signedIn));

	const key = must("key", await createKey({ ...signedIn, body: { name: `Of ${me.id}`, mode: "live" } }));
	const reading = { client, headers: { Authorization: `Api-Key ${key.key}` } };

	const point = { lat: 6.5244, lng: 3.3792 };
	const created = must(
		"create",
		await createAddress({ ...signedIn, headers: { "Idempotency-Key": "order-1" }, body: point }),
	);
	const path = { canonical: created.canonical };

	const { data: addresses } = must("list", await listAddresses({ ...signedIn, query: { limit: 5 } }));
	const record = must("read", await getAddress({ ...reading, path }));
	const changed = must("change", await changeAddress({ ...signedIn, path, body: { label: "Blue gate" } }));
	const resolved = must("resolve", await resolveAddress({ client, path: { code: changed.display } }));
	const feature = must("geojson", await resolveAddressAsGeoJson({ client, path: { code: changed.display } }));
	const [lng, lat]: [number, number] = feature.geometry.coordinates;

	const batch = must("batch", await resolveAddresses({ ...reading, body: { codes: [created.canonical, "x"] } }));
	const told = batch.data.map((item) =>
		item.status === "failed" ? item.problem.code : item.status === "found" ? item.address.label : item.status,
	);

	const { data: events } = must("history", await getAddressHistory({ ...signedIn, path }));
	const labels = events.map((event) => (event.change === "label" ? event.previous_label : event.at));

	const { response, error } = await retireAddress({ ...signedIn, path });
	if (error) throw new Error(`retire: ${error.code satisfies string}`);
	done.push("retire");

	const agrees = [addresses.length === 1, record.owned, resolved.lat === lat, resolved.lng === lng, response?.ok];
	if (agrees.includes(false) || told.join() !== "Blue gate,MALFORMED_CODE" || labels.length !== 2)
		throw new Error(`The answers disagree: ${JSON.stringify({ agrees, told, labels })}`);
	return done;
}
