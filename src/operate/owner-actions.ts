/** What owners can read about operators' acts on their addresses. */
import type { Address } from "../addresses/store.ts";
import { partsOf } from "../codes/code.ts";
import { inOneTrip } from "../db/statement.ts";
import type { Registry } from "../registry.ts";
import * as operateStore from "./operate-store.ts";

/** Why an operator hides an address, as its owner reads it; undefined where none does. */
export async function reasonOfHiding(
	registry: Registry,
	{ canonical: subject, ownerId: userId, hiddenAt }: Address,
): Promise<string | undefined> {
	if (hiddenAt === null) return undefined;
	const [act] = await inOneTrip(registry.databaseOf(partsOf(subject)), operateStore.lastHiding({ subject, userId }));
	return act?.reason ?? "–";
}
