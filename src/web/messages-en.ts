/** A title and the sentence that explains it. */
export interface Explanation {
	title: string;
	text: string;
}

/** Everything the pages say, in English. Its comments are for translators too. */
export const en = {
	siteName: "Address Registry",
	/** Names the list of languages. */
	chooseLanguage: "Language",
	/** Stands between a place and the country it is in. */
	comma: ",",
	/** What the registry is, in two sentences; the first is the heading of the home page. */
	what: {
		title: "An address for every place, even where streets have no names.",
		text: "A short code stands for one exact spot: say it, write it on the door or scan it, and anyone can find the way.",
	},
	forDevelopers: "For developers: the documentation",
	forAgents: "For agents: verify this address",
	codeField: "Address code",
	/** How a code looks. `example` is one. */
	codeHelp: (example: string) => `Two letters and nine digits, such as ${example}. Spaces and hyphens do not matter.`,
	find: "Find",
	create: "Create an address",
	mine: "My addresses",
	/** While a code is typed. */
	codeMalformed: "A code starts with two letters, and nine digits follow.",
	codeLetter: "After the first two letters come only digits, never a letter.",
	codeWrong: "Please check the code: at least one character is wrong.",
	codeComplete: "The code is complete.",
	address: "Address",
	zone: "Zone",
	country: "Country",
	coordinates: "Coordinates",
	plusCode: "Plus Code",
	verification: "Verification",
	/** What has been attested of an address, by its verification level, 0 to 3. */
	verificationLevels: [
		"Not verified: nobody has confirmed this address on site yet.",
		"Seen: an agent has seen this place from outside.",
		"Visited: an agent has been to this address.",
		"Verified: an agent has been to this address and identified its holder.",
	] as readonly [string, string, string, string],
	/** Names the map for those who do not see it. */
	mapOf: (zone: string) => `Map: zone ${zone} and its neighbours. A dot marks the address.`,
	createdOn: (date: string) => `Created on ${date}.`,
	aboutZone: "About the zone",
	howFar: "How far is it from me?",
	away: (distance: string, direction: string) => `${distance} from you, ${direction}`,
	compass: {
		n: "north",
		ne: "north-east",
		e: "east",
		se: "south-east",
		s: "south",
		sw: "south-west",
		w: "west",
		nw: "north-west",
	},
	positionUnknown: "Your device did not say where it is. Allow location for this page and try again.",
	directions: "Directions",
	/** The application that the device opens places with. */
	deviceMap: "Map app on this device",
	keepAndShare: "Keep and share",
	qrCode: "QR code",
	card: "Card to print",
	printSheet: "Door sign and stickers",
	share: "Share",
	copy: "Copy",
	copyLink: "Copy link",
	copied: "Copied",
	youEntered: "You entered",
	retiredCode: "Address code:",
	tryAgain: "Check the code and try again",
	malformed: {
		title: "This is not an address code",
		text: "A character is missing, there is one too many, or one is of the wrong kind. Please compare the code with where you got it.",
	},
	badCheckDigit: {
		title: "There is a mistake in this code",
		text: "It has the right form, but its last digit does not fit the others: somewhere a character was mistyped or misheard. Please compare the code with where you got it, character by character.",
	},
	notFound: {
		title: "No address has this code",
		text: "The code is well formed, but no address has been created with it. Please compare it with where you got it.",
	},
	movedTo: "It has moved to",
	retired: {
		title: "This address has been retired",
		text: "Its owner has withdrawn it. The code will never stand for another place; please ask for the new one.",
	},
	tooMany: {
		title: "Too many look-ups",
		text: "Many codes have been looked up from your connection. Please wait a minute and try again.",
	},
	unavailable: {
		title: "We cannot look this up right now",
		text: "The fault is on our side, and your code may well be right. Please try again in a moment.",
	},
	/** At a path that nothing has. */
	noPage: {
		title: "There is no such page",
		text: "Enter an address code to find the place it stands for.",
	},
	printHow: "Print on A4 paper at 100% and cut along the dashed lines.",
	print: "Print",
	backToAddress: "Back to the address",
	/** On the printed sign and stickers. */
	scanMe: "Scan to find the way here",
};

/** The messages of one language. A language that lacks one does not compile. */
export type Messages = typeof en;
