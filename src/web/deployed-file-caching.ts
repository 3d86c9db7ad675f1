/** Cache-Control headers for deployed files. Ages are in seconds. */

/** For developers' pages, which change with a deployment. A deployment empties the shared cache. */
export const DOCS_CACHE_CONTROL = "public, max-age=300, s-maxage=3600";

/** For files whose names change with their contents. */
export const IMMUTABLE = "public, max-age=31536000, immutable";
