/** Asking a registry for one-time codes, in the Worker's own runtime. */
import { type call, json, post } from "./client.ts";
import { lastCode, smsGateway } from "./one-time-codes.ts";

/** Sends a body by POST, in a registry that sends codes. */
export function postWithCodes(path: string, body: unknown, more: Parameters<typeof call>[1] = {}): Promise<Response> {
	return post(path, body, { ...more, settings: { ...smsGateway, ...more.settings } });
}

/** Has a code sent to a phone, for whoever is signed in, else for the network. */
export function requestCode(phone: string, more: Parameters<typeof call>[1] = {}): Promise<Response> {
	return postWithCodes(`/v1/auth/otp/${more.token ? "request" : "signed-out"}`, { phone }, more);
}

/** The code that a phone is sent then. */
export async function codeFor(phone: string, more: Parameters<typeof call>[1] = {}): Promise<string> {
	await json(requestCode(phone, more), 202);
	return lastCode(phone);
}
