/** The four groups of an IPv6 address that its /64 network has, without leading zeros; undefined when it is none. */
function ipv6Network(address: string): string | undefined {
	const [head = "", tail, ...rest] = address.split("::");
	if (rest.length > 0 || !/^[\da-f:]+$/i.test(address)) return undefined;
	const groups = (part: string) => (part === "" ? [] : part.split(":"));
	const missing = 8 - groups(head).length - groups(tail ?? "").length;
	if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
	const all = [...groups(head), ...Array<string>(missing).fill("0"), ...groups(tail ?? "")];
	if (!all.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
	return all
		.slice(0, 4)
		.map((group) => Number.parseInt(group, 16).toString(16))
		.join(":");
}

/**
 * The network that a client is counted by: an IPv4 address itself, an IPv6 address's /64, which is what one customer gets. Undefined without an
 * address, which only a Worker that runs locally sees.
 * @param address Of the header CF-Connecting-IP, which Cloudflare sets and no client can.
 */
export function networkOf(address: string | undefined): string | undefined {
	const text = address?.trim() ?? "";
	const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text) ?? [];
	if (mapped) return mapped;
	if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return text;
	const network = ipv6Network(text);
	return network && `${network}::/64`;
}
