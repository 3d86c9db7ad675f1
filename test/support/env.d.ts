declare namespace Cloudflare {
	type Bindings = import("../../src/env.ts").Bindings;

	interface Env extends Bindings {
		JWT_SECRETS: string;
		TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
		TEST_ZONES: ArrayBuffer;
	}

	interface GlobalProps {
		mainModule: typeof import("../../src/index.ts");
	}
}
