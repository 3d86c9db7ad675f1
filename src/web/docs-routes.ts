import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../errors.ts";
import { sha256Hex } from "../hash.ts";
import { type AppEnv, newRoutes, webUrl } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { openToBrowsers } from "../http/cors.ts";

/** The docs change with a deployment, which empties the shared cache. Ages in seconds. */
const CACHE_CONTROL = "public, max-age=300, s-maxage=3600";

/** Stands in the files for the registry's origin, which only a request knows: no host ends in `.invalid` (RFC 2606 section 2). */
export const ANY_ORIGIN = "https://registry.invalid";

/** Of what has a name of its own for each content. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Headers of a static file that its answer keeps. */
const KEPT_HEADERS = ["Content-Type", "Content-Language", "Content-Security-Policy", "Cross-Origin-Resource-Policy"];

/** The file at a path, as it was sent: decoded, it could hold a `\`, which leads out of its folder. */
export function assetAt(c: Context<AppEnv>, path: string): Promise<Response> {
	// A binding ignores the host, but a URL needs one.
	return c.env.ASSETS.fetch(new URL(path, ANY_ORIGIN));
}

/**
 * Answers a file that .dev/build.ts made of src/docs, with the registry's own origin in its links. Its ETag changes with the file
 * and the origin.
 * @throws AppError NOT_FOUND where there is no such file.
 */
async function docsFile(c: Context<AppEnv>): Promise<Response> {
	const origin = webUrl(c);
	const file = await assetAt(c, c.get("url").pathname.replace(/\/$/, ""));
	const text = await file.text();
	// People get the page that says so.
	if (!file.ok && c.req.header("Accept")?.includes("text/html")) return c.notFound();
	if (!file.ok)
		throw new AppError(
			"NOT_FOUND",
			"No page of the documentation has this path. /docs/guides lists the guides, and /problems all errors.",
		);
	for (const name of KEPT_HEADERS) if (file.headers.has(name)) c.header(name, file.headers.get(name) ?? "");
	c.header("Cache-Control", CACHE_CONTROL);
	c.header("ETag", `"${sha256Hex(file.headers.get("ETag") + origin).slice(0, 32)}"`);
	return c.body(text.replaceAll(ANY_ORIGIN, origin));
}

/** What pages and programs of any origin may load. */
const OPEN_FILES = ["/openapi.json", "/client.js", "/address-code.js", "/vectors.csv"];

/** Lets pages that admit only what agrees to it (COEP) load a file too. */
const embeddable: MiddlewareHandler = async (c, next) => {
	await next();
	c.res.headers.set("Cross-Origin-Resource-Policy", "cross-origin");
};

/** What developers and their machines read. Mounted at /. */
export const docsRoutes = newRoutes();
for (const path of OPEN_FILES) docsRoutes.use(path, openToBrowsers, embeddable);
docsRoutes.on(
	"get",
	[
		...OPEN_FILES,
		"/llms.txt",
		"/llms-full.txt",
		"/docs",
		"/docs/:chapter",
		"/docs/guides/:name",
		"/problems",
		"/problems/:code",
	],
	conditional,
	docsFile,
);
/** The largest crest, in bytes: it stands in every header. */
const CREST_BYTES_MAX = 64 * 1024;

// The name of a file changes with what is in it.
docsRoutes.get("/files/:name", async (c) => {
	const { crest } = c.get("registry").settings.identity;
	if (crest && c.req.param("name") === crest) {
		const object = await c.env.ZONES.get(crest);
		if (!object || object.size > CREST_BYTES_MAX) {
			throw new AppError("NOT_FOUND", `The bucket holds no ${crest} of at most 64 KiB, which REGISTRY_CREST names.`);
		}
		// An <img> runs nothing of it, and this keeps it so where it is opened by itself.
		c.header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
		c.header("Content-Type", "image/svg+xml");
		c.header("Cache-Control", IMMUTABLE);
		return c.body(await object.text());
	}
	const file = await assetAt(c, c.get("url").pathname);
	if (!file.ok) throw new AppError("NOT_FOUND", "No file has this name. Reload the page.");
	c.header("Content-Type", file.headers.get("Content-Type") ?? "");
	c.header("Cache-Control", IMMUTABLE);
	return c.body(await file.text());
});
