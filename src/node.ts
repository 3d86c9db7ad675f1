/**
 * What the runtime brings of Node.js, loaded when it is first needed: imported, the two take a sixth of the time in which an isolate
 * starts.
 */
import { lazy } from "./lazy.ts";

export const nodeCrypto = lazy(() => process.getBuiltinModule("node:crypto"));
export const nodeZlib = lazy(() => process.getBuiltinModule("node:zlib"));
