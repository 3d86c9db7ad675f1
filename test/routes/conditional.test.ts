/** If-Match and ETags of owners: nobody overwrites what they have not read (RFC 9110 section 13.1.1). */
import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/api.ts";
import { codeOfSerial } from "../../src/codes/code.ts";
import { call, json, problem } from "../support/client.ts";
import { LAGOS, mint, newKey, newOwner, type SignedInUser, signUp } from "../support/people.ts";
import { row, sql, value } from "../support/sql.ts";

interface Write {
	method: string;
	path: string;
	body?: unknown;
	status: number;
	/** Whether it raises the version. */
	raises: boolean;
	/** Whether it has an ETag: not where the address is no more. */
	isTagged: boolean;
}

/** Every call that takes If-Match, as one that changes something. The address has the unit `1A`, with another label. */
const writes: Record<string, Write> = {
	changeAddress: { method: "PATCH", path: "", body: { label: "Mine" }, status: 200, raises: true, isTagged: true },
	retireAddress: { method: "DELETE", path: "", status: 204, raises: true, isTagged: false },
	shareAddress: { method: "POST", path: "/share", body: { days: 1 }, status: 201, raises: false, isTagged: true },
	endShares: { method: "DELETE", path: "/share", status: 204, raises: true, isTagged: true },
	putUnit: { method: "PUT", path: "/units/1A", body: { label: "Mine" }, status: 200, raises: true, isTagged: true },
	removeUnit: { method: "DELETE", path: "/units/1A", status: 204, raises: true, isTagged: true },
};

/** A code that nobody has. */
const UNUSED = codeOfSerial("NG", "0000", 1) ?? "";

type Owned = Pick<SignedInUser, "access"> & { canonical: string };

const at = ({ canonical }: Owned, path = "") => `/v1/addresses/${canonical}${path}`;
const etagOf = (answer: Response) => answer.headers.get("ETag") ?? "";
const read = (owned: Owned) => call(at(owned), { token: owned.access });
const send = (owned: Owned, { method, path, body }: Pick<Write, "method" | "path" | "body">, ifMatch?: string) =>
	call(at(owned, path), {
		method,
		token: owned.access,
		body,
		headers: ifMatch === undefined ? {} : { "If-Match": ifMatch },
	});
const relabel = (owned: Owned, label: string, ifMatch?: string) =>
	send(owned, { method: "PATCH", path: "", body: { label } }, ifMatch);
const versionOf = ({ canonical }: Owned) => value("select version from addresses where canonical = ?", canonical);

/** Everything of an address that these writes change. */
const stateOf = async ({ canonical }: Owned) => [
	await row(
		"select version, label, lat, lng, entrance, visibility, retired_at, share_count from addresses where canonical = ?",
		canonical,
	),
	await sql("select unit, label from units where canonical = ? order by unit", canonical),
	await sql("select * from address_changes where canonical = ? order by id", canonical),
];

/** An address with a unit, and its current ETag. */
async function newTagged(): Promise<Owned & { etag: string; user: { id: string } }> {
	const owned = await newOwner();
	const named = await send(owned, { method: "PUT", path: "/units/1A", body: { label: "Left" } });
	return { ...owned, etag: etagOf(named) };
}

it("the list of writes is complete", () => {
	const taking = endpoints.filter(({ headers }) => headers?.().safeParse({ "if-match": "x" }).success === false);
	expect(taking.map(({ id }) => id).sort()).toEqual(Object.keys(writes).sort());
});

