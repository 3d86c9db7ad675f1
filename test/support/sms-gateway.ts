import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";

/** What the gateway was sent. */
export interface Sms {
	path: string;
	authorization: string | undefined;
	to: string;
	text: string;
}

/**
 * A real HTTP server in the place of the SMS gateway: POST to any path is taken down and answered 202, or the status that the path ends
 * with, such as `/500`; GET /sent lists what came.
 */
export async function serveSmsGateway(): Promise<{ url: string; stop: () => Promise<void> }> {
	const sent: Sms[] = [];
	const server = createServer(async (request, response) => {
		const path = request.url ?? "";
		if (request.method === "GET") {
			response.setHeader("Content-Type", "application/json").end(JSON.stringify(sent));
			return;
		}
		let body = "";
		for await (const chunk of request) body += String(chunk);
		sent.push({
			path,
			authorization: request.headers.authorization,
			...(JSON.parse(body) as { to: string; text: string }),
		});
		response.writeHead(Number(/\/(\d{3})$/.exec(path)?.[1] ?? 202)).end();
	});
	// Node would close connections idle for five seconds, in the moment that the Worker sends on one: a message that nobody has heard of.
	server.keepAliveTimeout = 0;
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** Vitest runs this before the tests of the Worker. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const { url, stop } = await serveSmsGateway();
	project.provide("smsGateway", url);
	return stop;
}

declare module "vitest" {
	interface ProvidedContext {
		smsGateway: string;
	}
}
