import type { Operation } from "../http/operation.ts";
import { zoneQuerySchema, zoneSchema } from "./schemas.ts";

export const zoneOperations: Operation[] = [
	{
		method: "get",
		path: "/v1/public/zones",
		id: "findZone",
		tag: "Resolve",
		summary: "Find the zone of a point",
		description: "Which zone holds a coordinate, without issuing anything.",
		access: "anyone",
		query: zoneQuerySchema,
		success: {
			status: 200,
			description: "The zone.",
			content: { "application/json": zoneSchema },
			conditional: true,
		},
		errors: ["OUTSIDE_ZONES"],
	},
];
