import type { OtpGateway } from "../env.ts";

/** The longest that the gateway may take, in milliseconds. */
const TIMEOUT = 10_000;

/**
 * `refused`: the gateway answered 4xx, so nothing was sent. `unknown`: there was no answer or another error, so the message may be on its
 * way.
 */
export type Delivery = "accepted" | "refused" | "unknown";

/** Posts `{to, text}` to the gateway, which sends it as an SMS. It never throws, so that no error carries the text. */
export async function deliver({ url, token }: OtpGateway, to: string, text: string): Promise<Delivery> {
	try {
		const response = await fetch(url, {
			method: "POST",
			headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
			body: JSON.stringify({ to, text }),
			redirect: "manual",
			signal: AbortSignal.timeout(TIMEOUT),
		});
		await response.body?.cancel();
		if (response.ok) return "accepted";
		return response.status >= 400 && response.status < 500 ? "refused" : "unknown";
	} catch {
		return "unknown";
	}
}
