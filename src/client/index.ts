/** What `/client.js` and the package's `./client` export. */
export type * from "#api-types";
export { displayCode as display, spokenCode as spoken } from "../codes/code.ts";
export {
	type CallOptions,
	type ChangeOptions,
	type Client,
	type ClientOptions,
	createClient,
	etagOf,
} from "./client.ts";
export { type Mistake, type ParsedCode, parseCode } from "./codes.ts";
export { type ClientCode, RegistryError } from "./error.ts";
