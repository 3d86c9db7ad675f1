/**
 * The scripts of pages, which .dev/build.ts bundles from browser/ into assets whose names change with them. A page names those that it
 * runs. It is painted before they come, and works without them.
 */
import paths from "../../dist/browser/files.js";
import type { ScriptFile } from "./inline.ts";

function script(name: string): ScriptFile {
	const file = paths[name];
	if (!file) throw new Error(`browser/${name}.ts is not built`);
	return { file };
}

export const codeFieldScript = script("code-field");
export const deviceScript = script("device");
export const distanceScript = script("distance");
export const formsScript = script("forms");
export const gpsScript = script("gps");
/** Not of a page: /offline.js answers it. */
export const offlineScript = script("offline");
export const listScript = script("list");
export const mintPointsScript = script("mint-points");
export const pinScript = script("pin");
export const scanScript = script("scan");
export const agentPositionScript = script("agent-position");
