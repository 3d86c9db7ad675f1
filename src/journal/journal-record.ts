/**
 * The record of the journal: every hour, which codes and accounts were written, in which version. Each part is signed and names the one
 * before it, so a restore notices an entry that is missing, and a part of the record that is missing too.
 */

import type { SigningSecret, SigningSecrets } from "../settings/signing-secrets.ts";
import { inAttempts } from "../time/attempts.ts";
import { isSigned, sign } from "./cipher.ts";

/** Parts begin with the time in ISO 8601. */
export const RECORDS = "journal/records/";
/** The key of the newest part. */
const HEAD = "journal/record-head";

const PURPOSE = "journal record";

/** What was written, by code or account: its version. */
type Versions = Record<string, number>;

interface Part {
	key: string;
	/** The key of the part before; null for the first. */
	previous: string | null;
	versions: Versions;
}

/** A part of the record is missing or is not what the registry wrote. */
export class RecordError extends Error {
	override name = "RecordError";
}

async function putSigned(bucket: R2Bucket, secrets: SigningSecrets, key: string, text: string, onlyIf?: R2Conditional) {
	const customMetadata = { signature: await sign(secrets, PURPOSE, text) };
	return inAttempts(() => bucket.put(key, text, { customMetadata, ...(onlyIf ? { onlyIf } : {}) }));
}

async function readSigned(bucket: R2Bucket, secrets: SigningSecret[], key: string): Promise<string> {
	const object = await inAttempts(() => bucket.get(key));
	if (!object) throw new RecordError(`${key} is missing from the bucket`);
	const text = await object.text();
	if (!(await isSigned(secrets, PURPOSE, text, object.customMetadata?.signature)))
		throw new RecordError(
			`${key} is not what the registry wrote, or was signed by a secret that is not in JOURNAL_SECRETS`,
		);
	return text;
}

/** The key of the newest part; null while there is none. A backup stores it, so that later parts can be verified. */
export async function recordHead(bucket: R2Bucket): Promise<string | null> {
	const text = await (await inAttempts(() => bucket.get(HEAD)))?.text();
	return text ? (JSON.parse(text) as { key: string }).key : null;
}

/** Appends what was written to the record. Returns false, and appends nothing, if another run has appended meanwhile. */
export async function addToRecord(
	bucket: R2Bucket,
	secrets: SigningSecrets,
	versions: Versions,
	now: number,
): Promise<boolean> {
	const head = await inAttempts(() => bucket.get(HEAD));
	const previous = head ? (JSON.parse(await head.text()) as { key: string }).key : null;
	const key = `${RECORDS}${new Date(now).toISOString()}-${crypto.randomUUID()}`;
	await putSigned(bucket, secrets, key, JSON.stringify({ key, previous, versions } satisfies Part));
	const onlyIf = head ? { etagMatches: head.etag } : { etagDoesNotMatch: "*" };
	return (await putSigned(bucket, secrets, HEAD, JSON.stringify({ key }), onlyIf)) !== null;
}

/**
 * What was written after one of the parts, according to the record.
 * @param after The key of that part, as a backup stores it; null for what was written since `since`, in milliseconds since the epoch.
 * @returns By code or account, the newest version.
 * @throws RecordError that names what is missing or has been changed.
 */
export async function recordedSince(
	bucket: R2Bucket,
	secrets: SigningSecret[],
	after: string | null,
	since: number,
): Promise<Map<string, number>> {
	const recorded = new Map<string, number>();
	const head = await inAttempts(() => bucket.head(HEAD));
	if (!head) {
		if (after) throw new RecordError(`${HEAD} is missing from the bucket`);
		return recorded;
	}
	let key: string | null = (JSON.parse(await readSigned(bucket, secrets, HEAD)) as { key: string }).key;
	while (key && key !== after) {
		if (!after && Date.parse(key.slice(RECORDS.length, RECORDS.length + 24)) < since) break;
		const part = JSON.parse(await readSigned(bucket, secrets, key)) as Part;
		if (part.key !== key) throw new RecordError(`${key} holds another part of the record`);
		for (const [id, version] of Object.entries(part.versions))
			recorded.set(id, Math.max(version, recorded.get(id) ?? 0));
		key = part.previous;
	}
	if (after && key !== after)
		throw new RecordError(`The record does not lead back to ${after}, which the backup names`);
	return recorded;
}
