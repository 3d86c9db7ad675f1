const ATTEMPTS = 3;
const FIRST_PAUSE_MILLISECONDS = 50;

function pause(milliseconds: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * Runs work that may safely be repeated, at most 3 times until it succeeds, with growing random pauses.
 * @param isWorthAnother Whether the next attempt may succeed after an error.
 * @throws What the last attempt throws.
 */
export async function inAttempts<Result>(
	work: () => Promise<Result>,
	isWorthAnother: (error: unknown) => boolean = () => true,
): Promise<Result> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await work();
		} catch (error) {
			if (attempt === ATTEMPTS || !isWorthAnother(error)) throw error;
			await pause(FIRST_PAUSE_MILLISECONDS * 2 ** attempt * Math.random());
		}
	}
}
