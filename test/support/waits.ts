import { waitMilliseconds } from "../../src/time/wait-times.ts";

type Waits = Partial<typeof waitMilliseconds>;

/** From now on the Worker waits as long as its tests need it: real databases and buckets answer late on a busy machine, and most files sign up often. */
export function waitPatiently(): void {
	const patient = { databaseRead: 60_000, bucketRead: 60_000, assetsRead: 60_000, sketch: 60_000 };
	Object.assign(waitMilliseconds, { ...patient, hashPause: 0, hashTurn: 60_000 });
}

/** Does something under other waits. What goes on at the same time waits as long. */
export async function underWaits<Result>(waits: Waits, work: () => Result | Promise<Result>): Promise<Result> {
	const before = { ...waitMilliseconds };
	Object.assign(waitMilliseconds, waits);
	try {
		return await work();
	} finally {
		Object.assign(waitMilliseconds, before);
	}
}
