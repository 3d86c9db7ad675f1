import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { mintItems } from "../../src/addresses/batch.ts";
import { batchItemSchema } from "../../src/addresses/schemas.ts";
import { call, json, patch, post } from "../support/client.ts";
import { inOneMinute } from "../support/minute.ts";
import { LAGOS, type SignedInUser, signUp } from "../support/people.ts";
import { callerOf, testRegistry } from "../support/registry.ts";
import { countOf, value } from "../support/sql.ts";

interface Item {
	external_id: string | null;
	status: string;
	address?: { canonical: string; label: string; external_id: string | null };
	differs?: string[];
	problem?: { code: string; detail: string; errors?: { path: string }[] };
}
interface Answer {
	data: Item[];
	summary: {
		countries: Record<string, number>;
		zones: { zone: string; items: number; left?: number }[];
		duplicates?: object[];
	};
}

let owner: SignedInUser;
beforeAll(async () => {
	owner = await signUp();
});

const send = (body: unknown, user = owner, settings = {}) =>
	post("/v1/addresses/batch", body, { token: user.access, settings });
const items = (count: number, from = 0) =>
	Array.from({ length: count }, (_, index) => ({
		external_id: `meter-${from + index}`,
		lat: LAGOS.lat + (from + index) / 100_000,
		lng: LAGOS.lng,
		label: `Meter ${from + index}`,
	}));
const rowsOf = ({ user }: SignedInUser) => countOf("addresses", "owner_id", user.id);

