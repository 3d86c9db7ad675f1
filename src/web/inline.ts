import { lazy } from "../lazy.ts";
import { nodeCrypto } from "../node.ts";

/** A style sheet or script that stands in the page itself, so that nothing is fetched, with the CSP source that allows exactly it. */
export interface Inline {
	text: string;
	/** CSP level 3 section 2.3.1, hash-source. */
	source: string;
}

/** A script that is a file of this registry, such as `/client.js`: a module. */
export interface ScriptFile {
	file: string;
}

/**
 * The Content-Security-Policy of a page that is complete in itself: nothing but what stands in it, and `own` directives.
 * `frame-ancestors` keeps others from framing it.
 */
export function contentSecurityPolicy(styles: Inline, scripts: (Inline | ScriptFile)[], own: string[]): string {
	return [
		"default-src 'none'",
		"manifest-src 'self'",
		`style-src ${styles.source}`,
		...(scripts.length > 0
			? [`script-src ${scripts.map((script) => ("file" in script ? "'self'" : script.source)).join(" ")}`]
			: []),
		"img-src data:",
		...own,
		"base-uri 'none'",
		"frame-ancestors 'none'",
	].join("; ");
}

export function inline(text: string): Inline {
	const source = lazy(() => `'sha256-${nodeCrypto().createHash("sha256").update(text).digest("base64")}'`);
	return {
		text,
		get source() {
			return source();
		},
	};
}
