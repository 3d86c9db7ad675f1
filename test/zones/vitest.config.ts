import { defineConfig } from "vitest/config";

export default defineConfig({
	root: `${import.meta.dirname}/../..`,
	test: { name: "zones", include: ["test/zones/**/*.test.ts"], environment: "node", testTimeout: 120_000 },
});
