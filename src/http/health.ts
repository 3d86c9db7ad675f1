import * as z from "zod";
import { json } from "./answer.ts";
import { anyone, endpoint } from "./endpoint.ts";

const healthSchema = z.object({ status: z.literal("ok") }).meta({ id: "Health" });

export const healthEndpoint = endpoint(
	{
		method: "get",
		path: "/healthz",
		id: "getHealth",
		tag: "Status",
		summary: "Check that the service is up",
		description: "Answers as long as the Worker runs. Neither the database nor the zone index is asked.",
		access: anyone,
		answer: json(200, healthSchema, "The service is up."),
	},
	() => ({ status: "ok" as const }),
);
