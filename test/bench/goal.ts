/** The most that a ratio may be. */
export interface Goal {
	goal: number;
	/** What is accepted in the place of a goal that cannot be had at a fair cost, and why. */
	accepted?: { ratio: number; because: string };
}

/** What a table says of a ratio past its goal that counts as a failure. */
export const MISSED = "missed";

/**
 * What a table says of a ratio; nothing where it is within its goal.
 * @param floor What the same thing comes to without any work of ours. No work of ours could reach a goal below that.
 */
export function verdictOn(ratio: number, { goal, accepted }: Goal, floor?: number): string {
	if (ratio <= goal) return "";
	if (floor !== undefined && floor > goal) return `out of reach: the calls alone come to ${floor.toFixed(2)}`;
	if (!accepted || ratio > accepted.ratio) return MISSED;
	const because = `${accepted.ratio} accepted: ${accepted.because}`;
	return floor === undefined ? because : `${because}; the calls alone come to ${floor.toFixed(2)}`;
}
