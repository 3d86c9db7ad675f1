import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { call, json, problem } from "../support/client.ts";
import { PASSWORD, signUp } from "../support/people.ts";

it.each([
	["missing", () => Promise.resolve(new Response(null, { status: 404 }))],
	["too slow", () => new Promise<Response>(() => {})],
	["damaged", () => Promise.resolve(new Response("{"))],
])(
	"while the numbering plans are %s, signing in says when to try again, and works as soon as they are there",
	async (_, answer) => {
		const { user } = await signUp();
		const login = { method: "POST", body: { phone: user.phone, password: PASSWORD } };
		let isBroken = true;
		const ASSETS = { fetch: (url: URL) => (isBroken ? answer() : env.ASSETS.fetch(url)) } as unknown as Fetcher;
		const settings = { ASSETS, ASSETS_READ_MILLISECONDS: 100 };
		const refused = await call("/v1/auth/login", { ...login, settings });
		expect(refused.headers.get("Retry-After")).toBe("5");
		await problem(refused, 503, "UNAVAILABLE");
		isBroken = false;
		expect(await json(call("/v1/auth/login", { ...login, settings }))).toMatchObject({ user: { phone: user.phone } });
	},
);
