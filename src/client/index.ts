/** What `/client.js` and the package's `./client` export. */
export type * from "#api-types";
export { type CallOptions, type Client, type ClientOptions, createClient } from "./client.ts";
export { display, type Mistake, type ParsedCode, parseCode, spoken } from "./codes.ts";
export { type ClientCode, RegistryError } from "./error.ts";