describe.each(Object.entries(writes))("%s", (_, write) => {
	it("changes only the version that If-Match names, and says the next one", async () => {
		const owned = await newTagged();
		await relabel(owned, "Theirs");
		const before = await stateOf(owned);
		await problem(send(owned, write, owned.etag), 412, "PRECONDITION_FAILED");
		expect(await stateOf(owned)).toEqual(before);
		const version = Number(await versionOf(owned));
		const answer = await send(owned, write, etagOf(await read(owned)));
		expect(answer.status).toBe(write.status);
		expect(await versionOf(owned)).toBe(write.raises ? version + 1 : version);
		expect(etagOf(answer)).toBe(write.isTagged ? etagOf(await read(owned)) : "");
		expect(await stateOf(owned)).not.toEqual(before);
	});

	it.each<[string, (etag: string) => string]>([
		["*", () => "*"],
		["a list that holds it", (etag) => `"x", ${etag} ,, "1-record-000000000000"`],
		["a weak one, as proxies make it", (etag) => `W/${etag}`],
		["that of another format", (etag) => etag.replace(/-.*/, '-geojson-0123456789ab"')],
	])("is done with %s", async (_, ifMatch) => {
		const owned = await newTagged();
		expect((await send(owned, write, ifMatch(owned.etag))).status).toBe(write.status);
	});

	it.each([
		['"x"'],
		['""'],
		['"2"'],
		['W/"1-record-000000000000"'],
		['"1-record-000000000000", "1-json-000000000000", "3-units-000000000000"'],
		['"2-record-0"'],
	])("is refused with %s, which names another version or none", async (ifMatch) => {
		const owned = await newTagged();
		const before = await stateOf(owned);
		await problem(send(owned, write, ifMatch), 412, "PRECONDITION_FAILED");
		expect(await stateOf(owned)).toEqual(before);
	});

	it.each([["2"], ["2-record-000000000000"], ['"2'], ['*, "x"'], ['"a""b"'], ['w/"x"'], [`"${"x".repeat(1000)}"`]])(
		"calls %s no ETag",
		async (ifMatch) => {
			const owned = await newTagged();
			const before = await stateOf(owned);
			const { errors } = await problem(send(owned, write, ifMatch), 400, "INVALID_REQUEST");
			expect(errors).toMatchObject([{ path: "if-match" }]);
			expect(await stateOf(owned)).toEqual(before);
		},
	);

	it("refuses If-None-Match by name", async () => {
		const owned = await newTagged();
		const before = await stateOf(owned);
		const { method, path, body } = write;
		const headers = { "If-None-Match": "*" };
		const { errors } = await problem(
			call(at(owned, path), { method, token: owned.access, body, headers }),
			400,
			"INVALID_REQUEST",
		);
		expect(errors).toMatchObject([{ path: "if-none-match" }]);
		expect(await stateOf(owned)).toEqual(before);
	});

	it("tells a stranger nothing of the version, and who has no address that it has none", async () => {
		const owned = await newTagged();
		const { access } = await signUp();
		for (const ifMatch of ["*", owned.etag, '"99-record-000000000000"']) {
			await problem(send({ ...owned, access }, write, ifMatch), 403, "FORBIDDEN");
			await problem(send({ canonical: UNUSED, access }, write, ifMatch), 404, "ADDRESS_NOT_FOUND");
			await problem(
				call(at(owned, write.path), { method: write.method, headers: { "If-Match": ifMatch } }),
				401,
				"UNAUTHENTICATED",
			);
		}
	});

	it("is held to it for a key as for a person", async () => {
		const owned = await newTagged();
		const { key } = await newKey(owned, { scopes: ["addresses:write"] });
		const byKey = { ...owned, access: key };
		await relabel(owned, "Theirs");
		await problem(send(byKey, write, owned.etag), 412, "PRECONDITION_FAILED");
		expect((await send(byKey, write, etagOf(await read(byKey)))).status).toBe(write.status);
	});

	it("of a retired address is answered as without If-Match", async () => {
		const owned = await newTagged();
		await send(owned, writes.retireAddress as Write, owned.etag);
		const version = await versionOf(owned);
		for (const ifMatch of [undefined, owned.etag, "*"]) {
			const { status } = await send(owned, write, ifMatch);
			expect(status).toBe(write === writes.retireAddress ? 204 : 410);
		}
		expect(await versionOf(owned)).toBe(version);
	});
});

