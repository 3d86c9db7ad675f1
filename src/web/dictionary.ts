import type { Language } from "./languages.ts";
import { ar } from "./messages-ar.ts";
import { en } from "./messages-en.ts";
import { fr } from "./messages-fr.ts";
import { ha } from "./messages-ha.ts";
import { pt } from "./messages-pt.ts";
import { sw } from "./messages-sw.ts";

/** A title and the sentence that explains it. */
export interface Explanation {
	title: string;
	text: string;
}

/** Everything the pages say. A language that lacks a message does not compile. */
export interface Messages {
	siteName: string;
	/** Names the list of languages. */
	chooseLanguage: string;
	/** Stands between a place and the country it is in. */
	comma: string;

	/** What the registry is, in two sentences; the first is the heading of the home page. */
	what: Explanation;
	forDevelopers: string;
	codeField: string;
	/** How a code looks. `example` is one. */
	codeHelp: (example: string) => string;
	find: string;
	/** While a code is typed. */
	codeMalformed: string;
	codeWrong: string;
	codeComplete: string;

	address: string;
	zone: string;
	country: string;
	coordinates: string;
	plusCode: string;
	verification: string;
	/** What has been attested of an address, by its verification level, 0 to 3. */
	verificationLevels: readonly [string, string, string, string];
	/** Names the map for those who do not see it. */
	mapOf: (zone: string) => string;
	directions: string;
	/** The application that the device opens places with. */
	deviceMap: string;
	keepAndShare: string;
	qrCode: string;
	labelCard: string;
	printSheet: string;
	share: string;
	copy: string;
	copyLink: string;
	copied: string;

	youEntered: string;
	tryAgain: string;
	malformed: Explanation;
	badCheckDigit: Explanation;
	notFound: Explanation;
	retired: Explanation;
	tooMany: Explanation;
	unavailable: Explanation;
	/** At a path that nothing has. */
	noPage: Explanation;

	printHow: string;
	print: string;
	backToAddress: string;
	/** On the printed sign and stickers. */
	scanMe: string;
}

export const dictionary = { en, fr, ar, sw, ha, pt } satisfies Record<Language, Messages>;
