import * as z from "zod";
import type { Operation } from "../http/operation.ts";

const healthSchema = z.object({ status: z.literal("ok") }).meta({ id: "Health" });

export const statusOperations: Operation[] = [
	{
		method: "get",
		path: "/healthz",
		id: "getHealth",
		tag: "Status",
		summary: "Is it up?",
		description: "Answers while the Worker runs; asks neither the database nor the zones.",
		access: "anyone",
		success: { status: 200, description: "It is.", content: { "application/json": healthSchema } },
	},
];
