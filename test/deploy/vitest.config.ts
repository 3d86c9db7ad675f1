import path from "node:path";
import { defineConfig } from "vitest/config";

/** Apart from the others, because each of wrangler's runs starts a process. One file after the other leaves them the processors. */
export default defineConfig({
	root: path.join(import.meta.dirname, "../.."),
	test: {
		include: ["test/deploy/**/*.test.ts"],
		environment: "node",
		fileParallelism: false,
		testTimeout: 600_000,
		hookTimeout: 600_000,
	},
});
