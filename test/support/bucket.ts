import { env } from "cloudflare:workers";

/** The real bucket, which lists one key at a time, with the time of its upload as a test says. */
export function bucketOfLongLists(uploadedAt: (key: string) => number): R2Bucket {
	const list = async (options: R2ListOptions) => {
		const page = await env.ZONES.list({ ...options, limit: 1 });
		return { ...page, objects: page.objects.map(({ key }) => ({ key, uploaded: new Date(uploadedAt(key)) })) };
	};
	return new Proxy(env.ZONES, {
		get: (target, name) => (name === "list" ? list : Reflect.get(target, name).bind(target)),
	});
}
