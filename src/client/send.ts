/** Sends one call until it is answered, and repeats it only where that is safe. */
import type { Problem } from "#api-types";
import { RegistryError } from "./error.ts";

const TRIES = 3;
/**
 * The wait before the second try. It doubles before each further try, and up to half of it is left out at random, so that clients do not
 * all come at once.
 */
const FIRST_WAIT_MILLISECONDS = 250;
const TIMEOUT_MILLISECONDS = 10_000;
/** The longest Retry-After that is obeyed. */
const RETRY_AFTER_MAX_SECONDS = 90;

/** Problems that waiting a moment does not mend, though their status says so. */
const LASTING = /^(OTP_DISABLED|QUOTA_EXCEEDED)$/;

export interface Sending {
	/** Used in place of the platform's `fetch`. */
	fetch?: typeof fetch | undefined;
	/** Ends the call, which then throws the signal's reason. */
	signal?: AbortSignal | undefined;
}

interface Repeating extends Sending {
	/** Whether it is safe to send the call again after its answer may have been lost. */
	isRepeatable: boolean;
}

function failureOf({ headers, status }: Response, body?: Partial<Problem>): RegistryError {
	const problem = { code: "UNREADABLE_ANSWER", detail: `Status ${status}`, ...body, status } as const;
	return new RegistryError(problem, Number(headers.get("Retry-After")) || undefined);
}

/**
 * Sends a request once, and returns the JSON of the answer.
 * @throws RegistryError if there is none, or it is a problem; the signal's reason if it is aborted.
 */
export async function sendOnce(request: Request, { fetch: fetcher = fetch, signal }: Sending): Promise<unknown> {
	// `AbortSignal.any` would join the two signals, but Safari before 17.4, Chrome before 116 and Node before 20.3 lack it.
	const call = new AbortController();
	const end = () => call.abort(signal?.reason);
	const late = setTimeout(end, TIMEOUT_MILLISECONDS);
	signal?.addEventListener("abort", end);
	if (signal?.aborted) end();
	try {
		const answer = await fetcher(request, { signal: call.signal });
		const text = await answer.text();
		const isJson = /[/+]json\b/.test(answer.headers.get("Content-Type") ?? "");
		const body = isJson ? JSON.parse(text) : undefined;
		// A proxy or the page of a network that wants a sign-in answers 200 too.
		if (!answer.ok || (text && !body)) throw failureOf(answer, body);
		return body;
	} catch (error) {
		if (error instanceof RegistryError) throw error;
		signal?.throwIfAborted();
		throw new RegistryError({ code: "NO_ANSWER", detail: "No answer came." }, undefined, error);
	} finally {
		clearTimeout(late);
		signal?.removeEventListener("abort", end);
	}
}

/**
 * Whether a call that failed in this way may succeed when it is sent again. A 429 was not carried out, so any call may be repeated then.
 */
function isPassing({ code, status, retryAfter = 0 }: RegistryError, isRepeatable: boolean): boolean {
	if (LASTING.test(code) || retryAfter > RETRY_AFTER_MAX_SECONDS) return false;
	return status === 429 || (isRepeatable && /^(0|50[0234])$/.test(`${status}`));
}

/**
 * Sends a request, which is made anew for each try, and returns the JSON of the answer.
 * @throws RegistryError if no try succeeds; the signal's reason if it is aborted.
 */
export async function send(request: () => Request, sending: Repeating): Promise<unknown> {
	for (let tried = 1; ; tried += 1) {
		try {
			return await sendOnce(request(), sending);
		} catch (error) {
			if (tried === TRIES || !(error instanceof RegistryError) || !isPassing(error, sending.isRepeatable)) throw error;
			const pause = FIRST_WAIT_MILLISECONDS * 2 ** (tried - 1) * (0.5 + Math.random() / 2);
			await new Promise<unknown>((resume) => {
				setTimeout(resume, error.retryAfter ? error.retryAfter * 1000 : pause);
				sending.signal?.addEventListener("abort", resume, { once: true });
			});
		}
	}
}
