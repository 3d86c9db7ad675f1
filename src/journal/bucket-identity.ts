/** Whose a bucket is: the random id of its registry, which the database and each backup have too. */
import { inAttempts } from "../attempts.ts";

const IDENTITY = "journal/registry";

/** The id of the registry that a bucket belongs to; undefined while no registry has used it. */
export async function bucketIdentity(bucket: R2Bucket): Promise<string | undefined> {
	return (await inAttempts(() => bucket.get(IDENTITY)))?.text();
}

/** Marks a bucket as that of a registry. */
export async function markBucket(bucket: R2Bucket, id: string): Promise<void> {
	await inAttempts(() => bucket.put(IDENTITY, id));
}

/**
 * Marks a bucket as that of a registry where it is nobody's yet, and returns whether it is that registry's.
 * @param id Of the database that is used with it.
 */
export async function claimBucket(bucket: R2Bucket, id: string): Promise<boolean> {
	const known = await bucketIdentity(bucket);
	if (known !== undefined) return known === id;
	await inAttempts(() => bucket.put(IDENTITY, id, { onlyIf: { etagDoesNotMatch: "*" } }));
	return (await bucketIdentity(bucket)) === id;
}
