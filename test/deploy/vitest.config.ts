import path from "node:path";
import { defineConfig } from "vitest/config";
import { longestFirst } from "../support/longest-first.ts";

/** Apart from the others, because each of wrangler's runs starts a process. Two files at once, since one of them mostly waits for those. */
export default defineConfig({
	root: path.join(import.meta.dirname, "../.."),
	test: {
		include: ["test/deploy/**/*.test.ts"],
		environment: "node",
		maxWorkers: 2,
		// A run of wrangler takes 1.35 s of CPU instead of 1.6 with its code compiled already (`wrangler --version`, five runs each in turn).
		env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, "../../node_modules/.cache/compiled") },
		sequence: { sequencer: longestFirst(["deployment", "homes", "nation", "restore", "losses", "databases"]) },
		testTimeout: 600_000,
		hookTimeout: 600_000,
	},
});