describe("POST /v1/addresses/batch", () => {
	it("creates each item once, however often it is sent", async () => {
		const user = await signUp();
		const first = await json<Answer>(send({ items: items(100) }, user));
		expect(new Set(first.data.map(({ status }) => status))).toEqual(new Set(["created"]));
		expect(new Set(first.data.map(({ address }) => address?.canonical)).size).toBe(100);
		expect(first.summary.countries).toEqual({ NG: 100 });
		expect(first.summary.zones.reduce((sum, { items }) => sum + items, 0)).toBe(100);
		const second = await json<Answer>(send({ items: items(100, 50) }, user));
		expect(second.data.map(({ status }) => status)).toEqual([
			...Array(50).fill("existing"),
			...Array(50).fill("created"),
		]);
		expect(await rowsOf(user)).toBe(150);
		const spent = await value("select count from daily_counts where subject = ?", `${user.user.id}:new-addresses`);
		expect(spent).toBe(150);
	});

	it("mints each once when batches race in several isolates, each of which takes one of an account at a time", async () => {
		const user = await signUp();
		const wanted = items(30).map((item) => {
			const { external_id: externalId, ...content } = batchItemSchema().parse(item);
			return { externalId, ...content };
		});
		const answers = await Promise.all(
			[1, 2, 3].map(async () => {
				const registry = testRegistry();
				return mintItems(registry, await callerOf(registry, user), { items: wanted, isDryRun: false });
			}),
		);
		const codes = answers.map((outcomes) =>
			outcomes.map((outcome) => ("address" in outcome ? outcome.address.canonical : outcome.status)).join(),
		);
		expect(new Set(codes).size).toBe(1);
		expect(await rowsOf(user)).toBe(30);
	});

	it("says what an item would become and creates nothing", async () => {
		const user = await signUp();
		const { data, summary } = await json<Answer>(send({ dry_run: true, items: items(3) }, user));
		expect(data.map(({ status }) => status)).toEqual(["would_create", "would_create", "would_create"]);
		expect(summary.countries).toEqual({ NG: 3 });
		expect(await rowsOf(user)).toBe(0);
	});

	it("tells in a dry run what is within 5 m of another item or of an own address, and what zones have left", async () => {
		const [user, stranger] = [await signUp(), await signUp()];
		const at = (external_id: string, metres: number) => ({ external_id, ...LAGOS, lat: LAGOS.lat - metres / 111_195 });
		const made = await json<Answer>(send({ items: [at("own", 0), at("retired", 300)] }, user));
		const [own, retired] = made.data.map(({ address }) => address?.canonical);
		await call(`/v1/addresses/${retired}`, { method: "DELETE", token: user.access });
		expect(made.summary).not.toHaveProperty("duplicates");
		const dry_run = true;
		const planned = [at("a", 4), at("b", 100), at("c", 104.9), at("d", 110), at("e", 301), at("own", 0)];
		const { summary } = await json<Answer>(send({ dry_run, items: planned }, user));
		expect(summary.duplicates).toEqual([
			{ external_id: "a", metres: 4, item: null, canonical: own },
			{ external_id: "c", metres: 4.9, item: "b", canonical: null },
		]);
		expect(summary.zones).toMatchObject([{ items: 5, left: expect.any(Number) }]);
		// In hundreds, so that nobody learns how many others create.
		expect((summary.zones[0]?.left ?? 1) % 100).toBe(0);
		const others = await json<Answer>(send({ dry_run, items: [at("x", 0)] }, stranger));
		expect(others.summary).toMatchObject({ duplicates: [] });
		expect(others.summary.zones[0], "whoever has no address in a zone is not told").not.toHaveProperty("left");
	});

	it("never moves an address silently, and names what differs", async () => {
		const user = await signUp();
		const [item] = items(1);
		const made = await json<Answer>(send({ items: [item] }, user));
		const code = made.data[0]?.address?.canonical ?? "";
		const moved = await json<Answer>(send({ items: [{ ...item, lat: 6.6 }] }, user));
		expect(moved.data[0]).toMatchObject({ status: "conflict", address: { canonical: code }, problem: { status: 409 } });
		const renamed = await json<Answer>(send({ items: [{ ...item, label: "Other" }] }, user));
		expect(renamed.data[0]).toMatchObject({ status: "existing", differs: ["label"], address: { label: "Meter 0" } });
		const hidden = await json<Answer>(send({ items: [{ ...item, visibility: "private" }] }, user));
		expect(hidden.data[0]).toMatchObject({ differs: ["visibility"], address: { visibility: "public" } });
		const { lat = 0, lng = 0 } = item as { lat?: number; lng?: number };
		const more = { ...item, directions: "Up the stairs", entrance: { lat: lat + 0.0001, lng } };
		const further = await json<Answer>(send({ items: [more] }, user));
		expect(further.data[0]).toMatchObject({ differs: ["directions", "entrance"], address: { entrance: null } });
		await patch(`/v1/addresses/${code}`, { visibility: "private", entrance: more.entrance }, { token: user.access });
		expect((await json<Answer>(send({ items: [item] }, user))).data[0]).toMatchObject({ differs: [] });
		await call(`/v1/addresses/${code}`, { method: "DELETE", token: user.access });
		const retired = await json<Answer>(send({ items: [item] }, user));
		expect(retired.data[0]).toMatchObject({ status: "failed", problem: { code: "ADDRESS_RETIRED" } });
	});

	it("fails the items at fault alone", async () => {
		const user = await signUp();
		const [good, other] = items(2);
		const mixed = [
			good,
			{ ...other, external_id: good?.external_id },
			{ external_id: "pole", lat: 95, lng: 3 },
			{ external_id: "long", ...LAGOS, label: "x".repeat(201) },
			{ external_id: "sea", lat: -45, lng: -20 },
			{ external_id: "typo", ...LAGOS, lable: "x" },
			{ external_id: "two words", ...LAGOS },
			LAGOS,
			null,
			"meter",
		];
		const { data } = await json<Answer>(send({ items: mixed }, user));
		expect(data.map(({ status }) => status)).toEqual(["created", ...Array(9).fill("failed")]);
		expect(data.slice(1).map(({ problem }) => problem?.code)).toEqual([
			...Array(3).fill("INVALID_REQUEST"),
			"OUTSIDE_ZONES",
			...Array(5).fill("INVALID_REQUEST"),
		]);
		expect(data.slice(1, 3).map(({ problem }) => problem?.errors?.map(({ path }) => path))).toEqual([
			["external_id"],
			["lat"],
		]);
		expect(await rowsOf(user)).toBe(1);
	});

	it("refuses more than 100 items and a body over 256 KiB whole", async () => {
		await json(send({ items: items(101) }), 400);
		await json(send({ items: [] }), 400);
		await json(send({ items: items(100).map((item) => ({ ...item, label: "x".repeat(3000) })) }), 413);
		expect(await rowsOf(owner)).toBe(0);
	});

	it("mints none where the quota of the day does not cover all", async () => {
		const user = await signUp();
		const settings = { NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: 10 };
		const answer = await send({ items: items(11) }, user, settings);
		expect(await json(answer, 429)).toMatchObject({
			code: "QUOTA_EXCEEDED",
			detail: expect.stringMatching(
				/has 10 left, but this call needs more\. .* restarts at 20..-..-..T00:00:00\.000Z\./,
			),
		});
		expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
		expect(answer.headers.get("RateLimit")).toMatch(/^"new-addresses";r=10;/);
		expect(await rowsOf(user)).toBe(0);
		const { summary } = await json<Answer>(send({ dry_run: true, items: items(11) }, user, settings));
		expect(summary).toMatchObject({ left_today: 10 });
	});

	it("takes so many batches a minute, dry runs among them", async () => {
		const user = await signUp();
		// The platform's smallest limit, of three, in the place of sixty.
		const settings = { PER_MINUTE_60: env.THREE_A_MINUTE };
		const one = async (dry_run: boolean) => send({ dry_run, items: items(1) }, user, settings);
		const answers = await inOneMinute(async () => [
			await one(true),
			await one(true),
			await one(true),
			await one(false),
		]);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
		expect(answers[3]?.headers.get("Retry-After")).toMatch(/^\d+$/);
		expect(answers[0]?.headers.get("RateLimit-Policy")).toContain('"batches";q=60;w=60');
		expect(await rowsOf(user)).toBe(0);
	});

	it("finds an address by its external id, for its owner alone", async () => {
		const [user, stranger] = [await signUp(), await signUp()];
		await send({ items: items(2) }, user);
		const own = await json<{ data: Item["address"][] }>(
			call("/v1/addresses?external_id=meter-1", { token: user.access }),
		);
		expect(own.data.map((address) => address?.external_id)).toEqual(["meter-1"]);
		const code = own.data[0]?.canonical;
		const others = await json<{ data: [] }>(call("/v1/addresses?external_id=meter-1", { token: stranger.access }));
		expect(others.data).toEqual([]);
		const seen = await json(call(`/v1/addresses/${code}`, { token: stranger.access }));
		expect(seen).not.toHaveProperty("external_id");
		expect(await json(call(`/v1/public/addresses/${code}`))).not.toHaveProperty("external_id");
	});
});
