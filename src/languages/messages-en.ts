import { translator, written } from "./template.ts";

/**
 * Everything that the pages and the console say, in English. `{name}` is a gap, which `fill` fills. The comments are for translators too:
 * every other language says the same, with the same gaps, or it does not compile.
 */
export const en = written({
	/** The public pages, and what the console shares with them. */
	pages: {
		siteName: "Address Registry",
		/** Names the list of languages. */
		chooseLanguage: "Language",
		/** `name` is who runs the registry. */
		runBy: "Run by {name}",
		privacy: "Privacy",
		helpTitle: "Help",
		aboutTitle: "About",
		/** What the registry is, in two sentences; the first is the heading of the home page. */
		what: {
			title: "An address for every place, even where streets have no names.",
			text: "A short code stands for one exact spot: say it, write it on the door or scan it, and anyone can find the way.",
		},
		codeField: "Address code",
		/** How a code looks. `example` is one. */
		codeHelp: "Two letters and nine digits, such as {example}. Spaces and hyphens do not matter.",
		find: "Find",
		/** The first button of the home page. */
		getMine: "Get my address",
		/** Above the box for a code on the home page. */
		findTitle: "Find a place by its code",
		/** Below three small pictures on the home page, in this order. */
		ways: ["Stand at your door and get a code.", "Put the sign on your gate.", "Drivers and ambulances find you."],
		/** The way to one's own addresses, in the header. */
		mine: "My addresses",
		/** While a code is typed. */
		codeMalformed: "A code is two letters followed by nine digits.",
		codeLetter: "After the first two letters come only digits.",
		/** At the box, for a code with a digit too few or too many. */
		codeDigits: "After the two letters come nine digits. Here there are {count}.",
		/** At the box, for the second line of a sign alone. */
		largeLine: "These are the five large digits of a sign. Enter the small line above them too.",
		codeWrong: "Check the code: at least one character is wrong.",
		codeComplete: "The code is complete.",
		address: "Address",
		zone: "Zone",
		coordinates: "Coordinates",
		plusCode: "Plus Code",
		verification: "Verification",
		/** What has been attested of an address, by its verification level, 0 to 3. */
		verificationLevels: [
			"Not verified: nobody has confirmed this address on site yet.",
			"Seen: an agent has seen this place from outside.",
			"Visited: an agent has been to this address.",
			"Verified: an agent has been to this address and identified the person there.",
		],
		/** The same with the day of the visit. The first is for an address that has changed since. */
		verifiedOn: [
			"An agent visited on {date}; the address has changed since.",
			"Seen from outside on {date}",
			"Visited on {date}",
			"Visited on {date}, and the person there was identified",
		],
		/** The same of the building that a unit is in. */
		buildingVerifiedOn: [
			"An agent visited the building on {date}; the address has changed since.",
			"The building was seen from outside on {date}",
			"The building was visited on {date}",
		],
		howFar: "How far is it from me?",
		away: "{distance} from you, {direction}",
		/** `direction` is one of `compass`; `name` is a place on the map, such as a bus stop. */
		nearby: "{distance} {direction} of {name}",
		near: "near {name}",
		/** Names the drawing of the streets for a screen reader. */
		mapOf: "The streets around the address",
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
		otherMaps: "Other map apps, Plus Code",
		qrCode: "QR code",
		card: "Card to print",
		printSheet: "Door sign and stickers",
		keepAndPrint: "Keep and print",
		addToContacts: "Add to contacts",
		share: "Share",
		copy: "Copy",
		link: "Link",
		copyCode: "Copy code",
		copied: "Copied",
		asOf: "Offline. As of {time}.",
		/** Above the code as it is spoken, letter by letter. */
		readAloud: "Read it out, group by group",
		/** The digits in words, from 0. */
		digits: ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
		/** On the page of an address that was asked for with a unit, such as a flat. */
		unitOf: "Unit {unit}",
		unitUnknown: "The owner has not listed this unit.",
		/** The page that takes many codes. `code` is the first that is too many. */
		list: {
			title: "Many addresses at once",
			field: "Address codes, or the chat or list that holds them",
			help: "At most 100. They are stored only on this phone.",
			forget: "Clear what this phone has stored",
			forgotten: "Everything is cleared.",
			none: "There is no address code in this text.",
			tooMany: "At most 100 codes: this list has {count}. Remove {code} and all after it.",
			onward: "{distance} from the previous one",
			order: "Sort for a short route",
			/** How many of the codes have an address. */
			found: "{found} of {all} found",
			rest: "Lines without a code: {count}",
			/** Ticks a stop off. */
			done: "Done",
			/** `count` is a number of stops. */
			route: "Route to the next {count}",
			app: "Map app",
		},
		/** For coordinates, a Plus Code or the link of a map in the box for a code. */
		placeFound: { title: "This is a place, not a code", text: "Open it on a map, or get an address for it." },
		openMap: "Open on a map",
		whichCode: "Which of these codes?",
		whichCountry: "Which country is this code in?",
		whichCountryText: "The two letters before the digits are missing. Choose the country.",
		otherCountry: "Another country",
		/** For a code with a part beside it that could change what it means, such as `-12` behind it. */
		unclearCode: {
			title: "Is this the address?",
			text: "We did not understand “\u2068{part}\u2069” in what you entered. If it belongs to the code, or is another flat or code, enter only the one you want. If not, open the address.",
		},
		didYouMean: "Did you mean {code}?",
		/** For whoever hears a code: `groups` are its letters and digits. */
		readBack: "Read it back in groups: {groups}.",
		youEntered: "You entered",
		tryAgain: "Check the code and try again",
		malformed: {
			title: "This is not an address code",
			text: "A character is missing, there is one too many, or one is of the wrong kind. Please compare the code with the original.",
		},
		badCheckDigit: {
			title: "There is a mistake in this code",
			text: "It has the right form, but its last digit does not fit: a character was mistyped or misheard. Please compare the code with the original, character by character.",
		},
		notFound: {
			title: "No address has this code",
			text: "The code is well formed, but no address has been created with it. Please compare it with the original.",
		},
		movedTo: "It has moved to",
		retired: {
			title: "This address has been retired",
			text: "It is no longer in use. The code will never stand for another place; please ask for the new one.",
		},
		/** Retired only while the account of its owner is closed and not erased. */
		closed: {
			title: "This address is closed for now",
			text: "Its owner has closed their account. It comes back if they return within a few days.",
		},
		private: {
			title: "This address is private",
			text: "Its owner shows it only to people who have a link. Please ask the owner for the link.",
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
		/** How to print a sheet. `paper` is A4 or Letter. */
		printHow: "Print on {paper} paper at 100%.",
		printCut: "Cut along the dashed lines.",
		printKeep: "Laminate the sign, or put it in a clear plastic sleeve with the opening at the bottom.",
		printByMenu: "To print, open the menu of your browser and choose “Print”.",
		printShop: "For a print shop: choose “Save as PDF” in the print dialog and send them the file.",
		printOther: "Other paper sizes",
		halfPage: "{paper}, half a page",
		wholePage: "{paper}, whole page",
		withMap: "With a map",
		withoutMap: "Without the map",
		sayAll: "Ambulance, police, delivery: say all eleven characters.",
		scanOrType: "Scan, or type the code at {host}",
		print: "Print",
		backToAddress: "Back to the address",
		/** Who stands behind the registry: on several pages. */
		who: {
			title: "Who runs this registry",
			unnamed: "The operator has not yet said who they are.",
			contact: "Contact the operator",
		},
		/** What the registry holds about people. `kept` says how long; its gaps are durations, such as `30 days`. */
		privacyPage: {
			lead: "What this registry holds about you, why, and for how long.",
			held: {
				address: {
					what: "Your addresses",
					why: "Anyone who has a code, or guesses it, sees its place and text. That is how people find you. A private address is shown only to people with a link, to agents before a visit and to the operator. Only you see what an address said before a change.",
					kept: "Stored until you retire the address. After another {retired} only the code stays, so that it never stands for another place.",
				},
				account: {
					what: "Your phone number and password",
					why: "They show that an address is yours. The number is never public, and of the password only a hash is stored.",
					kept: "Kept until {erasure} after you delete the account. An account that nobody uses is erased after {unused}. A random identifier stays, so that no backup brings the account back.",
				},
				signIns: {
					what: "Where you sign in",
					why: "Your devices, and your networks as keyed hashes. They let you sign out a lost phone, and keep strangers from guessing your password.",
					kept: "A session ends after {session} at the latest. A network is deleted {networks} after the last sign-in, a failed attempt after {short}.",
				},
				keys: {
					what: "API keys",
					why: "Programs act for you with them. Only a hash of each is stored.",
					kept: "Kept until you revoke the key, and its record for another {revoked}.",
				},
				smsCodes: {
					what: "Codes sent by SMS",
					why: "They show that a number is yours. The service that sends them receives the number.",
					kept: "Kept for {short}.",
				},
				visits: {
					what: "Visits of agents",
					why: "Which agent visited an address, when, where they stood, and what they noted, so that a verification can be checked. Also which agent read a private address before a visit.",
					kept: "Kept as long as the address.",
				},
				proofs: {
					what: "Proofs of your number",
					why: "When and how your number was verified, and which one it replaced, so that a takeover can be undone. Also a number that an agent attested and that waits for your answer.",
					kept: "Kept as long as the account. A pending number is deleted after {waiting}.",
				},
				reports: {
					what: "Reports about addresses",
					why: "What somebody says is wrong with an address, and what its owner answers, so that the operator can decide. It is stored without a name or phone number.",
					kept: "Erased after {reports}, and with the address.",
				},
				acts: {
					what: "Acts of the operator",
					why: "What the operator did to your account or an address, when and why. Your data file shows that it was done.",
					kept: "Kept for good, so that every act can be explained. When your account is erased, the reason goes too, and a keyed hash replaces the account’s id.",
				},
				copies: {
					what: "Backup copies",
					why: "Encrypted copies of addresses and backups of the registry bring everything back after a failure.",
					kept: "A copy of an address is stored for {copies} and until a backup contains it. No backup may be stored longer than {backups}.",
				},
				log: {
					what: "The log",
					why: "It shows faults and attacks. It holds no phone number, code, place or text, and networks only as keyed hashes.",
					kept: "Stored as long as the hosting service stores log lines.",
				},
			},
			cookies:
				"Cookies only keep you signed in, remember your language and an address that you have begun, and protect forms. There is no advertising and no tracking.",
			host: "The registry runs at Cloudflare, which processes the data for the operator.",
			rights: "Your rights",
			correct: "You can change or retire your addresses at any time.",
			complain: "You can complain to the data protection authority of your country.",
		},
		/** A report about an address by whoever stands before it, and the page of its state. */
		report: {
			link: "Something wrong here?",
			title: "What is wrong with this address?",
			lead: "The operator of the registry reads this and decides. You need no account.",
			kinds: {
				wrong_place: "The pin is in the wrong place",
				gone: "The place no longer exists",
				no_access: "There is no way in",
				duplicate: "The same place has another code",
				offensive: "The text is offensive",
				other: "Something else",
			},
			text: "What should the operator know?",
			textHelp: "Write nothing about people. The owner of the address may be shown what you write.",
			point: "Where is the right place?",
			pointHelp: "Coordinates, or a full link from a map.",
			send: "Send the report",
			choose: "Choose what is wrong.",
			tooLong: "Use at most 300 characters, and no control characters.",
			enough: "Too many reports have come from your network today. Please try again tomorrow.",
			yours: "Your report",
			keep: "Thank you. Keep the link to this page: nothing else shows what is decided. The report is erased after {days}.",
			waiting: "The operator has not decided yet.",
			decisions: {
				nothing: "The operator left the address as it is.",
				hide: "The operator has hidden the address.",
				retire: "The operator has retired the address.",
			},
			reason: "Reason",
		},
		aboutPage: {
			code: "What a code is",
			codeText:
				"Two letters name the country, four digits the zone, and four digits the place in it. The last digit shows whether a character was mistyped.",
			lasting: "A code never stands for another place, even after its address is retired.",
		},
		/** Questions and what the registry answers. */
		helpPage: {
			create: {
				question: "How do I get an address?",
				answer: "Stand at your door, let the page find your location and confirm the pin.",
			},
			find: {
				question: "How do I find a place?",
				answer: "Type its code on the home page, or scan the sign. The page of the address opens your map app.",
			},
			change: {
				question: "The pin or the text is wrong",
				answer: "Sign in, open your address and correct it. The pin can move within its zone.",
			},
			move: {
				question: "I am moving",
				answer:
					"Create an address at the new place and retire the old one. The old code can then point to the new one.",
			},
			password: {
				question: "I forgot my password",
				answer: "A recovery code lets you back in. So does a code by SMS, if the registry sends them.",
			},
			verify: {
				question: "How is an address verified?",
				answer:
					"An agent of the registry visits the place. If the pin or the text changes later, the verification ends.",
			},
			notMine: {
				question: "Somebody else’s address is wrong",
				answer: "Open the page of the address and report what is wrong.",
			},
		},
	},
	/** What the field for other people's forms says beside what the pages say (src/client/address-code.ts). */
	field: {
		/** A button of the field for other websites. It opens the pages whose texts are `give`. */
		give: "I have no code yet",
		ended: "This link to a private address has ended. Ask for a new one.",
		private: "This address is private. Paste a link to it, which its owner can create.",
		successor: "Use {code} instead.",
		unchecked: "Not checked. You can go on.",
		unit: "Unit",
		unlisted: "No unit {unit} is listed",
	},
	/** The console, for who creates and keeps addresses. */
	console: {
		errorPrefix: "Error",
		problem: "Please check this",
		continue: "Continue",
		back: "Back",
		change: "Change",
		cancel: "Cancel",
		save: "Save",
		saved: "Saved.",
		/** Beside each other where something was changed elsewhere while its form was open. */
		changedElsewhere: { now: "Saved now", mine: "Yours", save: "Save mine" },
		optional: "(optional)",
		step: "Step {number} of 3",
		/** Before the text or the pin of a verified address are changed. */
		endsVerification: "Saving this ends the verification, because nobody has confirmed the change on site.",

		where: {
			title: "Where is it?",
			useHere: "Use my current location",
			useHereHelp:
				"Stand at the gate or door. Your phone is asked for its location only now, and only the point you confirm is saved.",
			searching: "Looking for your location …",
			veryGood: "Very good: within {metres}.",
			good: "Good: within {metres}. It gets better under the open sky.",
			rough: "Rough: within {metres}. You will have to move the pin.",
			area: "Your phone knows only the area, within {metres}. Turn on precise location or step outside.",
			take: "Take this point",
			takeRough: "Continue and place the pin by hand",
			again: "Try again",
			denied:
				"Location is blocked for this page. Allow it in the browser’s site settings and try again, or paste the place below.",
			unavailable: "Your phone does not know where it is. Switch on location and try again, or paste the place below.",
			timeout: "Your location was not found in time. Step outside and try again, or paste the place below.",
			paste: "Paste or type the place",
			pasteHelp: "Coordinates, a Plus Code, a link from a map app, or an address code. Example: {example}",
			howTo: "How to find the coordinates in Google Maps",
			howToSteps: [
				"Open Google Maps and find the place.",
				"Touch the place and hold until a red pin appears.",
				"The coordinates appear in the search box at the top. Touch them to copy.",
				"Come back here, touch the box above and paste.",
			],
			startAgain: "Start again",
		},
		refused: {
			empty: "Paste or type the place, or use your current location.",
			unreadable: "We cannot find a place in this text. Coordinates such as 6.5244, 3.3792 always work.",
			"unclear part":
				"We do not understand “\u2068{part}\u2069” in this text. Write the coordinates alone, with a minus sign for degrees south or west, such as -1.2921, 36.8219.",
			unknownPart:
				"We do not know “\u2068{part}\u2069” beside this Plus Code. Copy the full code, such as 6FR5G9FH+QM, or the coordinates.",
			named: "This names a place, not a point. Choose it, then put the pin on your gate yourself.",
			"several places": "These are several places. Paste one at a time.",
			"short link": "We do not open links. Open this one yourself and copy the coordinates of the place.",
			"other notation":
				"This is another way to name a place. Copy its latitude and longitude instead, such as 6.5244, 3.3792.",
			"short plus code": "This Plus Code is shortened. Copy the full one, such as 6FR5G9FH+QM, or the coordinates.",
			"coarse plus code": "This Plus Code stands for a whole area. Copy the longer one, such as 6FR5G9FH+QM.",
			"mistyped code": "This address code has a mistake in it. Compare it with the original.",
			"out of range": "These coordinates do not exist: latitude goes up to 90, longitude up to 180.",
			swapped: "Latitude and longitude seem to be the wrong way round.",
		},
		swapAsk: "Use {point} instead",
		asTyped: "Keep it as I typed it",

		spot: {
			title: "Is the pin right?",
			help: "The pin is in the middle. Choose a point in the drawing to move it there, or use the buttons.",
			drag: "Drag the map until the pin is on your door.",
			drawing: "Drawing of the surroundings: choose a point to move the pin there",
			moved: "The pin is {distance} {direction} of the first point.",
			onFirst: "The pin is on the first point.",
			far: "That is far from where you were. Is it right?",
			north: "North",
			south: "South",
			east: "East",
			west: "West",
			stepLength: "Step",
			shown: "Width shown",
			toFirst: "Back to the first point",
			/** Before the names of map services, which are links. */
			seeIn: "See this point in",
			/** How exactly the phone found the first point. */
			exactness: {
				house: "Your phone found it to within {metres}: about one house.",
				houses: "Your phone found it to within {metres}: a few houses. Move the pin to yours.",
				street: "Your phone found it to within {metres}: about one street. Move the pin to your house.",
				area: "This is only the area, within {metres}. Put the pin on your house yourself.",
			},
			/** The question which of several places near the pin its address names. */
			locality: "What is this place called?",
			right: "The pin is right",
			duplicate: "You already have {code}, {distance} from here.",
			open: "Open {code}",
		},

		charactersLeft: "Characters left: {count}",
		/** Before `starts`, which are beginnings of what is written about a place; each ends as its first word is written on. */
		startWith: "Begin with",
		starts: ["Gate:", "Behind", "Opposite"],
		noWords: "No words: the sign shows only the code",
		wordsMissing: "Write how people find the place, or choose to have no words.",
		/** The texts that an owner may write about an address. `example` stands before `help`. */
		texts: {
			label: {
				name: "In your own words",
				help: "Anyone who has the code can read this. Leave out names of people and phone numbers.",
				example: "Such as “Blue gate, behind the central mosque”.",
				tooLong: "Use at most 200 characters, on one line.",
				changed: "Text changed",
			},
			directions: {
				name: "From the road to the door",
				help: "Anyone who has the code can read this too.",
				example: "Such as “Second gate after the borehole; ring the bell”.",
				tooLong: "Use at most 300 characters, on one line.",
				changed: "Directions changed",
			},
		},

		check: {
			title: "Check and create",
			place: "Place",
			noWords: "No text. You can add it later.",
			keepTitle: "Keep control of it",
			keepText: "With your phone number and a password you can change, print or retire it later.",
			/** Above the button that creates the address. */
			public:
				"Anyone who has the code, or guesses it, will see the place and your text. Your phone number stays private.",
			create: "Create the address",
			haveAccount: "I already have an account",
			newHere: "I have no account yet",
		},

		done: {
			title: "This is yours",
			writeDown: "Write it down, or send it to yourself.",
			howVerified: "An agent of the registry can verify it on site.",
		},
		address: {
			printSign: "Print the sign",
			savePicture: "Save as a picture",
			whatsApp: "Send by WhatsApp",
			publicPage: "See what others see",
			manage: "Manage",
			changeWords: "Change the text",
			/** Folds what is seldom done with an address. */
			retire: "Retire it",
			history: "What has changed",
		},

		/** What was reported about one's own address. */
		reports: {
			title: "Reports about this address",
			unread: "The operator has not released the text.",
			place: "The place, as reported",
			answer: "Your answer",
			help: "Only the operator reads it.",
			send: "Send the answer",
		},
		/** The page on which a person sends another website the code of an address. `shop` is its host, such as shop.example. */
		give: {
			title: "{registry}, for {shop}",
			ask: "{shop} asks for the code of your address.",
			text: "Until you send a code, it learns nothing from this page. This page never asks for your password.",
			show: "Show my addresses",
			choose: "Which address?",
			public: "{shop} sees the place and the text, like everyone who has the code.",
			send: "Send {code} to {shop}",
			private: "{shop} gets the code alone and cannot see the place. It may not accept that.",
			link: "With the link, {shop} also sees the place and the text for {days}.",
			sendLink: "Send {code} and a link to {shop}",
			/** In place of the two buttons where nothing can be sent: what they lead to is copied by hand. */
			display: "Show {code} to copy",
			displayLink: "Make a link to {code} to copy",
			first: "Create an address or sign in. Both open in a tab of their own. Then come back to this one.",
			/** Below a code or a link. */
			copy: "Copy this and paste it at {shop}.",
			sent: "{shop} has received {code}. You can close this tab.",
			unknown: "The website that opened this page is not named, or does not use HTTPS. Close this tab.",
		},
		/** Whether an address is public or private, and links to a private one. */
		visibility: {
			seenBy: "Who can see it?",
			public: "Everyone who has the code can see the place and the text",
			private: "Only I and people to whom I give a link",
			nowPrivate: "Only you and people to whom you give a link can see the place and the text.",
			change: "Change who can see it",
			makeLink: "Make a link that works for",
			linkText: "Whoever has this link sees the address until {date}:",
			endLinks: "End all links",
			linksEnded: "All links have ended.",
		},
		/** What can be printed of addresses. */
		prints: { signs: "Door signs", stickers: "Stickers", cards: "Cards" },
		list: {
			title: "My addresses",
			create: "Create an address",
			empty: "You have no addresses yet.",
			search: "Search by code or text",
			find: "Search",
			noMatch: "None of your addresses matches.",
			/** Before the day. */
			created: "Created",
			select: "Select {code}",
			print: "Print the selected ones, or all if none is selected",
			printNext: "Then print the older ones",
			next: "Older addresses",
		},
		/** Where people go in to an address. `metres` is a length. */
		entrance: {
			title: "Entrance",
			help: "Put the pin where people go in, at most {metres} from the place. Navigation leads there.",
			remove: "Remove the entrance",
			far: "The entrance must be at most {metres} from the place, in the same country.",
		},
		/** The units of an address, such as flats. `example` is a code with one behind it. */
		units: {
			title: "Flats and shops",
			text: "Separate doors at this address. They need no code of their own: write the unit after the code, as in {example}.",
			unit: "Flats or shops, separated by commas: 3A, 3B",
			remove: "Remove",
			wrong: "Use 1 to 20 characters.",
			full: "This address already has {count}. Remove one first.",
			print: "Print a sign for each",
		},
		move: {
			title: "Move the pin",
			help: "The pin must stay in its zone. For a place elsewhere, create a new address and retire this one.",
			elsewhere: "Or give the place in another way",
			createHere: "Create one here, then retire this one",
		},
		/** An address that an operator hides; shown to its owner. */
		hiddenBecause: "The operator has hidden this address from everyone else while looking into it. Reason: {reason}",
		/** What happened to an address. Those that end with a colon are followed by what was there before. */
		history: {
			before: "Previously: {before}",
			created: "Created",
			read: "Read by an agent before a visit",
			entrance: "Entrance changed",
			point: "Pin moved",
			shared: "Link made. It works until:",
			retired: "Retired",
		},
		retire: {
			title: "Retire this address?",
			text: "Anyone who scans the sign will be told that the address is retired. The code will never stand for another place. This cannot be undone.",
			lastFive: "To confirm, type the last five digits of the code",
			wrongFive: "These are not the last five digits of the code.",
			nowhere: "No new address",
			button: "Retire for good",
			done: "{code} is retired.",
		},

		signIn: {
			title: "Sign in",
			createAccount: "Create an account",
			country: "Country",
			phone: "Phone number",
			phoneHelp: "As you dial it at home, or with + and the country code.",
			password: "Password",
			passwordHelp: "At least 8 characters. A few unrelated words are easy to remember.",
			show: "Show",
			hide: "Hide",
			keep: "Keep me signed in on this phone",
			forgot: "I forgot my password",
			signOut: "Sign out",
			needed: "Please sign in first.",
		},
		forgot: {
			title: "Get back in",
			bySms: "Enter your phone number. A code is sent to it by SMS.",
			haveRecoveryCode: "I have a recovery code",
			text: "Enter the recovery code that you wrote down.",
			byOperator:
				"Without it, ask the operator. An agent can then hand you a new one at your address, after seven days at the earliest.",
			newPassword: "New password",
			revokeKeys: "Also revoke all API keys, because somebody else may have made some",
			button: "Set the password and sign in",
			wrong: "The phone number or the recovery code is wrong.",
		},

		code: {
			send: "Send me a code",
			sent: "A code was sent to {phone}. It works for {minutes}.",
			label: "Code from the SMS",
			again: "Send another code",
			wrong: "This code is wrong or has expired.",
			notSent:
				"No codes are sent to this number. It may not be a mobile number, or this registry does not send to its country.",
		},

		account: {
			title: "Account",
			verified: "verified",
			notVerified: "not verified",
			phoneTitle: "Change the phone number",
			phoneText: "Enter your number. A code that is sent to it by SMS shows that it is yours.",
			phoneNoSms: "This registry sends no SMS, so it cannot check a new number. Please ask its operator.",
			phoneChanged: "The phone number is changed and verified.",
			pendingTitle: "Is this your new phone number?",
			pendingText:
				"An agent says that you have the number {phone}. Accept it only if it is yours. Whoever has it can then set a new password for this account.",
			pendingAccept: "Yes, this number is mine",
			pendingDecline: "No, decline it",
			pendingDecided: "You have accepted {phone}. Another account has this number, so the operator decides.",
			claimedTitle: "Somebody else claims your phone number",
			claimedObject: "The number is mine",
			claimedDecided: "Another account claims your number {phone}. It stays yours until the operator decides.",
			passwordTitle: "Change the password",
			current: "Current password",
			changed: "The password is changed. All other devices are signed out.",
			sessionsTitle: "Where you are signed in",
			thisDevice: "this device",
			lastUsed: "Last used",
			since: "Since",
			end: "Sign out there",
			ended: "That device is signed out.",
			unknownDevice: "Unknown device",
			recoveryTitle: "Recovery code",
			recoveryText: "With this code you get back in once if you forget your password. A new code replaces the old one.",
			recoveryStep: "Last step: a recovery code",
			recoveryMake: "Create a recovery code",
			recoverySend: "Send it to yourself:",
			recoveryMail: "Email",
			recoveryMessage: "{registry}, recovery code: {code}",
			recoveryIndoors: "Cut this part off and keep it indoors. Anyone who has this code can take over your account.",
			recoveryShown: "Write this code down now. It is not shown again.",
			recoveryWritten: "I have written it down",
			exportTitle: "Your data",
			exportText: "One file with everything the registry holds about you.",
			exportButton: "Download my data",
			deleteTitle: "Delete the account",
			deleteText:
				"The account and its addresses are hidden at once and erased after {days}. Sign in before then to undo it.",
			deleteButton: "Delete my account",
			deleted: "Your account is hidden and will be erased after {days}. Sign in before then to undo it.",
			reopened: "Your account and its addresses are open again.",
			passwordToConfirm: "Your password, to confirm",
		},

		keys: {
			title: "API keys",
			text: "For programs that work with your addresses. A key is shown once, when you create it.",
			none: "You have no keys.",
			name: "Name of the key",
			nameHelp: "What it is for, such as “Web shop”.",
			may: "What it may do",
			read: "Read addresses",
			write: "Read addresses, and create, change and retire yours",
			live: "Live",
			test: "Test: creates only sandbox addresses, which are erased after 30 days",
			create: "Create a key",
			once: "Copy the key now. It is not shown again.",
			tryIt: "Try it in a terminal",
			stored: "I have stored it",
			lastUsed: "Last used",
			never: "never",
			revoke: "Revoke",
			revokeAsk: "Revoke {name}? Programs that use it stop working at once.",
			revoked: "The key is revoked.",
			badName: "Give the key a name of 1 to 100 characters.",
		},

		attest: {
			title: "Verify an address",
			text: "For agents who are at the place.",
			level: "What you have seen",
			levels: [
				"I have seen the place from outside",
				"I have visited the address",
				"I have visited it and identified the person there",
			],
			note: "Note",
			noteHelp: "Kept with the record and never public.",
			needsLocation:
				"Your browser must say where you are. Use one with JavaScript, and allow location for this page. Without your location, nothing can be verified.",
			away: "You are {distance} from the pin. Your location is accurate to {accuracy}.",
			tooFar: "You are too far from the pin. Go to the place, or wait until your location is more accurate.",
			positionKept: "Your location is stored with the record. Only the operator and you can see it.",
			button: "Verify",
			done: "{code} is verified.",
			agentsOnly: "Only agents of the registry can do this.",
			phoneTitle: "Verify a phone number",
			phoneOwner: "Code of one of the person’s addresses",
			phoneOwnerHelp:
				"The owner of this address accepts the number in their account, unless it is their number already. Anyone without an address creates one first.",
			phoneDone: "The phone number is verified.",
			phonePending: "The number waits until the holder accepts it, on the page of their account.",
			recoverTitle: "The holder cannot get in",
			recoverText:
				"For somebody who has neither the password nor the recovery code. The operator asks for a new code and names you, and a week later you hand it over here.",
			recoverButton: "Show the recovery code",
			recoverDone:
				"Hand this code over to the holder now. It is not shown again. With it and their phone number they set a new password at {link}.",
			recoverGiven: "I have handed it over",
			recoverNotDue:
				"There is no recovery code to hand over here. The operator must have asked for it at least 7 days ago and named you, and the account must not have been used since. You must stand at the pin.",
			ownAddress: "Agents cannot do this for their own addresses.",
		},

		scan: {
			start: "Scan the sign",
			stop: "Stop the camera",
			aim: "Point the camera at the QR code.",
			denied:
				"The camera is blocked for this page. Allow it in the browser’s site settings and try again, or type the code.",
			none: "No camera could be started. Please type the code.",
			foreign: "This QR code contains no address code.",
			/** `copy` is the name of a button. */
			otherwise:
				"Or scan the sign with the phone’s own camera, choose “{copy}” on the page that opens, and paste it here.",
		},

		file: {
			title: "Addresses from a file",
			text: "Choose a CSV file with the columns external_id, lat, lng and, if you like, {columns}. You see what would be created before anything is.",
			otherwise: "If this browser runs no scripts, use the command line or the API.",
			choose: "CSV file",
			/** What is said while a file is worked on, and in English on the command line. Names of columns are not translated. */
			work: {
				checked: "{done} of {total} lines checked",
				sent: "{done} of {total} lines done",
				create: "Create the addresses ({count})",
				download: "Download the codes",
				downloadFaults: "Download the lines at fault",
				stopped: "{problem} Choose the file again to go on. Nothing is created twice.",
				planned: "To be created",
				created: "Created",
				existing: "Yours already",
				differs: "Already yours, with other values, which stay unchanged",
				wrong: "Cannot be created",
				countries: "By country",
				near: "Within 5 m of each other",
				zones: "By zone",
				zone: "{zone}: {count}. Codes left: {left}",
				read: "Columns that are read: {columns}",
				conflict:
					"You already have an address with this external_id at another point. Use another external_id, or move that address.",
				columns: "Line {line} has {found} columns instead of {wanted}.",
				anonymous: "Line {line} has no external_id.",
				destroyed:
					"Line {line}: a spreadsheet has destroyed the id {id}. Format the column as text, and enter the ids again from their source.",
				repeated: "Line {line} has the external_id of line {earlier}.",
				unplaced:
					"Line {line} has no lat (±90) and lng (±180) in degrees, such as 6.5244 or -1.2921. It has “\u2068{lat}\u2069” and “\u2068{lng}\u2069”.",
				misnamed: "Line {line}: an external_id must be at most 64 printable ASCII characters, without spaces.",
				notALine: "Line {line}: {column} must be one line of at most {characters} characters.",
				noEntrance: "Line {line}: entrance must be a latitude and a longitude in degrees, such as 6.5246, 3.3791.",
				noVisibility: "Line {line}: visibility must be public or private.",
				noLocality: "locality must be one of the places near the point. Leave it empty for the nearest.",
				refused: "The registry does not accept {column} here.",
				fault: "Line {line} ({id}): {problem}",
				today:
					"You can create {left} more today (UTC). Choose the file again tomorrow for the rest, or ask the operator of the registry for a higher limit.",
				missing: "Line {line}: the column {names} is missing. The columns are {known}.",
				doubled: "Line {line}: each of the columns {names} could be the {column}. Rename all but one.",
				empty: "The file has no line below the header.",
				quote: 'Line {line}: a quotation mark is not closed, or not doubled within a cell, as in "a ""b"" c".',
				encoding: "Line {line} is not in UTF-8. Save the file as CSV in UTF-8.",
				/** `kind` is xlsx, xls or ods. */
				workbook:
					"This is a workbook ({kind}), not a CSV file. Open it in the spreadsheet, choose Save as, then CSV in UTF-8, and choose that file here.",
				/** `sample` is the first word with letters beyond ASCII. */
				guessed:
					"The file is not in UTF-8. It is read in Windows-1252, as Excel saves plain CSV. Check that this is right: {sample}",
				/** Beside the button that creates the addresses; several are listed. */
				inCountry: "{count} in {country}",
				severalCountries: "The points lie in several countries. Choose those that are right.",
				/** Lines of one kind, with the first of them. */
				alike: "{count} like this one: {fault}",
				byKind: "Cannot be created, by kind",
				mapping: "Which column is which",
			},
		},
		errors: {
			phone: {
				extension: "Leave out the extension: the account needs a number that can be dialled directly.",
				"two countries":
					"These digits can be numbers of two countries. Begin with a plus sign and the country code, such as +234 803 123 4567.",
			},
			INVALID_PHONE: "This phone number cannot be right. Check the country and the digits.",
			WEAK_PASSWORD:
				"This password is too easy to guess, or too short. Use at least 8 characters, not your phone number or a sequence such as 12345678.",
			PHONE_TAKEN: "This phone number already has an account. Sign in instead.",
			INVALID_CREDENTIALS: "The phone number or the password is wrong.",
			password: "The password is wrong.",
			OUTSIDE_ZONES:
				"There is no country at this point: it lies at sea or outside every country, or latitude and longitude are the wrong way round.",
			OUTSIDE_ITS_ZONE: "The new place is in another zone. Create a new address there, and retire this one.",
			ZONE_FULL: "This zone has no free code left. Please tell the operator.",
			QUOTA_EXCEEDED: "You have reached today’s limit. Please try again tomorrow.",
			FORBIDDEN: "This belongs to another account.",
			conflict: "This was changed elsewhere in the meantime. Please look at it again.",
			wait: "Too many attempts. Please wait {minutes} and try again.",
			form: "This page was open for too long, or your browser refuses cookies. Please send it again.",
			suspended: "The operator has suspended this account. You can still export and delete your data.",
			tooLarge: "That is too much text. Please shorten it.",
			unavailable: "This is not working right now. The fault is ours. Please try again in a moment.",
		},
	},
});

/** What a language says. */
export type Messages = typeof en;

/** What another language says. */
export const translation = translator<Messages>();
