import { describe, expect, it, vi } from "vitest";
import { call, json, patch, post, problem, settle } from "../support/client.ts";
import { logged } from "../support/logged.ts";
import { OperatorVisitor, operate } from "../support/operators.ts";
import { AT_LAGOS, freshPhone, LAGOS, mint, newOwner, signUp, signUpAgent } from "../support/people.ts";
import { row, sql, value } from "../support/sql.ts";
import { until } from "../support/until.ts";

const attest = (token: string, canonical: string, body: object) =>
	post(`/v1/addresses/${canonical}/attestations`, { ...AT_LAGOS, ...body }, { token });
const attestPhone = (token: string, body: unknown) => post("/v1/auth/attest-phone", body, { token });

describe("an agent", () => {
	it("attests an address, which raises its level and never lowers it, and every attestation is kept", async () => {
		const agent = await signUpAgent();
		const { canonical } = await newOwner();
		const level = async () => (await json(call(`/v1/public/addresses/${canonical}`))).verification_level;
		const version = () => value("select version from addresses where canonical = ?", canonical);
		const first = await json(attest(agent.access, canonical, { level: 2, note: "Met the family" }), 201);
		expect(first).toEqual({
			id: expect.stringMatching(/^att_\w{22}$/),
			canonical,
			level: 2,
			note: "Met the family",
			verification_level: 2,
			created_at: expect.stringMatching(/Z$/),
		});
		expect([await level(), await version()]).toEqual([2, 2]);
		const display = `${canonical.slice(0, 2)}-${canonical.slice(2, 6)}-${canonical.slice(6)}`;
		expect(await json(attest(agent.access, display, { level: 1 }), 201)).toMatchObject({
			level: 1,
			note: "",
			verification_level: 2,
		});
		expect([await level(), await version()]).toEqual([2, 2]);
		await json(attest(agent.access, canonical, { level: 3, note: "" }), 201);
		expect([await level(), await version()]).toEqual([3, 3]);
		const results = await sql(
			"select agent_id, level, note from attestations where canonical = ? order by created_at, rowid",
			canonical,
		);
		expect(results).toEqual([
			{ agent_id: agent.user.id, level: 2, note: "Met the family" },
			{ agent_id: agent.user.id, level: 1, note: "" },
			{ agent_id: agent.user.id, level: 3, note: "" },
		]);
	});

	it("dates what it attested, and the page says so, also once the address has changed", async () => {
		const agent = await signUpAgent();
		const { canonical, access } = await newOwner();
		const verifiedAt = async () => (await json(call(`/v1/public/addresses/${canonical}`))).verified_at;
		const page = async () => (await call(`/a/${canonical}?lang=en`)).text();
		expect(await verifiedAt()).toBeNull();
		expect(await page()).toContain("Not verified: nobody has confirmed this address");
		const visit = await json(attest(agent.access, canonical, { level: 2 }), 201);
		expect(await verifiedAt()).toBe(visit.created_at);
		const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(
			Date.parse(String(visit.created_at)),
		);
		expect(await page()).toContain(`Visited on ${day}`);
		await json(attest(agent.access, canonical, { level: 1 }), 201);
		expect(await verifiedAt()).toBe(visit.created_at);
		const again = await json(attest(agent.access, canonical, { level: 2 }), 201);
		expect(await verifiedAt()).toBe(again.created_at);
		const change = patch(`/v1/addresses/${canonical}`, { label: "Green gate" }, { token: access });
		expect(await json(change)).toMatchObject({ verification_level: 0, verified_at: again.created_at });
		expect(await page()).toContain(`An agent visited on ${day}; the address has changed since.`);
	});

	it.each([
		[99, 0, 201],
		[101, 0, 422],
		[149, 50, 201],
		[151, 50, 422],
		[199, 5_000, 201],
		[201, 5_000, 422],
	])("attests from %s m away, exact to %s m: %s", async (metres, accuracy_m, status) => {
		const agent = await signUpAgent();
		const { canonical } = await newOwner();
		const position = { lat: LAGOS.lat + metres / 111_195, lng: LAGOS.lng, accuracy_m };
		const answer = await json(attest(agent.access, canonical, { level: 2, position }), status);
		if (status === 422) {
			expect(answer).toMatchObject({ code: "TOO_FAR", detail: expect.stringContaining(`${metres} metres`) });
			expect(answer).toMatchObject({ errors: [{ path: "position" }] });
		}
		expect(JSON.stringify(await json(call(`/v1/public/addresses/${canonical}`)))).not.toContain("position");
		const { attestations } = await json<{ attestations: object[] }>(
			call("/v1/auth/me/export", { token: agent.access }),
		);
		const kept = { canonical, position, distance_m: metres };
		expect(attestations).toMatchObject(status === 201 ? [kept] : []);
		const view = await json<{ attested: object[] }>(operate(`accounts/${agent.user.id}`));
		expect(view.attested).toMatchObject(status === 201 ? [kept] : []);
	});

	it("is counted for the operator when they are refused as too far", async () => {
		const agent = await signUpAgent();
		const { canonical } = await newOwner();
		const refusals = async () => {
			const { suspicious_today } = await json<{ suspicious_today: { name: string; count: number }[] }>(
				operate("figures"),
			);
			return suspicious_today.find(({ name }) => name === "agent_too_far")?.count ?? 0;
		};
		await settle();
		const before = await refusals();
		const position = { lat: LAGOS.lat + 0.01, lng: LAGOS.lng, accuracy_m: 5 };
		for (const _ of [1, 2]) await json(attest(agent.access, canonical, { level: 2, position }), 422);
		// Nobody but an agent causes it.
		const { access } = await signUp();
		await json(attest(access, canonical, { level: 2, position }), 403);
		await until(async () => (await refusals()) === before + 2);
		expect((await new OperatorVisitor().open("/operate")).text).toContain("agent_too_far");
	});

	it("is shown to the operator when nobody travels as fast", async () => {
		const agent = await signUpAgent();
		const abuja = { lat: 9.0579, lng: 7.4951 };
		const [here, there] = [await newOwner(), await newOwner(abuja)];
		const eventsOf = ({ canonical }: { canonical: string }, body: object) =>
			logged(() => json(attest(agent.access, canonical, body), 201), "agent_too_fast");
		for (const level of [1, 2]) expect(await eventsOf(here, { level })).toEqual([]);
		expect(await eventsOf(there, { level: 1, position: { ...abuja, accuracy_m: 10 } })).toHaveLength(1);
	});

	it.each([
		// 99 m from the pin as it was, and 110 m from it as it is then.
		["pin moved away", { lat: LAGOS.lat + 0.0001, lng: LAGOS.lng }, false, 422],
		["words changed", { label: "Police" }, true, 409],
	])("attests no address whose %s while they did", async (_, change, doesSay, refused) => {
		const agent = await signUpAgent();
		const { access, canonical } = await newOwner();
		const position = { lat: LAGOS.lat - 99 / 111_195, lng: LAGOS.lng, accuracy_m: 0 };
		const { updated_at } = await json(call(`/v1/public/addresses/${canonical}`));
		const [changed, attested] = await Promise.all([
			patch(`/v1/addresses/${canonical}`, change, { token: access }),
			attest(agent.access, canonical, { level: 2, position, ...(doesSay ? { updated_at } : {}) }),
		]);
		expect(changed.status).toBe(200);
		// Whichever came first, what is attested is never what nobody has seen.
		expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ verification_level: 0 });
		expect([201, refused]).toContain(attested.status);
	});

	it("attests what they read, and nothing that has changed since", async () => {
		const agent = await signUpAgent();
		const { access, canonical } = await newOwner();
		const path = `/v1/addresses/${canonical}`;
		const read = await json(call(path, { token: agent.access }));
		const changed = await json(patch(path, { label: "Police" }, { token: access }));
		await problem(attest(agent.access, canonical, { level: 2, updated_at: read.updated_at }), 409, "ADDRESS_CHANGED");
		const ofDay = attest(agent.access, canonical, { level: 2, updated_at: "2026-01-01" });
		const { detail } = await problem(ofDay, 400, "INVALID_REQUEST");
		expect(detail).toBe("updated_at: Send a time as the registry writes it, such as 2026-11-21T09:30:00.000Z.");
		const attestation = { level: 2, updated_at: changed.updated_at };
		const first = await json(attest(agent.access, canonical, attestation), 201);
		// The answer was lost, and the agent sends it again.
		expect(await json(attest(agent.access, canonical, attestation), 201)).toEqual(first);
		for (const [other, level] of [[agent, 3] as const, [await signUpAgent(), 2] as const])
			await problem(attest(other.access, canonical, { ...attestation, level }), 409, "ADDRESS_CHANGED");
	});

	it("attests no words of the last day without saying which they read", async () => {
		const agent = await signUpAgent();
		const { access, canonical } = await newOwner();
		const path = `/v1/addresses/${canonical}`;
		const changed = await json(patch(path, { label: "Police" }, { token: access }));
		const { detail } = await problem(attest(agent.access, canonical, { level: 2 }), 409, "ADDRESS_CHANGED");
		expect(detail).toContain("send its updated_at");
		expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ verification_level: 0 });
		await json(attest(agent.access, canonical, { level: 2, updated_at: changed.updated_at }), 201);
		const { access: other, canonical: calm } = await newOwner();
		await json(post(`/v1/addresses/${calm}/share`, {}, { token: other }), 201);
		await json(attest(agent.access, calm, { level: 2 }), 201);
		const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 25 * 3_600_000);
		await patch(`/v1/addresses/${calm}`, { label: "Old words" }, { token: other });
		clock.mockRestore();
		await json(attest(agent.access, calm, { level: 2 }), 201);
	});

	it("reads another time of each version, even of two that are made at one time", async () => {
		const { access, canonical } = await newOwner();
		const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now());
		const change = (label: string) => json(patch(`/v1/addresses/${canonical}`, { label }, { token: access }));
		const times = [await change("Blue gate"), await change("Police")].map(({ updated_at }) => updated_at);
		clock.mockRestore();
		expect(new Set(times).size).toBe(2);
	});

	it("leaves records that cannot be changed or deleted", async () => {
		const agent = await signUpAgent();
		const { canonical } = await newOwner();
		await json(attest(agent.access, canonical, { level: 1 }), 201);
		const { user } = await signUp();
		await json(attestPhone(agent.access, { phone: user.phone, user_id: user.id }));
		for (const statement of [
			"update attestations set level = 3",
			"delete from attestations",
			"update phone_proofs set user_id = 'usr_x'",
			"delete from phone_proofs",
		]) {
			await expect(sql(statement), statement).rejects.toThrow(/only ever added/);
		}
	});

	it("attests at a level from 1 to 3, from a position with its accuracy", async () => {
		const agent = await signUpAgent();
		const { canonical } = await newOwner();
		for (const body of [
			{},
			{ level: 0 },
			{ level: 4 },
			{ level: 1.5 },
			{ level: "1" },
			{ level: 1, note: 5 },
			{ level: 1, by: "x" },
			{ level: 1, position: undefined },
			{ level: 1, position: LAGOS },
			{ level: 1, position: { ...LAGOS, accuracy_m: -1 } },
			{ level: 1, position: { lat: 91, lng: 0, accuracy_m: 1 } },
		]) {
			await problem(attest(agent.access, canonical, body), 400, "INVALID_REQUEST");
		}
	});

	it("verifies the phone of the account that has it", async () => {
		const agent = await signUpAgent();
		const { access, user } = await signUp();
		const spaced = `${user.phone.slice(0, 4)} ${user.phone.slice(4)}`;
		expect(await json(attestPhone(agent.access, { phone: spaced, user_id: user.id }))).toEqual({
			user_id: user.id,
			phone: user.phone,
			phone_verified: true,
			pending: false,
		});
		expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ ...user, phone_verified: true });
		const proof = await row("select user_id, method, agent_id from phone_proofs where phone = ?", user.phone);
		expect(proof).toEqual({ user_id: user.id, method: "agent", agent_id: agent.user.id });
		const wrongPhone = attestPhone(agent.access, { phone: "0803", user_id: user.id });
		await problem(wrongPhone, 400, "INVALID_PHONE");
	});

	it("attests a number for no account that does not exist, nor for whichever account has it", async () => {
		const agent = await signUpAgent();
		const unnamed = attestPhone(agent.access, { phone: freshPhone() });
		expect((await problem(unnamed, 400, "INVALID_REQUEST")).errors).toMatchObject([{ path: "user_id" }]);
		const nobody = attestPhone(agent.access, { phone: freshPhone(), user_id: "usr_nobody" });
		await problem(nobody, 404, "NOT_FOUND");
	});
});

it.each([
	["those who are no agents", signUp],
	["agents who own them", signUpAgent],
])("%s attest neither an address nor a phone", async (_, whoever) => {
	const { access, user } = await whoever();
	const { canonical } = await mint(access, LAGOS);
	const phone = { phone: user.phone, user_id: user.id };
	for (const answer of [attest(access, canonical, { level: 3 }), attestPhone(access, phone)]) {
		await problem(answer, 403, "FORBIDDEN");
	}
	expect(await json(call(`/v1/public/addresses/${canonical}`))).toMatchObject({ verification_level: 0 });
	expect(await json(call("/v1/auth/me", { token: access }))).toMatchObject({ phone_verified: false });
});
