import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { bundleWorker } from "../../.dev/bundle-worker.ts";
import * as source from "../support/acts.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const file = path.join(folder, "index.js");

beforeAll(() => bundleWorker(folder, "test/support/acts.ts"));

const isOfOperators = ({ path }: { path: string }) => path.startsWith("/v1/operator/");

const forms = ({ endpoints, fieldsOf }: typeof source) =>
	endpoints
		.filter((endpoint) => isOfOperators(endpoint) && endpoint.body)
		.map((endpoint) => {
			const { path, summary, description } = endpoint;
			return { path, summary, description, fields: fieldsOf(endpoint) };
		});

it("keeps what the console tells operators of each act", async () => {
	const bundled = (await import(pathToFileURL(file).href)) as typeof source;
	expect(forms(bundled)).toEqual(forms(source));
	expect(forms(source).length).toBeGreaterThan(10);
});

it("leaves out what only the documentation says", async () => {
	const bundled = (await import(pathToFileURL(file).href)) as typeof source;
	const documented = bundled.endpoints.filter((endpoint) => {
		const { id, tag, summary, description, body } = endpoint;
		return id || (isOfOperators(endpoint) ? !body && (summary || description) : tag || summary || description);
	});
	expect(documented.map(({ path }) => path)).toEqual([]);
	expect(bundled.endpoints.length).toBeGreaterThan(60);
});
