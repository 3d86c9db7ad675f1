/**
 * The record of issued codes, outside the database: one empty object in R2 for each code, named by the day and the code. When the
 * database goes back to an earlier moment, it tells which codes have been issued since and must never be issued again.
 */
import { log } from "../log.ts";
import { DAY } from "../time.ts";

const PREFIX = "issued-codes/";

/** A call that R2 fails is tried again, up to this many times in all. Each of them may safely run twice. */
const ATTEMPTS = 3;

async function retry<Answer>(call: () => Promise<Answer>): Promise<Answer> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await call();
		} catch (error) {
			if (attempt === ATTEMPTS) throw error;
		}
	}
}

function dayOf(milliseconds: number): string {
	return new Date(milliseconds).toISOString().slice(0, 10);
}

/**
 * Records that a code was issued. Runs after the answer and never fails: what cannot be recorded is logged, and the address is valid all the
 * same. Recording a code twice changes nothing.
 * @param createdAt Milliseconds since the epoch.
 */
export async function recordIssuedCode(bucket: R2Bucket, canonical: string, createdAt: number): Promise<void> {
	try {
		await retry(() => bucket.put(`${PREFIX}${dayOf(createdAt)}/${canonical}`, ""));
	} catch (error) {
		log("error", "issued_code_not_recorded", { cause: String(error) });
	}
}

/** The codes that were issued on the day of a moment, in milliseconds since the epoch, and on the days after it, up to tomorrow. */
export async function* issuedSince(bucket: R2Bucket, since: number, now = Date.now()): AsyncGenerator<string> {
	for (let day = since; dayOf(day) <= dayOf(now + DAY); day += DAY) {
		const prefix = `${PREFIX}${dayOf(day)}/`;
		let cursor: string | undefined;
		do {
			const from = cursor === undefined ? {} : { cursor };
			const listed = await retry(() => bucket.list({ prefix, ...from }));
			for (const { key } of listed.objects) yield key.slice(prefix.length);
			cursor = listed.truncated ? listed.cursor : undefined;
		} while (cursor !== undefined);
	}
}
