/**
 * Tells to which ISO 3166-1 country outlines of the border source belong, where the source does not say or differs from ISO 3166 and the
 * United Nations. Every row has its reason.
 */

/** Outlines under a code that ISO 3166-1 only reserves, and the official entry that contains them. */
export const RESERVED_CODES: Readonly<Record<string, { country: string; reason: string }>> = {
	AC: { country: "SH", reason: "Ascension is part of the entry Saint Helena, Ascension and Tristan da Cunha" },
	CP: { country: "FR", reason: "Clipperton is named in the remarks of the entry France" },
	CQ: { country: "GG", reason: "Sark is part of the Bailiwick of Guernsey" },
	DG: { country: "IO", reason: "Diego Garcia is part of the entry British Indian Ocean Territory" },
	FX: { country: "FR", reason: "Metropolitan France is part of the entry France" },
	IC: { country: "ES", reason: "the Canary Islands are part of the entry Spain" },
	TA: { country: "SH", reason: "Tristan da Cunha is part of the entry Saint Helena, Ascension and Tristan da Cunha" },
};

/** Land whose country is disputed, by the source's id: the country that gets its zones, or none. */
export const DISPUTED_LAND: Readonly<Record<string, { country: string | undefined; reason: string }>> = {
	Q7835: {
		country: "UA",
		reason: "Crimea: UN General Assembly resolution 68/262 keeps it in Ukraine, as ISO 3166-2 does",
	},
	Q23681: { country: "CY", reason: "Northern Cyprus: UN Security Council resolution 541 keeps it in Cyprus" },
	Q620634: {
		country: undefined,
		reason: "Bir Tawil: neither Egypt nor Sudan claims it, and ISO 3166 has no entry for it",
	},
	EH: { country: "EH", reason: "Western Sahara: an ISO 3166-1 entry, a non-self-governing territory to the UN" },
	XK: {
		country: "XK",
		reason: "Kosovo: no ISO 3166-1 entry; XK is the user-assigned code in common use (EU, CLDR, banks)",
	},
	TW: { country: "TW", reason: "Taiwan: an ISO 3166-1 entry of its own" },
	Q36678: { country: "PS", reason: "West Bank: part of the ISO 3166-1 entry Palestine, State of" },
	Q39760: { country: "PS", reason: "Gaza Strip: part of the ISO 3166-1 entry Palestine, State of" },
	Q9143535: {
		country: "GB",
		reason: "Akrotiri: a sovereign base area of the United Kingdom; ISO 3166 has no entry for it",
	},
	Q9206745: {
		country: "GB",
		reason: "Dhekelia: a sovereign base area of the United Kingdom; ISO 3166 has no entry for it",
	},
};

/** A line of lattice points (1e-5 degree) that cuts an outline in two; the southern part goes to another country. */
export interface Cut {
	/** x and y in turn; both ends are vertices of the outline */
	line: readonly number[];
	southernPart: string;
	reason: string;
}

/** Outlines that the source draws over disputed land without dividing it. */
export const CUTS: Readonly<Record<string, Cut>> = {
	MA: {
		// Along 27 40' N from the border of Algeria to the sea, then to the source's own corner at sea.
		line: [-877527, 2766663, -1330000, 2766663, -1443883, 2702969],
		southernPart: "EH",
		reason:
			"Western Sahara west of the berm: the source draws it in Morocco, but ISO 3166-1 and the UN end Morocco at the " +
			"parallel of 27 degrees 40 minutes north (General Assembly resolution 34/37)",
	},
};
