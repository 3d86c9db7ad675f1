import path from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = path.join(import.meta.dirname, "..");

export default defineConfig(async () => ({
	root,
	test: {
		// One structured line a request would bury the results.
		onConsoleLog: (line: string) => !line.includes(`"event":"`),
		projects: [
			{
				root,
				test: { name: "unit", include: ["test/unit/**/*.test.ts"], environment: "node", testTimeout: 60_000 },
			},
			{
				root,
				test: {
					name: "zones",
					include: ["test/zones/**/*.test.ts"],
					environment: "node",
					testTimeout: 120_000,
					hookTimeout: 120_000,
				},
			},
			{
				root,
				plugins: [
					cloudflareTest({
						wrangler: { configPath: path.join(root, "wrangler.toml") },
						miniflare: {
							cf: false,
							bindings: {
								JWT_SECRETS: "test:0123456789abcdef0123456789abcdef",
								TEST_MIGRATIONS: await readD1Migrations(path.join(root, "migrations")),
							},
							dataBlobBindings: { TEST_ZONES: path.join(root, "zones/world.zones") },
						},
					}),
				],
				test: {
					name: "worker",
					include: ["test/{store,routes,flow}/**/*.test.ts"],
					globalSetup: ["test/support/sms-gateway.ts"],
					setupFiles: ["test/support/worker-setup.ts"],
					testTimeout: 30_000,
				},
			},
		],
	},
}));