describe("a write with a stale If-Match whose effect is there already", () => {
	const again: [string, Pick<Write, "method" | "path" | "body">, number][] = [
		["a label", { method: "PATCH", path: "", body: { label: "Mine" } }, 200],
		["a pin", { method: "PATCH", path: "", body: { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng } }, 200],
		["an entrance", { method: "PATCH", path: "", body: { entrance: { lat: 6.5245, lng: 3.3792 } } }, 200],
		["no entrance", { method: "PATCH", path: "", body: { entrance: null, label: "Mine" } }, 200],
		["a visibility", { method: "PATCH", path: "", body: { visibility: "private" } }, 200],
		["a unit", { method: "PUT", path: "/units/2b", body: { label: "Right" } }, 200],
		["a removed unit", { method: "DELETE", path: "/units/1A" }, 204],
		["a retirement", { method: "DELETE", path: "" }, 204],
	];
	it.each(again)("succeeds and writes nothing: %s", async (_, write, status) => {
		const owned = await newTagged();
		const first = await send(owned, write, owned.etag);
		expect(first.status).toBe(status);
		const before = await stateOf(owned);
		const second = await send(owned, write, owned.etag);
		expect(second.status).toBe(status);
		expect(etagOf(second)).toBe(etagOf(first));
		if (status === 200) expect(await second.json()).toEqual(await first.json());
		expect(await stateOf(owned)).toEqual(before);
	});

	it("is refused where only a part of it is there", async () => {
		const owned = await newTagged();
		await relabel(owned, "Mine");
		const both = { method: "PATCH", path: "", body: { label: "Mine", visibility: "private" } };
		await problem(send(owned, both, owned.etag), 412, "PRECONDITION_FAILED");
		const unit = { method: "PUT", path: "/units/1A", body: { label: "Other" } };
		await problem(send(owned, unit, owned.etag), 412, "PRECONDITION_FAILED");
	});
});

describe("the ETag of an address", () => {
	it("is on its creation and on every read by its owner, the same until something changes", async () => {
		const { access } = await signUp();
		const created = await call("/v1/addresses", { method: "POST", token: access, body: LAGOS });
		const owned = { access, canonical: (await json(created, 201)).canonical as string };
		expect(etagOf(created)).toMatch(/^"1-record-[0-9a-f]{12}"$/);
		expect(etagOf(await read(owned))).toBe(etagOf(created));
		expect((await relabel(owned, "Mine", etagOf(created))).status).toBe(200);
		expect(etagOf(await read(owned))).not.toBe(etagOf(created));
	});

	it.each(["", ".geojson", "/units"])("of the public %s serves for a change", async (format) => {
		const owned = await newOwner();
		await relabel(owned, "Theirs");
		const shown = etagOf(await call(`/v1/public/addresses/${owned.canonical}${format}`));
		expect((await relabel(owned, "Mine", shown)).status).toBe(200);
		await problem(relabel(owned, "Late", shown), 412, "PRECONDITION_FAILED");
	});

	it("of its page and its drawings serves too", async () => {
		const owned = await newOwner();
		for (const path of [`/a/${owned.canonical}`, `/v1/addresses/${owned.canonical}/qr.svg`]) {
			const shown = etagOf(await call(path));
			await problem(relabel(owned, "Mine", shown.replace('"', '"9')), 412, "PRECONDITION_FAILED");
			expect((await relabel(owned, path, shown)).status, path).toBe(200);
		}
	});

	it.each(["", "/units"])("lets the owner's GET%s answer 304 while nothing has changed", async (path) => {
		const owned = await newTagged();
		const get = (etag: string) => call(at(owned, path), { token: owned.access, headers: { "If-None-Match": etag } });
		const etag = etagOf(await call(at(owned, path), { token: owned.access }));
		const unchanged = await get(`W/${etag}`);
		expect([unchanged.status, etagOf(unchanged), unchanged.headers.get("Cache-Control")]).toEqual([
			304,
			etag,
			"no-store",
		]);
		await send(owned, { method: "PUT", path: "/units/9", body: {} });
		expect((await get(etag)).status).toBe(200);
	});

	it("of a creation that is sent again is the current one", async () => {
		const { access } = await signUp();
		const create = () =>
			call("/v1/addresses", { method: "POST", token: access, body: LAGOS, headers: { "Idempotency-Key": "order-1" } });
		const owned = { access, canonical: (await json(create(), 201)).canonical as string };
		await relabel(owned, "Theirs");
		expect((await relabel(owned, "Mine", etagOf(await create()))).status).toBe(200);
	});

	it("is shown to pages of other origins, which may send If-Match", async () => {
		const owned = await newOwner();
		const headers = {
			Origin: "https://shop.example",
			"Access-Control-Request-Method": "PATCH",
			"Access-Control-Request-Headers": "if-match",
		};
		const preflight = await call(at(owned), { method: "OPTIONS", headers });
		expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("If-Match");
		const answer = await read(owned);
		expect(answer.headers.get("Access-Control-Expose-Headers")).toBe("*");
	});
});

