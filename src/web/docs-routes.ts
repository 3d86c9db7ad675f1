import type { Context, MiddlewareHandler } from "hono";
import files from "../../dist/browser/files.js";
import { sha256Hex } from "../crypto/hash.ts";
import { AppError } from "../errors.ts";
import { type AppEnv, newRoutes, webUrl } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { openToBrowsers } from "../http/cors.ts";
import { DOCS_CACHE_CONTROL, IMMUTABLE } from "./deployed-file-caching.ts";

/** Stands for the registry's origin in files, because only a request knows it. No host ends in `.invalid` (RFC 2606 section 2). */
export const ANY_ORIGIN = "https://registry.invalid";

/** Headers that an answer copies from its static file. */
const COPIED_HEADERS = ["Content-Type", "Content-Language", "Content-Security-Policy", "Cross-Origin-Resource-Policy"];

/** The static file at a path, which stays encoded as it was sent. Decoded, it could hold a `\`, which leads out of its folder. */
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
	// Browsers get the page that says so.
	if (!file.ok && c.req.header("Accept")?.includes("text/html")) return c.notFound();
	if (!file.ok)
		throw new AppError(
			"NOT_FOUND",
			"No page of the documentation has this path. /docs/guides lists the guides, and /problems all errors.",
		);
	for (const name of COPIED_HEADERS) if (file.headers.has(name)) c.header(name, file.headers.get(name) ?? "");
	c.header("Cache-Control", DOCS_CACHE_CONTROL);
	c.header("ETag", `"${sha256Hex(file.headers.get("ETag") + origin).slice(0, 32)}"`);
	return c.body(text.replaceAll(ANY_ORIGIN, origin));
}

/** Lets pages that embed only what permits it (COEP) load a file too. */
const embeddable: MiddlewareHandler = async (c, next) => {
	await next();
	c.res.headers.set("Cross-Origin-Resource-Policy", "cross-origin");
};

/**
 * Files for developers and their programs, and files that pages load under a name set by a request or a setting. Files with the same
 * name and bytes for everyone are served before the Worker (wrangler.toml). Mounted at /.
 */
export const docsRoutes = newRoutes();
docsRoutes.use("/openapi.json", openToBrowsers, embeddable);
docsRoutes.on(
	"get",
	[
		"/openapi.json",
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

/** The largest crest, in bytes: it is in every header. */
const CREST_BYTES_MAX = 64 * 1024;

// Browsers may store a crest, because another crest has another name.
docsRoutes.get("/crest/:name", async (c) => {
	const { crest } = c.get("registry").settings.identity;
	if (!crest || c.req.param("name") !== crest)
		throw new AppError("NOT_FOUND", "This registry has no crest of this name.");
	const object = await c.env.ZONES.get(crest);
	if (!object || object.size > CREST_BYTES_MAX) {
		throw new AppError("NOT_FOUND", `The bucket holds no ${crest} of at most 64 KiB, which REGISTRY_CREST names.`);
	}
	// An <img> runs no scripts of it. This header stops them where it is opened by itself too.
	c.header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
	c.header("Content-Type", "image/svg+xml");
	c.header("Cache-Control", IMMUTABLE);
	return c.body(await object.text());
});

// The scripts of the field of this version, or of an older one, which the deployment of that version put into the bucket.
docsRoutes.get("/:name{[a-z]+-code@[\\w.-]{1,64}\\.js}", openToBrowsers, embeddable, async (c) => {
	const name = c.req.param("name");
	const own = { [files["address-code"]!]: "/address-code.js", [files["given-code"]!]: files["given-code"]! }[
		`/${name}`
	];
	const found = own ? await assetAt(c, own) : await c.env.ZONES.get(name);
	if (!found)
		throw new AppError("NOT_FOUND", "This registry never had the field of this version. See /docs/guides/checkout.");
	c.header("Content-Type", "text/javascript; charset=utf-8");
	c.header("Cache-Control", IMMUTABLE);
	return c.body(await found.text());
});
