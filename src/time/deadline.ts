/**
 * Returns the result of some work, unless it takes too long.
 * @param milliseconds How long it may take. Work that is given up on continues, and its result is dropped.
 * @param message The message of the error that is thrown when it takes longer.
 */
export async function beforeDeadline<Result>(
	work: Promise<Result>,
	milliseconds: number,
	message: string,
): Promise<Result> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(message)), milliseconds);
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
