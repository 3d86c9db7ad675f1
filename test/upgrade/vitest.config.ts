import path from "node:path";
import { defineConfig } from "vitest/config";

/** Tests that need the previous release: `.ci/previous-release` makes it and runs them. */
export default defineConfig({
	root: path.join(import.meta.dirname, "../.."),
	test: { include: ["test/upgrade/**/*.test.ts"], environment: "node", testTimeout: 300_000, hookTimeout: 300_000 },
});
