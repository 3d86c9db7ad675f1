/** Waits until a condition holds, for what a Worker does after it has answered; fails after a minute. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
	const deadline = Date.now() + 60_000;
	while (!(await condition())) {
		if (Date.now() > deadline) throw new Error("It did not come to pass within a minute");
		await scheduler.wait(10);
	}
}
