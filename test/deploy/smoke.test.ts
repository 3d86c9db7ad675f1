import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { smokeTest } from "../../src/cli/smoke.ts";
import { DEMO_CODE } from "../../src/codes/demo.ts";
import { serveRegistry } from "../support/serve.ts";

const served = await serveRegistry(0);
afterAll(() => served.stop());

describe("npm run smoke", () => {
	it("runs the README's session against a deployment and leaves only a code that is used up", async () => {
		await smokeTest(served.url);
		const { results } = await served.database
			// The sandbox's fixed addresses and the example of the documents are there from the start.
			.prepare(
				"select country, retired_at is not null as retired from (select substr(canonical, 1, 2) as country, retired_at from addresses where canonical <> ?) where country <> 'ZZ'",
			)
			.bind(DEMO_CODE)
			.all();
		expect(results).toEqual([{ country: "BV", retired: 1 }]);
		const { results: users } = await served.database
			.prepare("select phone from users where phone not like '+1___55501__'")
			.all();
		expect(users).toEqual([]);
	});

	it("does not take another version for the one that was deployed", async () => {
		await expect(smokeTest(served.url, { version: "newer", waitMillisecondsMax: 0 })).rejects.toThrow(
			"The version that was deployed is newer.",
		);
	});

	it("says what is wrong with a deployment that does not serve", async () => {
		const broken = createServer((_, response) => void response.writeHead(503).end("no database"));
		await new Promise<void>((resolve) => void broken.listen(0, "127.0.0.1", resolve));
		const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
		await expect(smokeTest(url, { waitMillisecondsMax: 0 })).rejects.toThrow(`${url}/healthz answers: 503 no database`);
		broken.close();
	});
});
