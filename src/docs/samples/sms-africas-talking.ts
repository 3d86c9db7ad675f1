/**
 * A small Worker between the registry and Africa's Talking. Deploy it beside the registry, with GATEWAY_TOKEN, USERNAME and API_KEY as its
 * secrets, and name its URL as OTP_GATEWAY_URL.
 */
interface Settings {
	GATEWAY_TOKEN: string;
	USERNAME: string;
	API_KEY: string;
	/** Your sender id, if you have one. */
	FROM?: string;
	/** Another address of the provider, such as its sandbox. */
	PROVIDER?: string;
}

export default {
	async fetch(request: Request, settings: Settings): Promise<Response> {
		if (request.headers.get("Authorization") !== `Bearer ${settings.GATEWAY_TOKEN}`)
			return new Response(null, { status: 401 });
		const { to, text } = (await request.json()) as { to: string; text: string };
		const answer = await fetch(`${settings.PROVIDER ?? "https://api.africastalking.com"}/version1/messaging`, {
			method: "POST",
			headers: { apiKey: settings.API_KEY, Accept: "application/json" },
			body: new URLSearchParams({
				username: settings.USERNAME,
				to,
				message: text,
				...(settings.FROM ? { from: settings.FROM } : {}),
			}),
		});
		// It answers 201 for a number that it refuses too: 100 to 102 are the codes of messages that are on their way.
		const { SMSMessageData: said } = (await answer.json().catch(() => ({}))) as {
			SMSMessageData?: { Recipients?: { statusCode: number }[] };
		};
		const code = said?.Recipients?.[0]?.statusCode ?? 0;
		if (answer.ok && code >= 100 && code <= 102) return new Response(null, { status: 202 });
		return new Response(null, { status: answer.status >= 500 ? 502 : 422 });
	},
};
