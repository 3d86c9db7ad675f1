/**
 * Does something within one minute of the clock, by which the platform counts: again, when a minute ended meanwhile, whatever came of it. It must
 * not depend on what it did before.
 */
export async function inOneMinute<Result>(work: () => Promise<Result>): Promise<Result> {
	for (;;) {
		const minute = () => Math.floor(Date.now() / 60_000);
		const started = minute();
		const [outcome] = await Promise.allSettled([work()]);
		if (minute() !== started) continue;
		if (outcome.status === "rejected") throw outcome.reason;
		return outcome.value;
	}
}
