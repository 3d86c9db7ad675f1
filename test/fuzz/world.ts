/** What the generated requests speak of: accounts, credentials and addresses of the registry under test. */
import { createServer, type Server } from "node:http";
import { codeOfUnit, displayCode } from "../../src/codes/code.ts";
import type { Served } from "../support/serve.ts";
import { pick, type Random } from "./values.ts";

export const PASSWORD = "seven blue goats";

/** Credentials and names, each list with good, stale and foreign ones. */
export interface World {
	/** Values of an Authorization header that some operation takes. */
	tokens: string[];
	agents: string[];
	keys: string[];
	refreshTokens: string[];
	phones: string[];
	userIds: string[];
	/** Live, retired, unknown and misspelt. */
	codes: string[];
	ids: string[];
}

let lastPhone = 0;

function freshPhone(): string {
	lastPhone += 1;
	return `+23480${30_000_000 + lastPhone}`;
}

function freshNetwork(random: Random): string {
	return `10.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`;
}

/** Makes a small world through the API. */
export async function makeWorld({ url, database }: Served, random: Random): Promise<World> {
	const call = async (method: string, path: string, token: string, body?: object): Promise<Record<string, string>> => {
		const answer = await fetch(url + path, {
			method,
			headers: {
				"Content-Type": "application/json",
				"CF-Connecting-IP": freshNetwork(random),
				...(token ? { Authorization: token } : {}),
			},
			body: body ? JSON.stringify(body) : null,
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
		return text ? (JSON.parse(text) as Record<string, string>) : {};
	};
	const signUp = async () => {
		const phone = freshPhone();
		const { access, refresh, user } = await call("POST", "/v1/auth/register", "", { phone, password: PASSWORD });
		return { phone, access: `Bearer ${access}`, refresh: String(refresh), id: (user as unknown as { id: string }).id };
	};
	const [owner, agent, stranger] = [await signUp(), await signUp(), await signUp()];
	await database.prepare("update users set role = 'agent' where id = ?").bind(agent.id).run();

	const codes: string[] = [];
	for (const body of [
		{ lat: 6.5244, lng: 3.3792, label: "Blue gate" },
		{ lat: -1.2921, lng: 36.8219 },
		{ lat: 30.0444, lng: 31.2357, label: "بيت الشيخ أحمد" },
		{ lat: 48.8566, lng: 2.3522, label: "<b>\"'&" },
	]) {
		for (const user of [owner, stranger])
			codes.push(String((await call("POST", "/v1/addresses", user.access, body)).canonical));
	}
	const [, , retired = ""] = codes;
	await call("DELETE", `/v1/addresses/${retired}`, owner.access);
	const [live = ""] = codes;
	const unknown = Array.from({ length: 40 }, (_, unit) => codeOfUnit("ZW", "0001", unit)).filter(
		(code) => code !== undefined,
	);
	codes.push(
		...unknown.slice(0, 4),
		displayCode(live),
		displayCode(live).replaceAll("-", " "),
		live.toLowerCase(),
		`${live.slice(0, -1)}${(Number(live.at(-1)) + 1) % 10}`,
		`${live}0`,
		live.slice(0, -1),
		"NG-0421-5821O",
	);
	const key = await call("POST", "/v1/keys", owner.access, { name: "Fuzz", mode: "live" });
	const revoked = await call("POST", "/v1/keys", owner.access, { name: "Gone", mode: "test" });
	await call("DELETE", `/v1/keys/${revoked.id}`, owner.access);
	return {
		tokens: [owner.access, owner.access, stranger.access],
		agents: [agent.access],
		keys: [`Api-Key ${key.key}`, `Api-Key ${key.key}`, `Api-Key ${revoked.key}`],
		refreshTokens: [stranger.refresh, "A".repeat(43)],
		phones: [owner.phone, stranger.phone, agent.phone, freshPhone()],
		userIds: [owner.id, stranger.id, "usr_nobody"],
		codes,
		ids: [String(key.id), String(revoked.id), "key_nothing"],
	};
}

/** A fitting value for a field by its name; undefined for one that its schema describes well enough. */
export function knownValue(world: World, field: string, random: Random): unknown {
	switch (field) {
		case "phone":
			return pick(random, [...world.phones, freshPhone()]);
		case "password":
		case "current_password":
			return pick(random, [PASSWORD, PASSWORD, "not my password"]);
		case "new_password":
			return PASSWORD;
		case "refresh":
			return pick(random, world.refreshTokens);
		case "user_id":
			return pick(random, world.userIds);
		case "code":
		case "canonical":
		case "codes":
		case "successor":
			return pick(random, world.codes);
		case "id":
			return pick(random, world.ids);
		case "lat":
			return pick(random, [6.5244, -1.2921, 30.0444, 0, 90, -89.99]);
		case "lng":
			return pick(random, [3.3792, 36.8219, 31.2357, 0, 180, -180]);
		default:
			return undefined;
	}
}

/** An SMS gateway that takes everything. */
export async function startGateway(): Promise<{ url: string; stop: () => void }> {
	const server: Server = createServer((request, response) => {
		request.resume();
		request.on("end", () => response.writeHead(202).end());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (typeof address !== "object" || !address) throw new Error("The gateway does not listen");
	return { url: `http://127.0.0.1:${address.port}/sms`, stop: () => server.close() };
}
