/** Stands in the Worker's bundle for fflate, which pmtiles would inflate with: the archive is inflated by DecompressionStream instead. */
export function decompressSync(): never {
	throw new Error("Archives are inflated by DecompressionStream");
}
