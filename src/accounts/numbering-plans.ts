/**
 * Reads phone numbers by the numbering plans of the world: numbers without extensions as libphonenumber-js reads them, in a tenth of its
 * code. A test holds the two together.
 */
import { dataFile } from "../data-file.ts";

/** The numbers of one type: a pattern of whole numbers, and their lengths. */
export interface Range {
	/** As libphonenumber names it, such as MOBILE. */
	type: string;
	pattern: string;
	lengths: readonly number[];
}

/** How numbers are made and dialled in a country, or under a calling code that belongs to none. All patterns are of regular expressions. */
export interface Plan {
	/** Without the plus sign. */
	callingCode: string;
	/** What is dialled before the calling code of another country. */
	internationalPrefix: string | undefined;
	/** Of national numbers. */
	pattern: string;
	/** The lengths of national numbers, ascending. */
	lengths: readonly number[];
	/** What is dialled before a national number. */
	prefix: string | undefined;
	/** What takes the place of a prefix with groups. */
	prefixReplacement: string | undefined;
	/** How the country's numbers begin, where it shares its calling code. */
	leadingDigits: string | undefined;
	/** In the order in which types are tried. */
	ranges: readonly Range[];
}

/** What is known of the phone numbers of the world. */
export interface NumberingPlans {
	/** The plans of the countries that share a calling code, the main one first. */
	geographic: Readonly<Record<string, readonly Plan[]>>;
	/** The calling code of each country (ISO 3166-1 alpha-2), and the place of its plan among those. */
	countries: Readonly<Record<string, readonly [callingCode: string, index: number]>>;
	/** The plans of calling codes that belong to no country. */
	nonGeographic: Readonly<Record<string, Plan>>;
}

/** Reads the numbering plans, which .dev/phone-metadata.ts writes. */
export const readNumberingPlans = dataFile<NumberingPlans>(
	"numbering-plans.bin",
	(bytes) => JSON.parse(new TextDecoder().decode(bytes)) as NumberingPlans,
);

/** A phone number that was read. */
interface PhoneNumber {
	/** E.164. */
	number: string;
	/** Without the plus sign. */
	callingCode: string;
	/** Whether it has a length that numbers of its country have. */
	isPossible: boolean;
	/** Whether its calling code belongs to no country. */
	isNonGeographic: boolean;
	/** As libphonenumber names it, such as MOBILE; undefined for a number in no range that is known. */
	type: string | undefined;
}

const CALLING_CODE_DIGITS_MAX = 3;
const NATIONAL_DIGITS_MIN = 2;
const NATIONAL_DIGITS_MAX = 17;

const isWhole = (digits: string, pattern: string) => new RegExp(`^(?:${pattern})$`).test(digits);

function typeOf({ pattern, ranges }: Plan, national: string): string | undefined {
	if (!isWhole(national, pattern)) return undefined;
	const types = ranges.filter(
		({ pattern, lengths }) => lengths.includes(national.length) && isWhole(national, pattern),
	);
	const [first, second] = types.map(({ type }) => type);
	if (first !== "FIXED_LINE") return first;
	const hasMobile = ranges.some(({ type }) => type === "MOBILE");
	return second === "MOBILE" || !hasMobile ? "FIXED_LINE_OR_MOBILE" : first;
}

/** The plan of a calling code, or, where countries share it, of its main one. */
function planOf({ geographic, nonGeographic }: NumberingPlans, callingCode: string): Plan | undefined {
	return geographic[callingCode]?.[0] ?? nonGeographic[callingCode];
}

/** The plan of the one country that a number belongs to, of those which share its calling code. */
function planOfNumber({ geographic }: NumberingPlans, callingCode: string, national: string): Plan | undefined {
	const plans = geographic[callingCode] ?? [];
	if (plans.length === 1) return plans[0];
	return plans.find((plan) =>
		plan.leadingDigits ? new RegExp(`^(?:${plan.leadingDigits})`).test(national) : typeOf(plan, national) !== undefined,
	);
}

/** A number without what is dialled before it inside its country. */
function withoutPrefix(plans: NumberingPlans, plan: Plan, dialled: string): string {
	const { callingCode, pattern, prefix, prefixReplacement } = plan;
	const start = new RegExp(`^(?:${prefix})`);
	const match = prefix && start.exec(dialled);
	if (!match) return dialled;
	const isReplaced = prefixReplacement && match.length > 1 && match.at(-1);
	const national = isReplaced ? dialled.replace(start, prefixReplacement) : dialled.slice(match[0].length);
	const { lengths } = planOfNumber(plans, callingCode, national) ?? plan;
	const isTooShort = !lengths.includes(national.length) && national.length < Math.max(...lengths);
	return isTooShort || (isWhole(dialled, pattern) && !isWhole(national, pattern)) ? dialled : national;
}

/** The digits after the plus sign of a number as it is dialled in a country; undefined where it is a national number. */
function internationalDigits(plans: NumberingPlans, plan: Plan, digits: string): string | undefined {
	const { callingCode, internationalPrefix, pattern, lengths } = plan;
	const [prefix = ""] = (internationalPrefix && new RegExp(`^(?:${internationalPrefix})`).exec(digits)) || [];
	const rest = digits.slice(prefix.length);
	if (prefix && rest && !rest.startsWith("0")) return rest;
	if (!digits.startsWith(callingCode)) return undefined;
	// Some leave the plus sign out.
	const national = withoutPrefix(plans, plan, digits);
	const shorter = withoutPrefix(plans, plan, digits.slice(callingCode.length));
	const isInternational =
		(!isWhole(national, pattern) && isWhole(shorter, pattern)) || national.length > Math.max(...lengths);
	return isInternational ? digits : undefined;
}

/**
 * Reads a phone number.
 * @param text ASCII digits, after a plus sign if it is international.
 * @param country ISO 3166-1 alpha-2, in which a number without a plus sign is dialled.
 * @returns undefined for what is not a number.
 */
export function readNumber(plans: NumberingPlans, text: string, country = ""): PhoneNumber | undefined {
	if (!/^\+?\d+$/.test(text)) return undefined;
	const [code = "", index = 0] = plans.countries[country] ?? [];
	const here = plans.geographic[code]?.[index];
	const digits = text.startsWith("+") ? text.slice(1) : here && internationalDigits(plans, here, text);
	const callingCode =
		digits === undefined
			? here?.callingCode
			: Array.from({ length: CALLING_CODE_DIGITS_MAX }, (_, index) => digits.slice(0, index + 1)).find((start) =>
					planOf(plans, start),
				);
	const plan = digits === undefined ? here : planOf(plans, callingCode ?? "");
	if (!callingCode || !plan) return undefined;
	const national = withoutPrefix(plans, plan, digits === undefined ? text : digits.slice(callingCode.length));
	if (national.length < NATIONAL_DIGITS_MIN || national.length > NATIONAL_DIGITS_MAX) return undefined;
	const exact = planOfNumber(plans, callingCode, national) ?? plan;
	return {
		number: `+${callingCode}${national}`,
		callingCode,
		isPossible: exact.lengths.includes(national.length),
		isNonGeographic: plans.nonGeographic[callingCode] !== undefined,
		type: typeOf(exact, national),
	};
}
