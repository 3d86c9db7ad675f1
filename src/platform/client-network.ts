/** The first four groups of four hexadecimal digits of an IPv6 address; undefined for anything else. */
function ipv6Groups(address: string): string[] | undefined {
	const [head = "", tail, ...rest] = address.split("::");
	if (rest.length > 0 || !/^[\da-f:]+$/i.test(address)) return undefined;
	const groups = (part: string) => (part === "" ? [] : part.split(":"));
	const missing = 8 - groups(head).length - groups(tail ?? "").length;
	if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
	const all = [...groups(head), ...Array<string>(missing).fill("0"), ...groups(tail ?? "")];
	if (!all.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
	return all.slice(0, 4).map((group) => group.toLowerCase().padStart(4, "0"));
}

/** The wide network that a network is part of: the IPv4 /24 or the IPv6 /48. */
export function wideNetworkOf(network: string): string {
	return network.includes(":")
		? `${network.split(":").slice(0, 3).join(":")}::/48`
		: `${network.slice(0, network.lastIndexOf("."))}.0/24`;
}

/**
 * The network that a client is counted by: its IPv4 address, or the /56 of its IPv6 address, which is what many providers delegate to one
 * customer. Undefined without an address, which happens only in tests, because wrangler sends one too; no limit by network applies then.
 * @param address The value of the header CF-Connecting-IP, which Cloudflare sets and no client can set.
 */
export function networkOf(address: string | undefined): string | undefined {
	const text = address?.trim() ?? "";
	const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text) ?? [];
	const ipv4 = mapped ?? text;
	if (/^\d{1,3}(\.\d{1,3}){3}$/.test(ipv4)) return ipv4;
	const [a, b, c, d] = ipv6Groups(text) ?? [];
	return d && `${a}:${b}:${c}:${d.slice(0, 2)}00::/56`;
}
