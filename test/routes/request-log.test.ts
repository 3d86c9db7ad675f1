import { expect, it, vi } from "vitest";
import { call } from "../support/client.ts";
import { logged } from "../support/logged.ts";

it.each([
	["/v1/public/addresses/NG-0421-58212", "/v1/public/addresses/:code"],
	["/v1/public/addresses/NG042158212.geojson", "/v1/public/addresses/:code{.+\\.geojson}"],
	["/a/NG-0421-58212", "/a/:code"],
	["/a/NG-0421-58212/print", "/a/:code/print"],
	["/my/sign-in", "/my/sign-in"],
	["/my/NG042158212", "/my/:code"],
	["/v1/no-such-path", "none"],
])("the line about %s names the pattern that answered", async (path, route) => {
	const asked = () => call(path, { redirect: "manual", settings: { LOG_REQUESTS: "1" } });
	expect(await logged(asked, "request")).toMatchObject([{ route }]);
});

it("no request is logged unless the operator wants it, and as many as they want", async () => {
	const ask = async (times: number, settings = {}) => {
		for (let time = 0; time < times; time += 1) await call("/v1/no-such-path", { settings });
	};
	expect(await logged(() => ask(20), "request")).toEqual([]);
	const random = vi.spyOn(Math, "random").mockReturnValueOnce(0.2).mockReturnValueOnce(0.3);
	expect(await logged(() => ask(2, { LOG_REQUESTS: "0.25" }), "request")).toHaveLength(1);
	random.mockRestore();
});
