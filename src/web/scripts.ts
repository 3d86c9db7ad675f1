/**
 * The scripts of pages, which .dev/build.ts bundles from browser/ into assets whose names change with their contents. A page names the
 * scripts that it runs. It is painted before they load, and works without them.
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
export const giveScript = script("give");
export const gpsScript = script("gps");
/** Not a script of a page: it is served as /offline.js. */
export const offlineScript = script("offline");
export const listScript = script("list");
export const mintPointsScript = script("mint-points");
export const pinScript = script("pin");
export const scanScript = script("scan");
export const agentPositionScript = script("agent-position");