it("of racing changes with one ETag exactly one is done, and nothing of it is lost", async () => {
	const owned = await newTagged();
	const labels = Array.from({ length: 12 }, (_, index) => `Gate ${index}`);
	const answers = await Promise.all(labels.map((label) => relabel(owned, label, owned.etag)));
	const done = labels.filter((_, index) => answers[index]?.status === 200);
	expect(done).toHaveLength(1);
	expect(answers.filter(({ status }) => status === 412)).toHaveLength(11);
	expect(await json(read(owned))).toMatchObject({ label: done[0] });
	expect(await versionOf(owned)).toBe(3);
});

it("of a racing pin, unit, link and retirement with one ETag no two are done", async () => {
	const owned = await newTagged();
	const racing: Pick<Write, "method" | "path" | "body">[] = [
		{ method: "PATCH", path: "", body: { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng } },
		{ method: "PATCH", path: "", body: { entrance: { lat: 6.5245, lng: 3.3792 } } },
		{ method: "PUT", path: "/units/7", body: {} },
		{ method: "DELETE", path: "/units/1A" },
		{ method: "DELETE", path: "/share" },
		{ method: "DELETE", path: "" },
	];
	const answers = await Promise.all(racing.map((write) => send(owned, write, owned.etag)));
	const statuses = answers.map(({ status }) => status);
	expect(statuses.filter((status) => status < 300)).toHaveLength(1);
	expect(await versionOf(owned)).toBe(3);
});

it("a unit that the address does not have is not made with *, which changes only what is there", async () => {
	const owned = await newTagged();
	const put = (unit: string, ifMatch: string) =>
		send(owned, { method: "PUT", path: `/units/${unit}`, body: {} }, ifMatch);
	await problem(put("2B", "*"), 412, "PRECONDITION_FAILED");
	expect((await put("1A", "*")).status).toBe(200);
	expect((await put("2B", etagOf(await read(owned)))).status).toBe(200);
});

it("a refused change spends nothing of the day's changes", async () => {
	const owned = await newTagged();
	const spent = () => value("select count from daily_counts where subject like ? || ':changes'", owned.user.id);
	const before = await spent();
	await problem(relabel(owned, "Mine", '"9-record-000000000000"'), 412, "PRECONDITION_FAILED");
	expect(await spent()).toBe(before);
});

it("a change that would be refused for a point meant for another version is told of the version first", async () => {
	const owned = await newTagged();
	await relabel(owned, "Theirs");
	const far = { method: "PATCH", path: "", body: { entrance: { lat: LAGOS.lat + 0.01, lng: LAGOS.lng } } };
	await problem(send(owned, far, owned.etag), 412, "PRECONDITION_FAILED");
	await problem(send(owned, far, etagOf(await read(owned))), 422, "TOO_FAR");
});

it("without If-Match everything goes on as before", async () => {
	const owned = await newTagged();
	await relabel(owned, "Theirs");
	for (const write of [
		writes.changeAddress,
		writes.putUnit,
		writes.shareAddress,
		writes.endShares,
		writes.removeUnit,
		writes.retireAddress,
	]) {
		expect((await send(owned, write as Write)).status).toBe(write?.status);
	}
});

it("creating ignores If-Match, because there is nothing yet that it could match", async () => {
	const { access } = await signUp();
	expect(await mint(access, LAGOS, { "If-Match": '"x"' })).toMatchObject({ country: "NG" });
});
