/**
 * How long an isolate waits, in milliseconds. Nothing but a test writes to this: it cannot wait as long as a caller, or its machine is
 * slower than Cloudflare's.
 */
export const waitMilliseconds = {
	/** How long D1, R2 and the static assets may take to answer a read before the answer is 503. */
	databaseRead: 5_000,
	bucketRead: 5_000,
	assetsRead: 2_000,
	/** How long a page waits for the streets around its address before it goes without them. */
	sketch: 300,
	/** The pause between two password hashes, and how long a request may wait for its turn to hash. */
	hashPause: 280,
	hashTurn: 6_000,
};
