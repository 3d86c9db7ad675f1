import { app } from "./app.ts";
import type { Bindings } from "./env.ts";
import { scheduled } from "./jobs/scheduled.ts";

export default { fetch: app.fetch, scheduled } satisfies ExportedHandler<Bindings>;
