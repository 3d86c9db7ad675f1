/** Waits until a condition holds, for what a Worker does after it has answered. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
	while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
