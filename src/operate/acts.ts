import { accountActs } from "../accounts/acts.ts";
import { addressActs } from "../addresses/acts.ts";
import { keyActs } from "../keys/acts.ts";
import { reportActs } from "../reports/acts.ts";
import type { Act } from "./act.ts";

/** Every act of operators. Each is on the API, has a form and a link to it, and is a command. */
export const acts: Act[] = [...accountActs, ...addressActs, ...keyActs, ...reportActs];
