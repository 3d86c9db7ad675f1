/**
 * The result of some work, unless it takes too long.
 * @param milliseconds How long it may take. What is given up goes on, and its result is dropped.
 * @param message The message of the error that is thrown then.
 */
export async function beforeDeadline<Result>(
	work: Promise<Result>,
	milliseconds: number,
	message: string,
): Promise<Result> {
	const controller = new AbortController();
	const late = scheduler.wait(milliseconds, { signal: controller.signal }).then(() => {
		throw new Error(message);
	});
	// Aborting ends the wait with an error that nobody waits for.
	late.catch(() => {});
	try {
		return await Promise.race([work, late]);
	} finally {
		controller.abort();
	}
}
