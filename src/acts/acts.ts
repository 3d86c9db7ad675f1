import { accountActs } from "./account-acts.ts";
import type { Act } from "./act.ts";
import { addressActs } from "./address-acts.ts";
import { keyActs } from "./key-acts.ts";
import { reportActs } from "./report-acts.ts";

/** Every act of operators. Each is on the API, has a form and a link to it, and is a command. */
export const acts: Act[] = [...accountActs, ...addressActs, ...keyActs, ...reportActs];
