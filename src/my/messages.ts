import type { Language } from "../web/languages.ts";
import { ar } from "./messages-ar.ts";
import { type ConsoleMessages, en } from "./messages-en.ts";
import { fr } from "./messages-fr.ts";
import { ha } from "./messages-ha.ts";
import { pt } from "./messages-pt.ts";
import { sw } from "./messages-sw.ts";

export type { ConsoleMessages };

/** What the console says in every language: .dev/build.ts makes data files of it. A language that lacks a message does not compile. */
export const consoleMessages = { en, fr, ar, sw, ha, pt } satisfies Record<Language, ConsoleMessages>;
