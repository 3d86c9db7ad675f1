/** Names the form field so that the name never stands for other bytes, for pages that pin it. */
import { hash } from "node:crypto";
import manifest from "../../package.json" with { type: "json" };

/**
 * Names the field that `/address-code.js` serves. The name has a digest beside the version, because a registry may be deployed between two
 * versions.
 * @param script The bytes of the field's script.
 * @returns Its name, which is its path and its key in the bucket, and its digest for `integrity` (Subresource Integrity, W3C).
 */
export function pinnedField(script: Buffer): { name: string; integrity: string } {
	return {
		name: `address-code@${manifest.version}-${hash("sha256", script).slice(0, 8)}.js`,
		integrity: `sha384-${hash("sha384", script, "base64")}`,
	};
}
