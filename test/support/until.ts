/** Waits until a condition holds, for what a Worker does after it has answered; the time of the test ends a wait in vain. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
	while (!(await condition())) await scheduler.wait(10);
}
