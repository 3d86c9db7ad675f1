import type { Language } from "./languages.ts";
import { ar } from "./messages-ar.ts";
import { en, type Messages } from "./messages-en.ts";
import { fr } from "./messages-fr.ts";
import { ha } from "./messages-ha.ts";
import { pt } from "./messages-pt.ts";
import { sw } from "./messages-sw.ts";

/** The messages of every language, from which .dev/build.ts makes data files. */
export const messages: Record<Language, Messages> = { en, fr, ar, sw, ha, pt };
