import { beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient, etagOf, parseCode, RegistryError, type TokenPair } from "../../src/client/index.ts";
import { asked, freshAddress, ORIGIN } from "../support/client.ts";
import { freshPhone, LAGOS, PASSWORD, signUp } from "../support/people.ts";

/** What the registry was asked, and what becomes of its answers on the way back. */
class Line {
	readonly sent: string[] = [];
	/** Answers to be lost, by the start of `METHOD path`, each after the registry has done what it was asked. */
	lost: string[] = [];
	/** Answers to be given instead of asking the registry. */
	instead: Response[] = [];
	readonly #address = freshAddress();

	readonly fetch: typeof fetch = async (input, init) => {
		const request = new Request(input as Request, init as RequestInit);
		const name = `${request.method} ${new URL(request.url).pathname}`;
		this.sent.push(name);
		const given = this.instead.shift();
		if (given) return given;
		request.headers.set("CF-Connecting-IP", this.#address);
		const answer = await asked().fetch(request);
		const index = this.lost.findIndex((start) => name.startsWith(start));
		if (index < 0) return answer;
		this.lost.splice(index, 1);
		await answer.arrayBuffer();
		throw new TypeError("Network connection lost.");
	};

	count(name: string): number {
		return this.sent.filter((sent) => sent === name).length;
	}
}

const failure = async (promise: Promise<unknown>): Promise<RegistryError> => {
	const error = await promise.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(RegistryError);
	return error as RegistryError;
};

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
	Response.json(
		{ type: "about:blank", title: "x", status, detail: "x", instance: "req_1", code },
		{ status, headers: { "Content-Type": "application/problem+json", ...headers } },
	);

let line: Line;
let tokens: TokenPair;
let client: Client;
beforeAll(async () => {
	line = new Line();
	const { access, refresh } = await signUp();
	tokens = { access, refresh };
	client = createClient({ registry: ORIGIN, tokens, onTokens: (fresh) => (tokens = fresh), fetch: line.fetch });
});

describe("the client", () => {
	it("creates one address though two answers are lost", async () => {
		line.lost = ["POST /v1/addresses", "POST /v1/addresses"];
		const { canonical } = await client.create({ ...LAGOS, label: "Blue gate" });
		expect(line.count("POST /v1/addresses")).toBe(3);
		const { data } = await client.list();
		expect(data.map((address) => address.canonical)).toEqual([canonical]);
		expect((await client.resolve(canonical.toLowerCase())).label).toBe("Blue gate");
		expect((await client.resolveAsGeoJson(canonical)).geometry.coordinates).toEqual([LAGOS.lng, LAGOS.lat]);
		expect((await client.zoneAt(LAGOS)).country).toBe("NG");
		expect((await client.resolveMany([canonical, "x"])).data.map(({ status }) => status)).toEqual(["found", "failed"]);
		await client.change(canonical, { label: "Red gate" });
		expect((await client.get(canonical)).label).toBe("Red gate");
		expect((await client.history(canonical)).data).toHaveLength(2);
		line.lost = ["PUT"];
		expect(await client.putUnit(canonical, "3 b/c", { label: "Left" })).toEqual({
			unit: "3B/C",
			name: "3B/C",
			label: "Left",
		});
		await client.putUnit(canonical, "4");
		await client.removeUnit(canonical, "4");
		for (const list of [client.listUnits, client.listOwnUnits]) {
			expect((await list(canonical)).data).toEqual([{ unit: "3B/C", name: "3B/C", label: "Left" }]);
		}
		const page = client.addressUrl(canonical.toLowerCase());
		expect(page).toBe(`${ORIGIN}/a/${canonical}`);
		expect(() => client.addressUrl("NG-0421-58213")).toThrow(TypeError);
		const next = await client.create(LAGOS);
		await client.retire(canonical, { successor: next.display });
		expect(await failure(client.resolve(canonical))).toMatchObject({
			...{ code: "ADDRESS_RETIRED", status: 410, successor: next.canonical },
		});
	});

	it("changes only what was read, also where the answer to the first attempt is lost", async () => {
		const created = await client.create({ ...LAGOS, label: "Blue gate" });
		const { canonical } = created;
		line.lost = ["PATCH"];
		const changed = await client.change(canonical, { label: "Red gate" }, { ifMatch: etagOf(created) });
		expect(etagOf(changed)).toBe(etagOf(await client.get(canonical)));
		const stale = { ifMatch: etagOf(created) };
		for (const call of [
			() => client.change(canonical, { label: "Green gate" }, stale),
			() => client.putUnit(canonical, "3B", stale),
			() => client.share(canonical, stale),
			() => client.endShares(canonical, stale),
			() => client.retire(canonical, stale),
		]) {
			expect(await failure(call())).toMatchObject({ code: "PRECONDITION_FAILED", status: 412 });
		}
		const shared = await client.share(canonical, { days: 1, ifMatch: etagOf(await client.resolve(canonical)) });
		expect(shared.url).toContain(`/a/${canonical}?share=`);
		line.lost = ["PUT", "DELETE"];
		const unit = await client.putUnit(canonical, "3B", { ifMatch: etagOf(shared) });
		await client.removeUnit(canonical, "3B", { ifMatch: etagOf(unit) });
		await client.endShares(canonical, { ifMatch: etagOf(await client.listOwnUnits(canonical)) });
		line.lost = ["DELETE"];
		await client.retire(canonical, { ifMatch: etagOf(await client.get(canonical)) });
		const { data } = await client.list();
		expect(() => etagOf(data)).toThrow(TypeError);
	});

	it("signs people in, and makes and revokes keys", async () => {
		const credentials = { phone: freshPhone(), password: PASSWORD };
		const person = createClient({ registry: ORIGIN, fetch: line.fetch });
		await person.register(credentials);
		expect((await person.me()).phone).toBe(credentials.phone);
		await person.logIn(credentials);
		const { key, id } = await person.createKey({ name: "k", mode: "live" });
		const system = createClient({ registry: ORIGIN, key, fetch: line.fetch });
		expect((await system.get("NG-1377-48215")).owned).toBe(false);
		expect(await person.listKeys()).toHaveLength(1);
		await person.revokeKey(id);
		expect((await failure(system.get("NG-1377-48215"))).code).toBe("INVALID_TOKEN");
	});

	it("refreshes once for calls that wait together", async () => {
		const { access, refresh } = await signUp();
		const stale = createClient({ registry: ORIGIN, tokens: { access: `${access}x`, refresh }, fetch: line.fetch });
		const before = line.count("POST /v1/auth/token/refresh");
		await Promise.all([stale.me(), stale.me(), stale.list()]);
		expect(line.count("POST /v1/auth/token/refresh")).toBe(before + 1);
	});

	it("sends a refresh token no second time when its answer is lost, and the session lives", async () => {
		const { access, refresh } = await signUp();
		const header = btoa(JSON.stringify({ exp: Date.now() / 1000 + 60 }));
		const expiring = createClient({
			registry: ORIGIN,
			tokens: { access: `x.${header}.x`, refresh },
			fetch: line.fetch,
		});
		const before = line.count("POST /v1/auth/token/refresh");
		line.lost = ["POST /v1/auth/token/refresh"];
		expect((await failure(expiring.me())).code).toBe("INVALID_TOKEN");
		expect((await failure(expiring.me())).code).toBe("INVALID_TOKEN");
		expect(line.count("POST /v1/auth/token/refresh")).toBe(before + 1);
		await createClient({ registry: ORIGIN, tokens: { access, refresh: "" }, fetch: line.fetch }).me();
	});

	it("keeps the token of a link out of the path, which logs hold", async () => {
		const before = line.sent.length;
		await client.resolve("https://addr.example/a/NG137748215?share=secret-token");
		expect(line.sent.slice(before)).toEqual(["GET /v1/public/addresses/https%3A%2F%2Faddr.example%2Fa%2FNG137748215"]);
	});

	it("registers nobody twice: a POST without an Idempotency-Key is sent once", async () => {
		const credentials = { phone: freshPhone(), password: PASSWORD };
		const before = line.count("POST /v1/auth/register");
		line.lost = ["POST /v1/auth/register"];
		expect(await failure(client.register(credentials))).toMatchObject({ code: "NO_ANSWER", status: 0 });
		expect(line.count("POST /v1/auth/register")).toBe(before + 1);
	});

	it.each([
		["a 503 for a while", problem(503, "UNAVAILABLE", { "Retry-After": "0" }), 2],
		["a 502 of a proxy", new Response("Bad gateway", { status: 502 }), 2],
		["a 429 for a second", problem(429, "RATE_LIMITED", { "Retry-After": "1" }), 2],
		["a 429 for an hour", problem(429, "RATE_LIMITED", { "Retry-After": "3600" }), 1],
		["a quota that is used up", problem(429, "QUOTA_EXCEEDED", { "Retry-After": "1" }), 1],
		["codes by SMS that are off", problem(503, "OTP_DISABLED"), 1],
		["a wrong check digit", problem(400, "BAD_CHECK_DIGIT"), 1],
	])("after %s it has sent a read so many times", async (_, answer, tries) => {
		const before = line.sent.length;
		line.instead = [answer];
		await client.resolve("NG-1377-48215").catch(() => {});
		expect(line.sent.length - before).toBe(tries);
	});

	it("gives up after three tries, and at once when it is told to", async () => {
		const before = line.sent.length;
		line.lost = Array(3).fill("GET");
		expect((await failure(client.resolve("NG-1377-48215"))).code).toBe("NO_ANSWER");
		expect(line.sent.length - before).toBe(3);
		line.instead = [problem(503, "UNAVAILABLE", { "Retry-After": "60" })];
		const reason = new Error("left the page");
		const stopping = new AbortController();
		setTimeout(() => stopping.abort(reason), 50);
		await expect(client.resolve("NG-1377-48215", { signal: stopping.signal })).rejects.toBe(reason);
	});

	it.each([200, 404])("takes no page of a proxy for an answer, whose status is %i", async (status) => {
		const headers = { "Content-Type": "text/html" };
		for (const call of [() => client.resolve("NG-1377-48215"), () => client.retire("NG-1377-48215")]) {
			line.instead = [new Response("<h1>Sign in to this network</h1>", { status, headers })];
			expect(await failure(call())).toMatchObject({ code: "UNREADABLE_ANSWER", status });
		}
	});

	it("tells what was wrong and how to mend it", async () => {
		const error = await failure(client.create({ lat: 95, lng: 3 }));
		expect(error).toMatchObject({ code: "INVALID_REQUEST", status: 400 });
		expect(error.errors.map(({ path }) => path)).toEqual(["lat"]);
		expect(error.requestId).toMatch(/^req_/);
		expect(parseCode("NG-1377-48212").mistake).toBe("wrong");
	});
});
