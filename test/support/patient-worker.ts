/** The Worker as it is deployed, but for how long it waits. */
import { waitPatiently } from "./waits.ts";

waitPatiently();

export { default } from "../../src/index.ts";
