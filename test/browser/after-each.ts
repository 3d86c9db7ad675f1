/** Runs before each file of tests in a browser: files share one Chromium. */
import { afterEach } from "vitest";
import { endVisits } from "./chromium.ts";

afterEach(endVisits);
