import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { call, json, problem } from "../support/client.ts";
import { freshPhone, PASSWORD } from "../support/people.ts";
import { underWaits } from "../support/waits.ts";

it.each([
	["missing", () => Promise.resolve(new Response(null, { status: 404 }))],
	["too slow", () => new Promise<Response>(() => {})],
	["damaged", () => Promise.resolve(new Response("{"))],
])(
	"while the filter of common passwords is %s, signing up says when to try again, and works as soon as it is there",
	async (_, answer) => {
		const phone = freshPhone();
		const registration = { method: "POST", body: { phone, password: PASSWORD } };
		let isBroken = true;
		const ASSETS = { fetch: (url: URL) => (isBroken ? answer() : env.ASSETS.fetch(url)) } as unknown as Fetcher;
		const settings = { ASSETS };
		const refused = await underWaits({ assetsRead: 100 }, () =>
			call("/v1/auth/register", { ...registration, settings }),
		);
		expect(refused.headers.get("Retry-After")).toBe("5");
		await problem(refused, 503, "UNAVAILABLE");
		isBroken = false;
		expect(await json(call("/v1/auth/register", { ...registration, settings }), 201)).toMatchObject({
			user: { phone },
		});
	},
);
