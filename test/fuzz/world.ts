/** What the generated requests speak of: accounts, credentials and addresses of the registry under test. */
import { codeOfSerial, displayCode } from "../../src/codes/code.ts";
import { freshPhone, makeKey, mint, PASSWORD, send, signUp } from "../support/remote.ts";
import type { Served } from "../support/serve.ts";
import { pick, type Random } from "./values.ts";

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

/** Makes a small world through the API. */
export async function makeWorld({ url, database }: Served): Promise<World> {
	const [owner, agent, stranger] = [await signUp(url), await signUp(url), await signUp(url)];
	await database.prepare("update users set role = 'agent' where id = ?").bind(agent.id).run();

	const codes: string[] = [];
	for (const body of [
		{ lat: 6.5244, lng: 3.3792, label: "Blue gate" },
		{ lat: -1.2921, lng: 36.8219 },
		{ lat: 30.0444, lng: 31.2357, label: "بيت الشيخ أحمد" },
		{ lat: 48.8566, lng: 2.3522, label: "<b>\"'&" },
	]) {
		for (const user of [owner, stranger]) codes.push(await mint(url, user.token, body));
	}
	const [, , retired = ""] = codes;
	await send(url, { method: "DELETE", path: `/v1/addresses/${retired}`, token: owner.token });
	const [live = ""] = codes;
	const unknown = Array.from({ length: 40 }, (_, unit) => codeOfSerial("ZW", "0001", unit)).filter(
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
	const [key, revoked] = [await makeKey(url, owner.token, ["addresses:read"]), await makeKey(url, owner.token)];
	await send(url, { method: "DELETE", path: `/v1/keys/${revoked.id}`, token: owner.token });
	return {
		tokens: [owner.token, owner.token, stranger.token],
		agents: [agent.token],
		keys: [key.token, key.token, revoked.token],
		refreshTokens: [stranger.refresh, "A".repeat(43)],
		phones: [owner.phone, stranger.phone, agent.phone, freshPhone()],
		userIds: [owner.id, stranger.id, "usr_nobody"],
		codes,
		ids: [key.id, revoked.id, "key_nothing"],
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
