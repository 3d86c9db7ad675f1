import { DrizzleQueryError } from "drizzle-orm";

/** The failures of D1 itself that its documentation names, for which the request is not to blame. */
export const DATABASE_UNAVAILABLE =
	/Network connection lost|storage caused object to be reset|reset because its code was updated|Cannot resolve D1|overloaded|timed? ?out|exceeded its (CPU time|memory) limit|internal error/i;

/** The failures of D1 that an immediate retry does not make worse. */
const WORTH_A_RETRY =
	/Network connection lost|storage caused object to be reset|reset because its code was updated|Cannot resolve D1/i;

const ATTEMPTS = 3;
const FIRST_PAUSE_MILLISECONDS = 50;

/** The messages of an error and its causes, outermost first. A DrizzleQueryError's own holds bound values, which callers choose, so it is left out. */
export function messagesOf(error: unknown): string[] {
	const messages: string[] = [];
	for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
		messages.push(cause instanceof DrizzleQueryError ? "Failed query" : `${cause.name}: ${cause.message}`);
	}
	return messages;
}

function pause(milliseconds: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Runs what may safely be run twice, again when D1 did not answer: at most 3 times, with growing random pauses.
 */
export async function retryIdempotent<Answer>(work: () => Promise<Answer>): Promise<Answer> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await work();
		} catch (error) {
			if (attempt === ATTEMPTS || !messagesOf(error).some((message) => WORTH_A_RETRY.test(message))) throw error;
			await pause(FIRST_PAUSE_MILLISECONDS * 2 ** attempt * Math.random());
		}
	}
}
