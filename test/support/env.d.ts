declare namespace Cloudflare {
	type Bindings = import("../../src/env.ts").Bindings;

	interface Env extends Bindings {
		JWT_SECRETS: string;
		SHARE_SECRETS: string;
		JOURNAL_SECRETS: string;
		/** The Worker as it is deployed. */
		DEPLOYED: Fetcher;
		/** A database without a table, in which every statement fails. */
		EMPTY_DB: D1Database;
		/** A database whose tables a test makes. */
		UNFILLED_DB: D1Database;
		/** A limit that a test soon reaches. */
		THREE_A_MINUTE: RateLimit;
		/** A bucket without a zone index. */
		TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
		TEST_ZONES: ArrayBuffer;
	}

	interface GlobalProps {
		mainModule: typeof import("../../src/index.ts");
	}
}

declare module "*.csv?raw" {
	const text: string;
	export default text;
}
