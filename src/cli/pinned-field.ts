/** Names the scripts of the form field so that a name never stands for other bytes, for pages that pin them. */
import { hash } from "node:crypto";
import manifest from "../../package.json" with { type: "json" };

/** A script that pages pin. */
export interface PinnedFile {
	/** Its name, which is its path and its key in the bucket. */
	name: string;
	/** Its digest for `integrity` (Subresource Integrity, W3C). */
	integrity: string;
}

/**
 * Names a script of the field. The name has a digest beside the version, because a registry may be deployed between two versions.
 * @param start What the script is, such as `address-code`.
 */
export function pinnedFile(start: string, script: Buffer): PinnedFile {
	return {
		name: `${start}@${manifest.version}-${hash("sha256", script).slice(0, 8)}.js`,
		integrity: `sha384-${hash("sha384", script, "base64")}`,
	};
}
