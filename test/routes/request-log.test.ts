import { expect, it } from "vitest";
import { call } from "../support/client.ts";

it.each([
	["/v1/public/addresses/NG-0421-58212", "/v1/public/addresses/:code"],
	["/v1/public/addresses/NG042158212.geojson", "/v1/public/addresses/:code{.+\\.geojson}"],
	["/a/NG-0421-58212", "/a/:code"],
	["/a/NG-0421-58212/print", "/a/:code/print"],
	["/my/sign-in", "/my/sign-in"],
	["/my/NG042158212", "/my/:code"],
	["/v1/no-such-path", "none"],
])("what is counted of %s names the pattern that answered, and nothing of the code", async (path, route) => {
	const points: (AnalyticsEngineDataPoint | undefined)[] = [];
	const METRICS = { writeDataPoint: (point?: AnalyticsEngineDataPoint) => void points.push(point) };
	await call(path, { redirect: "manual", settings: { METRICS } });
	expect(points).toMatchObject([{ indexes: [route], blobs: [`GET ${route}`, "", expect.any(String)] }]);
});
