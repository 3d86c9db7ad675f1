declare namespace Cloudflare {
	interface Env {
		DB: D1Database;
		ZONES: R2Bucket;
		AUTH_CALLS: RateLimit;
		LOOKUPS: RateLimit;
		BATCHES: RateLimit;
		MISSES: RateLimit;
		JWT_SECRETS: string;
		TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
		TEST_ZONES: ArrayBuffer;
	}

	interface GlobalProps {
		mainModule: typeof import("../../src/index.ts");
	}
}
