import path from "node:path";
import { defineConfig } from "vitest/config";

/** Apart from the other tests, because these need Debian's Chromium and pdftoppm (`apt-get install chromium poppler-utils`). */
export default defineConfig({
	root: path.join(import.meta.dirname, "../.."),
	test: {
		name: "browser",
		include: ["test/browser/**/*.test.ts"],
		globalSetup: ["test/browser/serve.ts"],
		environment: "node",
		testTimeout: 60_000,
		hookTimeout: 120_000,
		fileParallelism: false,
	},
});
