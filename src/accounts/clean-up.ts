/** Deletes up to `count` expired rows and says how many went. */
export type Sweep = (count: number) => Promise<number>;

/** Rows of one table in one transaction: D1 does one thing at a time, so others wait no longer than this takes. */
const BATCH_ROWS = 500;

/** Batches of one sweep in a night: a backlog is worked off over several nights, within a Worker's limit of queries. */
const BATCHES_MAX = 100;

/** Deletes what has expired, in bounded batches; how many rows each sweep deleted, by its name. */
export async function cleanUp(sweeps: Record<string, Sweep>): Promise<Record<string, number>> {
	const deleted: Record<string, number> = {};
	for (const [name, sweep] of Object.entries(sweeps)) {
		let total = 0;
		for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
			const count = await sweep(BATCH_ROWS);
			total += count;
			if (count === 0) break;
		}
		deleted[name] = total;
	}
	return deleted;
}
