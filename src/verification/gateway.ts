import type { OtpGateway } from "../env.ts";

/** How long the gateway may take, in milliseconds. */
const TIMEOUT = 10_000;

/** `refused`: the gateway answered that it sent nothing. `unknown`: no answer, so the message may be on its way. */
export type Delivery = "accepted" | "refused" | "unknown";

/** Posts `{to, text}` to the gateway, which sends it as SMS. Never throws, so that no error carries the text. */
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
		return response.ok ? "accepted" : "refused";
	} catch {
		return "unknown";
	}
}
