/** Which registry a bucket belongs to: a random id, which the database and each backup store too. */
import { inAttempts } from "../time/attempts.ts";

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
 * Claims a bucket for a registry if it is unclaimed, and returns whether it belongs to that registry.
 * @param id The id in the database that is used with it.
 */
export async function claimBucket(bucket: R2Bucket, id: string): Promise<boolean> {
	const known = await bucketIdentity(bucket);
	if (known !== undefined) return known === id;
	await inAttempts(() => bucket.put(IDENTITY, id, { onlyIf: { etagDoesNotMatch: "*" } }));
	return (await bucketIdentity(bucket)) === id;
}
