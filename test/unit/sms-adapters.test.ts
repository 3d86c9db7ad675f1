import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import africasTalking from "../../src/docs/samples/sms-africas-talking.ts";
import twilio from "../../src/docs/samples/sms-twilio.ts";
import { deliver } from "../../src/verification/gateway.ts";

/** A server in the place of the provider, which answers as the provider documents. */
let provider: Server;
let adapter: Server;
let origin = "";
let url = "";
const seen: { path: string; headers: Record<string, unknown>; body: string }[] = [];
let answer = { status: 201, body: {} as object };
let adapt: (request: Request) => Promise<Response>;

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

beforeAll(async () => {
	provider = createServer(async (request, response) => {
		const body = (await request.toArray()).join("");
		seen.push({ path: request.url ?? "", headers: request.headers, body });
		response.writeHead(answer.status, { "Content-Type": "application/json" }).end(JSON.stringify(answer.body));
	});
	adapter = createServer(async (request, response) => {
		const body = (await request.toArray()).join("");
		const { authorization = "" } = request.headers;
		const answered = await adapt(
			new Request("https://adapter.example", { method: "POST", headers: { authorization }, body }),
		);
		response.writeHead(answered.status).end();
	});
	await Promise.all([listen(provider), listen(adapter)]);
	origin = originOf(provider);
	url = originOf(adapter);
});
afterAll(() => {
	provider.close();
	adapter.close();
});

const recipients = (statusCode: number) => ({
	SMSMessageData: { Recipients: [{ statusCode, number: "+2348031234567" }] },
});
const send = (token = "t") => deliver({ url, token }, "+2348031234567", "Your code is 123456");

describe("the adapter for Africa's Talking", () => {
	beforeAll(() => {
		adapt = (request) =>
			africasTalking.fetch(request, {
				GATEWAY_TOKEN: "t",
				USERNAME: "sandbox",
				API_KEY: "k",
				FROM: "ADDR",
				PROVIDER: origin,
			});
	});

	it.each([
		["a message on its way", 201, recipients(101), "accepted"],
		["a number that is refused", 201, recipients(403), "refused"],
		["wrong credentials", 401, {}, "refused"],
		["a failure of its own", 500, {}, "unknown"],
	])("tells the registry of %s", async (_, status, body, delivery) => {
		answer = { status, body };
		expect(await send()).toBe(delivery);
		const { path, headers, body: sent } = seen.at(-1)!;
		expect([path, headers.apikey]).toEqual(["/version1/messaging", "k"]);
		expect(Object.fromEntries(new URLSearchParams(sent))).toEqual({
			username: "sandbox",
			to: "+2348031234567",
			message: "Your code is 123456",
			from: "ADDR",
		});
	});
});

describe("the adapter for Twilio", () => {
	beforeAll(() => {
		adapt = (request) =>
			twilio.fetch(request, {
				GATEWAY_TOKEN: "t",
				ACCOUNT_SID: "AC1",
				AUTH_TOKEN: "s",
				FROM: "+15005550006",
				PROVIDER: origin,
			});
	});

	it.each([
		[201, "accepted"],
		[400, "refused"],
		[503, "unknown"],
	])("tells the registry of an answer %i", async (status, delivery) => {
		answer = { status, body: {} };
		expect(await send()).toBe(delivery);
		const { path, headers, body } = seen.at(-1)!;
		expect([path, headers.authorization]).toEqual(["/2010-04-01/Accounts/AC1/Messages.json", `Basic ${btoa("AC1:s")}`]);
		expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
			To: "+2348031234567",
			From: "+15005550006",
			Body: "Your code is 123456",
		});
	});

	it("sends nothing for anybody but the registry", async () => {
		const before = seen.length;
		expect(await send("guessed")).toBe("refused");
		expect(seen).toHaveLength(before);
	});
});
