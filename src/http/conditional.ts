import type { MiddlewareHandler } from "hono";
import { etag, RETAINED_304_HEADERS } from "hono/etag";

const answerConditionally = etag({
	retainedHeaders: [
		...RETAINED_304_HEADERS,
		"access-control-allow-origin",
		// A 304's headers replace those of the stored page (RFC 9111 section 3.2): without its own policy it would lose its styles.
		"content-security-policy",
		"content-language",
		"access-control-expose-headers",
		"cache-tag",
		"cross-origin-resource-policy",
	],
});

/**
 * Answers 304 to an If-None-Match that holds the answer's ETag (RFC 9110 section 13.1.2); an answer without one gets the digest
 * of its body. Headers that later steps and browsers need are copied to the 304.
 */
export const conditional: MiddlewareHandler = async (c, next) => {
	await next();
	const isUnconditional = c.req.header("If-None-Match") === undefined && c.res.headers.has("ETag");
	return isUnconditional ? undefined : answerConditionally(c, async () => {});
};
