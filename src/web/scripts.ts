/** The scripts of pages, as .dev/build.ts bundles them from browser/. A page names those that it holds. */

import agentPosition from "../../dist/browser/agent-position.inline.js";
import codeField from "../../dist/browser/code-field.inline.js";
import device from "../../dist/browser/device.inline.js";
import distance from "../../dist/browser/distance.inline.js";
import forms from "../../dist/browser/forms.inline.js";
import gps from "../../dist/browser/gps.inline.js";
import list from "../../dist/browser/list.inline.js";
import pin from "../../dist/browser/pin.inline.js";
import scan from "../../dist/browser/scan.inline.js";
import { inline } from "./inline.ts";

export const codeFieldScript = inline(codeField);
export const deviceScript = inline(device);
export const distanceScript = inline(distance);
export const formsScript = inline(forms);
export const gpsScript = inline(gps);
export const listScript = inline(list);
export const pinScript = inline(pin);
export const scanScript = inline(scan);
export const agentPositionScript = inline(agentPosition);
