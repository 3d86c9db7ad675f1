import { inAttempts } from "../time/attempts.ts";

/** The error of a creation while a restore runs, which does not know yet which codes were issued since. */
export const RESTORING = "a restore is under way";

/** The transient failures that D1's documentation names, an export or a restore that runs: the request is not at fault. */
export const DATABASE_UNAVAILABLE =
	/a restore is under way|Network connection lost|storage caused object to be reset|reset because its code was updated|Cannot resolve D1|long-running export|overloaded|timed? ?out|exceeded its (CPU time|memory) limit|exceeded maximum \w+ size|internal error|storage limit|database or disk is full|disk I\/O error|database is locked|disk image is malformed|SQLITE_(FULL|BUSY|IOERR|CORRUPT)/i;

/** The failures of D1 after which an immediate retry does no harm. */
const WORTH_A_RETRY =
	/Network connection lost|storage caused object to be reset|reset because its code was updated|Cannot resolve D1/i;

/** The messages of an error and its causes, outermost first. */
export function messagesOf(error: unknown): string[] {
	const messages: string[] = [];
	for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
		messages.push(`${cause.name}: ${cause.message}`);
	}
	return messages;
}

/** Runs something idempotent, and again if D1 did not respond. */
export function retryIdempotent<Answer>(work: () => Promise<Answer>): Promise<Answer> {
	return inAttempts(work, (error) => messagesOf(error).some((message) => WORTH_A_RETRY.test(message)));
}
