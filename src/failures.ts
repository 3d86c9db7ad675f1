import { DATABASE_UNAVAILABLE, messagesOf } from "./db/retry.ts";
import { AppError, ConfigError } from "./errors.ts";
import { log } from "./logs/log.ts";
import { ZoneIndexError } from "./zones/format.ts";

/** The public error for anything thrown. Internal details go only to the log, with the id of the request. */
export function toAppError(error: unknown, requestId: string): AppError {
	if (error instanceof AppError) return error;
	const unavailable = { headers: { "Retry-After": "5" } };
	if (error instanceof ZoneIndexError) {
		log("error", "zone_index_unavailable", { request_id: requestId, reason: error.reason, message: error.message });
		return new AppError("UNAVAILABLE", "Zones cannot be looked up right now. Try again shortly.", unavailable);
	}
	if (error instanceof ConfigError) {
		log("error", "misconfigured", { request_id: requestId, message: error.message });
		return new AppError("UNAVAILABLE", "The service is not ready. Try again shortly.", unavailable);
	}
	const messages = messagesOf(error);
	log("error", "unexpected_error", { request_id: requestId, causes: messages });
	if (messages.some((message) => DATABASE_UNAVAILABLE.test(message))) {
		return new AppError("UNAVAILABLE", "The service cannot answer right now. Try again shortly.", unavailable);
	}
	return new AppError(
		"INTERNAL",
		"Something went wrong on our side. Give this request id to the operator if it happens again.",
	);
}
