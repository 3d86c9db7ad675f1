/** Thirteen calls as a developer writes them with `openapi-typescript` and `openapi-fetch`, from registration to retirement. */
import createClient from "openapi-fetch";
import type { paths } from "./generated/openapi-fetch.ts";
import { taking } from "./taking.ts";

/** Runs all thirteen against a registry, for a phone that has no account yet. @throws Error where one does not succeed. */
export async function thirteenCalls(baseUrl: string, phone: string): Promise<string[]> {
	const client = createClient<paths>({ baseUrl });
	const { done, must } = taking();

	const password = "correct horse battery";
	const { refresh } = must("register", await client.POST("/v1/auth/register", { body: { phone, password } }));
	const renewed = must("refresh", await client.POST("/v1/auth/token/refresh", { body: { refresh } }));
	const headers = { Authorization: `Bearer ${renewed.access}` };
	const me = must("me", await client.GET("/v1/auth/me", { headers }));

	const key = must("key", await client.POST("/v1/keys", { headers, body: { name: `Of ${me.id}`, mode: "live" } }));
	const reading = { Authorization: `Api-Key ${key.key}` };

	const created = must(
		"create",
		await client.POST("/v1/addresses", {
			headers,
			params: { header: { "Idempotency-Key": "order-1" } },
			body: { lat: 6.5244, lng: 3.3792 },
		}),
	);
	const path = { canonical: created.canonical };

	const { data: addresses } = must(
		"list",
		await client.GET("/v1/addresses", { headers, params: { query: { limit: 5 } } }),
	);
	const record = must("read", await client.GET("/v1/addresses/{canonical}", { headers: reading, params: { path } }));
	const changed = must(
		"change",
		await client.PATCH("/v1/addresses/{canonical}", { headers, params: { path }, body: { label: "Blue gate" } }),
	);
	const resolved = must(
		"resolve",
		await client.GET("/v1/public/addresses/{code}", { params: { path: { code: changed.display } } }),
	);
	const feature = must(
		"geojson",
		await client.GET("/v1/public/addresses/{code}.geojson", { params: { path: { code: changed.display } } }),
	);
	const [lng, lat] = feature.geometry.coordinates;

	const batch = must(
		"batch",
		await client.POST("/v1/public/addresses/batch", { headers: reading, body: { codes: [created.canonical, "x"] } }),
	);
	const told = batch.data.map((item) =>
		item.status === "failed" ? item.problem.code : item.status === "found" ? item.address.label : item.status,
	);

	const { data: events } = must(
		"history",
		await client.GET("/v1/addresses/{canonical}/history", { headers, params: { path } }),
	);
	const labels = events.map((event) => (event.change === "label" ? event.previous_label : event.at));

	const { response, error } = await client.DELETE("/v1/addresses/{canonical}", { headers, params: { path } });
	if (error) throw new Error(`retire: ${error.code satisfies string}`);
	done.push("retire");

	const agrees = [addresses.length === 1, record.owned, resolved.lat === lat, resolved.lng === lng, response.ok];
	if (agrees.includes(false) || told.join() !== "Blue gate,MALFORMED_CODE" || labels.length !== 2)
		throw new Error(`The answers disagree: ${JSON.stringify({ agrees, told, labels })}`);
	return done;
}
