import path from "node:path";
import { defineConfig } from "vitest/config";

/** What measures a time, which company would lengthen. */
const TIMED = ["test/browser/first-paint.test.ts"];

const common = {
	environment: "node" as const,
	testTimeout: 60_000,
	// No test fails because the machine is busy.
	expect: { poll: { timeout: 50_000 } },
	hookTimeout: 120_000,
	setupFiles: ["test/browser/after-each.ts"],
	isolate: false,
};

/**
 * Apart from the other tests, because these need Debian's Chromium and pdftoppm (`apt-get install chromium chromium-headless-shell
 * poppler-utils`). All files ask one server, two at once; what measures a time has it to itself in the end.
 */
export default defineConfig({
	root: path.join(import.meta.dirname, "../.."),
	test: {
		globalSetup: ["test/browser/serve.ts"],
		maxWorkers: 2,
		projects: [
			{ test: { ...common, name: "browser", include: ["test/browser/**/*.test.ts"], exclude: TIMED } },
			{ test: { ...common, name: "timed", include: TIMED, sequence: { groupOrder: 1 } } },
		],
	},
});
