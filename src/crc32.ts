const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
	let remainder = byte;
	for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
	return remainder >>> 0;
});

/** CRC-32 as in ISO 3309, gzip and PNG. */
export function crc32(bytes: Uint8Array): number {
	let remainder = 0xffffffff;
	// By index: an iterator costs a cold isolate several milliseconds on the first shard of the zones.
	for (let at = 0; at < bytes.length; at++) remainder = TABLE[(remainder ^ bytes[at]!) & 0xff]! ^ (remainder >>> 8);
	return (remainder ^ 0xffffffff) >>> 0;
}
