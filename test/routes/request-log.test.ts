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
	await call(path, { redirect: "manual" });
	const lines = info.mock.calls.map(([line]) => JSON.parse(String(line)) as object);
	expect(lines).toContainEqual(expect.objectContaining({ event: "request", route }));
});
