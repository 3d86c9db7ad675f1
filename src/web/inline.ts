import { Buffer } from "node:buffer";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { lazy } from "../schemas/lazy.ts";

/** A style sheet or script that is in the page itself, so that nothing is fetched for it; its CSP source allows exactly it. */
export interface Inline {
	text: string;
	/** CSP level 3 section 2.3.1, hash-source. */
	source: string;
}

/** A script that is a file of this registry, such as `/client.js`: a module. */
export interface ScriptFile {
	file: string;
}

/** The styles of a page: in the page itself, for its first paint; or a file, which the browser fetched on an earlier page. */
export type Styles = (Inline & { next?: string | undefined }) | { sheet: string };

/**
 * The Content-Security-Policy of a page. It allows what is in the page, this registry's own files of styles and scripts if there are
 * any, and `own` directives. `frame-ancestors` keeps others from framing it.
 */
export function contentSecurityPolicy(styles: Styles, scripts: (Inline | ScriptFile)[], own: string[]): string {
	const scriptSources = new Set(scripts.map((script) => ("file" in script ? "'self'" : script.source)));
	const styleSources = "sheet" in styles ? ["'self'"] : [styles.source, ...(styles.next ? ["'self'"] : [])];
	return [
		"default-src 'none'",
		"manifest-src 'self'",
		`style-src ${styleSources.join(" ")}`,
		...(scriptSources.size > 0 ? [`script-src ${[...scriptSources].join(" ")}`] : []),
		"img-src 'self' data:",
		...own,
		"base-uri 'none'",
		"frame-ancestors 'none'",
	].join("; ");
}

export function inline(text: string): Inline {
	const source = lazy(() => `'sha256-${Buffer.from(sha256(utf8ToBytes(text))).toString("base64")}'`);
	return {
		text,
		get source() {
			return source();
		},
	};
}
