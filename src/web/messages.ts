import type { Language } from "./languages.ts";
import { ar } from "./messages-ar.ts";
import { en, type Messages } from "./messages-en.ts";
import { fr } from "./messages-fr.ts";
import { ha } from "./messages-ha.ts";
import { pt } from "./messages-pt.ts";
import { sw } from "./messages-sw.ts";

/** What the pages say in every language: .dev/build.ts makes data files of it. A language that lacks a message does not compile. */
export const pageMessages = { en, fr, ar, sw, ha, pt } satisfies Record<Language, Messages>;
