/** How long what is deployed may be cached. Ages in seconds. */

/** What developers read changes with a deployment, which empties the shared cache. */
export const DOCS_CACHE_CONTROL = "public, max-age=300, s-maxage=3600";

/** Of what has a name of its own for each content. */
export const IMMUTABLE = "public, max-age=31536000, immutable";
