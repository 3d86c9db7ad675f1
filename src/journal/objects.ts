import { inAttempts } from "../time/attempts.ts";

/** The objects of a bucket whose keys begin with a prefix, a page of up to 1,000 at a time, in the order of their keys. */
export async function* pagesOfObjects(bucket: R2Bucket, prefix: string): AsyncGenerator<R2Object[]> {
	let cursor: string | undefined;
	do {
		const from = cursor === undefined ? {} : { cursor };
		const page: R2Objects = await inAttempts(() => bucket.list({ prefix, ...from }));
		yield page.objects;
		cursor = page.truncated ? page.cursor : undefined;
	} while (cursor !== undefined);
}
