import { beforeAll, describe, expect, it } from "vitest";
import { json } from "../support/client.ts";
import { becomeHolder, ConsoleVisitor } from "../support/console-visitor.ts";
import { LAGOS } from "../support/people.ts";

const visitor = new ConsoleVisitor({ NEW_ADDRESSES_PER_ACCOUNT_AND_DAY: "3" });
beforeAll(async () => {
	await becomeHolder(visitor);
	await visitor.open("/my/file?lang=fr");
});

const batch = (count: number) =>
	JSON.stringify({ items: Array.from({ length: count }, (_, index) => ({ external_id: `m${index}`, ...LAGOS })) });
const fieldsOf = (count: number) => {
	const fields = visitor.fields("/my/file?lang=fr");
	fields.set("batch", batch(count));
	return fields;
};

describe("POST /my/file", () => {
	it("answers as POST /v1/addresses/batch does, to the account that is signed in", async () => {
		const answer = await json<{ data: { status: string; address: { canonical: string } }[] }>(
			visitor.post("/my/file", fieldsOf(1)),
		);
		expect(answer).toMatchObject({
			data: [{ external_id: "m0", status: "created" }],
			summary: { countries: { NG: 1 } },
		});
		await visitor.open(`/my/${answer.data[0]?.address.canonical}`);
		expect(visitor.status).toBe(200);
		await visitor.open("/my/file?lang=fr");
	});

	it("says in the visitor's language why not", async () => {
		const answer = await visitor.post("/my/file", fieldsOf(10));
		expect(await json(answer, 429)).toEqual({
			code: "QUOTA_EXCEEDED",
			detail: expect.stringContaining("limite du jour"),
		});
		expect(answer.headers.get("Content-Type")).toBe("application/problem+json");
		expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
		expect(answer.headers.get("Cache-Control")).toContain("no-store");
	});

	it("refuses forms of other sites, and a body that is too large", async () => {
		const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
		expect((await visitor.post("/my/file", fieldsOf(1), foreign)).status).toBe(403);
		const fields = fieldsOf(1);
		fields.set("form_token", "x");
		expect((await visitor.post("/my/file", fields)).status).toBe(403);
		fields.set("batch", "x".repeat(512 * 1024));
		expect((await visitor.post("/my/file", fields)).status).toBe(413);
	});

	it.each(["", "{", "[]"])("says that %j is no batch, which is no fault of ours", async (text) => {
		const fields = fieldsOf(1);
		fields.set("batch", text);
		expect(await json(visitor.post("/my/file", fields), 400)).toMatchObject({ code: "INVALID_REQUEST" });
	});

	it("asks strangers to sign in", async () => {
		const stranger = await new ConsoleVisitor().open("/my/file");
		expect(stranger.path).toContain("/my/sign-in");
		expect((await stranger.ask("/my/file", { method: "HEAD" })).status).toBe(303);
	});

	it("lets the page load its own scripts, and ask this registry alone", async () => {
		const policy = (await visitor.ask("/my/file")).headers.get("Content-Security-Policy") ?? "";
		expect(policy).toMatch(/script-src 'self';/);
		expect(policy).toContain("connect-src 'self'");
	});
});
