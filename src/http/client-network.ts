/** The four groups of four hexadecimal digits that an IPv6 address's /64 network has; undefined when it is none. */
function ipv6Network(address: string): string[] | undefined {
	const [head = "", tail, ...rest] = address.split("::");
	if (rest.length > 0 || !/^[\da-f:]+$/i.test(address)) return undefined;
	const groups = (part: string) => (part === "" ? [] : part.split(":"));
	const missing = 8 - groups(head).length - groups(tail ?? "").length;
	if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
	const all = [...groups(head), ...Array<string>(missing).fill("0"), ...groups(tail ?? "")];
	if (!all.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
	return all.slice(0, 4).map((group) => group.toLowerCase().padStart(4, "0"));
}

/**
 * The networks that a client is counted by, the narrowest first. Of an IPv6 address its /64, which one device moves in freely, its /56,
 * which many providers delegate to a customer, and its /48, which a free tunnel gets; of an IPv4 address itself and its /24. Empty without an
 * address, which only a Worker that runs locally sees.
 * @param address Of the header CF-Connecting-IP, which Cloudflare sets and no client can.
 */
export function networksOf(address: string | undefined): string[] {
	const text = address?.trim() ?? "";
	const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text) ?? [];
	const ipv4 = mapped ?? text;
	if (/^\d{1,3}(\.\d{1,3}){3}$/.test(ipv4)) return [ipv4, `${ipv4.replace(/\d+$/, "0")}/24`];
	const groups = ipv6Network(text);
	if (!groups) return [];
	const [a, b, c, d = ""] = groups;
	return [`${groups.join(":")}::/64`, `${a}:${b}:${c}:${d.slice(0, 2)}00::/56`, `${a}:${b}:${c}::/48`];
}

/** The narrowest network of a client; undefined without an address. */
export function networkOf(address: string | undefined): string | undefined {
	return networksOf(address)[0];
}
