/**
 * A small Worker between the registry and Twilio. Deploy it beside the registry, with GATEWAY_TOKEN, ACCOUNT_SID, AUTH_TOKEN and FROM as
 * its secrets, and name its URL as OTP_GATEWAY_URL.
 */
interface Settings {
	GATEWAY_TOKEN: string;
	ACCOUNT_SID: string;
	AUTH_TOKEN: string;
	/** Your number or sender id. */
	FROM: string;
	/** Another address of the provider. */
	PROVIDER?: string;
}

export default {
	async fetch(request: Request, settings: Settings): Promise<Response> {
		if (request.headers.get("Authorization") !== `Bearer ${settings.GATEWAY_TOKEN}`)
			return new Response(null, { status: 401 });
		const { to, text } = (await request.json()) as { to: string; text: string };
		const { ACCOUNT_SID, AUTH_TOKEN, FROM, PROVIDER = "https://api.twilio.com" } = settings;
		const answer = await fetch(`${PROVIDER}/2010-04-01/Accounts/${ACCOUNT_SID}/Messages.json`, {
			method: "POST",
			headers: { Authorization: `Basic ${btoa(`${ACCOUNT_SID}:${AUTH_TOKEN}`)}` },
			body: new URLSearchParams({ To: to, From: FROM, Body: text }),
		});
		await answer.body?.cancel();
		if (answer.ok) return new Response(null, { status: 202 });
		return new Response(null, { status: answer.status >= 500 ? 502 : 422 });
	},
};
