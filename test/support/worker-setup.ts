import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { secretsIn, watch, watched } from "./secrecy.ts";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await env.ZONES.put("world.zones", env.TEST_ZONES);

for (const level of ["debug", "info", "log", "warn", "error"] as const) {
	const write = console[level];
	console[level] = (...values: unknown[]) => {
		watch(`console.${level}`, values.map(String).join(" "));
		write.apply(console, values);
	};
}

afterAll(() => {
	const leaks = watched.filter(({ text }) => secretsIn(text).length > 0);
	expect(leaks, "log lines and errors that hold a secret").toEqual([]);
});
