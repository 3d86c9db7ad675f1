import { afterEach, expect, it, vi } from "vitest";
import { call } from "../support/client.ts";

afterEach(() => vi.restoreAllMocks());

it.each([
	["/v1/public/addresses/NG-0421-58212", "/v1/public/addresses/:code"],
	["/v1/public/addresses/NG042158212.geojson", "/v1/public/addresses/:code{.+\\.geojson}"],
	["/a/NG-0421-58212", "/a/:code"],
	["/a/NG-0421-58212/print", "/a/:code/print"],
	["/my/sign-in", "/my/sign-in"],
	["/my/NG042158212", "/my/:code"],
	["/v1/no-such-path", "none"],
])("the line about %s names the pattern that answered", async (path, route) => {
	const info = vi.spyOn(console, "info");
	await call(path, { redirect: "manual", settings: { LOG_REQUESTS: "1" } });
	const lines = info.mock.calls.map(([line]) => JSON.parse(String(line)) as object);
	expect(lines).toContainEqual(expect.objectContaining({ event: "request", route }));
});

it("no request is logged unless the operator wants it, and as many as they want", async () => {
	const info = vi.spyOn(console, "info");
	const logged = () => info.mock.calls.filter(([line]) => String(line).includes('"event":"request"')).length;
	for (let index = 0; index < 20; index += 1) await call("/v1/no-such-path");
	expect(logged()).toBe(0);
	vi.spyOn(Math, "random").mockReturnValueOnce(0.2).mockReturnValueOnce(0.3);
	for (let index = 0; index < 2; index += 1) await call("/v1/no-such-path", { settings: { LOG_REQUESTS: "0.25" } });
	expect(logged()).toBe(1);
});
