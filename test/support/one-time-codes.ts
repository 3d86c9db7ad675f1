import { expect, inject } from "vitest";
import type { Sms } from "./sms-gateway.ts";

/** Settings under which one-time codes are sent, by the server of sms-gateway.ts. */
export const smsGateway = { OTP_GATEWAY_URL: `${inject("smsGateway")}/sms`, OTP_GATEWAY_TOKEN: "gateway-secret" };

/** What was sent to a phone, oldest first. */
export async function sentTo(phone: string): Promise<Sms[]> {
	const sent = (await (await fetch(`${inject("smsGateway")}/sent`)).json()) as Sms[];
	return sent.filter(({ to }) => to === phone);
}

/** The newest code that was sent to a phone. */
export async function lastCode(phone: string): Promise<string> {
	const [code] = /^\d{8}/.exec((await sentTo(phone)).at(-1)?.text ?? "") ?? [];
	expect(code).toBeDefined();
	return code ?? "";
}

/** A code that is none of the given ones. */
export function wrongFor(...codes: string[]): string {
	return ["00000000", "11111111", "22222222"].find((code) => !codes.includes(code)) ?? "";
}
