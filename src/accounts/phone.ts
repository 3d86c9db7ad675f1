import {
	type CountryCode,
	getCountries,
	getCountryCallingCode,
	isSupportedCountry,
	Metadata,
	parsePhoneNumberFromString,
	validatePhoneNumberLength,
} from "libphonenumber-js/max";
import { asciiDigits } from "../codes/digits.ts";
import { INVISIBLE } from "../codes/invisible.ts";
import { withoutUnseen } from "../codes/normal-text.ts";
import { AppError, type PhoneFault } from "../errors.ts";

/** The longest text that is read, in UTF-16 units. */
const TEXT_MAX = 64;

/** What people put between the digits: invisible characters, dashes, dots, brackets, slashes. */
const SEPARATORS = new RegExp(String.raw`[${INVISIBLE}\p{Pd}\u2212.()[\]/]`, "gu");

/** The most digits that a number has after its plus sign (ITU-T E.164, section 6.1). */
const DIGITS_MAX = 15;

/** Mexico dropped the 1 before mobile numbers in 2019, but contacts still have it. libphonenumber no longer removes it. */
const MEXICAN_MOBILE = /^\+521(?=\d{10}$)/;

const EXAMPLE = "such as +234 803 123 4567";

/** How to mend a number, by what libphonenumber finds wrong with its length. */
const MENDS = {
	INVALID_COUNTRY: `No country has this country code. Check the digits behind the plus sign, ${EXAMPLE}.`,
	TOO_SHORT: "The phone number has too few digits for its country. Check that none is missing.",
	TOO_LONG: "The phone number has too many digits for its country. Check that none is there twice.",
	INVALID_LENGTH: "No phone number of this country has so many digits. Check them.",
	NOT_A_NUMBER: `Write the phone number in digits behind a plus sign, without letters and extensions, ${EXAMPLE}.`,
};

/** Words before an extension that libphonenumber does not know, in the languages of the pages, and the pauses that phones store. */
const EXTENSION_WORDS =
	/(?<=\d)(?:poste?|ramal|extensão|extensao|kiendelezi|upanuzi|(?:lambar )?ƙari|kari|تحويلة|تحويله|داخلي|[pw])(?=:?\d)/iu;

/** The schemes of links to a number (RFC 3966, RFC 5724), as pages and applications write them. */
const SCHEMES = /^(?:tel|sms|callto|whatsapp|viber):(?:\/\/)?/i;

/**
 * The prefix of a local number in a link: `tel:803-123-4567;phone-context=+234` (RFC 3966, section 5.1.5). A domain says nothing of it. Its
 * hyphen has gone with those of the number.
 */
const CONTEXT = /^(\d+);phonecontext=(\+\d{1,7})$/i;

/** Digits that are marks, such as footnotes and fractions. Their normal form would add digits to a number. */
const MARKS = /\p{No}/u;

const refused = (detail: string, phoneFault?: PhoneFault) =>
	new AppError("INVALID_PHONE", detail, phoneFault && { phoneFault });

/** The number in a text, as libphonenumber reads it. The country (ISO 3166-1 alpha-2) is where a national number is dialled. */
function readNumber(text: string, country?: CountryCode) {
	return parsePhoneNumberFromString(text, { extract: false, ...(country && { defaultCountry: country }) });
}

/**
 * A text without separators and the scheme of a link (`tel:`, RFC 3966), in ASCII digits. Empty if it is too long or has marks.
 * @throws AppError INVALID_PHONE for an extension.
 */
function compact(input: string): string {
	if (input.length > TEXT_MAX || MARKS.test(input)) return "";
	const written = asciiDigits(input.replace(/%2b/gi, "+").normalize("NFKC").replace(SEPARATORS, ""));
	const text = written.replace(SCHEMES, "").replace(CONTEXT, "$2$1");
	// An extension is recognized in any country alike, but only with one.
	const extension = /^\+?\d+$/.test(text) ? undefined : readNumber(text.replace(EXTENSION_WORDS, "ext"), "US")?.ext;
	if (extension)
		throw refused("Leave out the extension: an account needs a number that is dialled directly.", "extension");
	return text;
}

/**
 * The E.164 form of a phone number, with or without separators, in the digits of any script. A 0 that is dialled only inside the country,
 * as in +234 0803 123 4567, is dropped. The length must be possible for the country; no more is checked, because plans change faster than
 * metadata.
 * @throws AppError INVALID_PHONE, which says how to mend the number.
 */
export function parsePhone(input: string): string {
	const text = compact(input).replace(MEXICAN_MOBILE, "+52");
	if (/^\d+$/.test(text)) throw refused(`Begin the phone number with a plus sign and its country code, ${EXAMPLE}.`);
	if (!/^\+\d+$/.test(text)) throw refused(MENDS.NOT_A_NUMBER);
	const number = readNumber(text);
	if (number?.isPossible() && number.number.length <= 1 + DIGITS_MAX) return number.number;
	throw refused(MENDS[validatePhoneNumberLength(number?.number ?? text) ?? "TOO_LONG"]);
}

/** The longest prefix for calls abroad, in digits: Australia's 1488 0011. */
const PREFIX_MAX = 8;

/** The number behind a prefix for calls abroad, in E.164 form; undefined if it cannot be one. No country's code begins with 0. */
function behindPrefix(digits: string, length: number): string | undefined {
	const rest = digits.slice(length);
	return /^[1-9]/.test(rest) && readNumber(`+${rest}`)?.isPossible() ? `+${rest}` : undefined;
}

/**
 * The international number in digits that begin as calls abroad do where they are dialled; undefined if they do not. What the network of
 * the country would dial comes first, so in Nigeria, where the prefix is 009, `009 1 202 ..` is a number of the USA. Where no prefix of
 * the country fits, `00` is one, as ITU-T E.123 and people's contacts have it.
 * @param groups The digits in the groups in which they are written.
 * @throws AppError INVALID_PHONE if the digits can be numbers of two countries.
 */
function abroad(groups: string[], country: CountryCode | undefined): string | undefined {
	const digits = groups.join("");
	const metadata = new Metadata();
	if (country) metadata.selectNumberingPlan(country);
	const prefix = country && new RegExp(`^(?:${metadata.numberingPlan?.IDDPrefix()})$`);
	// One prefix of a country may be the start of another, such as 00 and 001 in Hong Kong.
	const lengths = Array.from({ length: PREFIX_MAX }, (_, index) => index + 1);
	const own = lengths.filter((length) => prefix?.test(digits.slice(0, length)) && behindPrefix(digits, length));
	const common = digits.startsWith("00") && !own.includes(2) && behindPrefix(digits, 2);
	if (own.length === 0) return common || undefined;
	const [first = ""] = groups;
	const ofGroups = [...own, ...(common ? [2] : [])].find((length) => length === first.length);
	if (ofGroups) return behindPrefix(digits, ofGroups);
	const valid = own.filter((length) => readNumber(behindPrefix(digits, length)!)?.isValid());
	// In `0091 98450 ..` the writer has set off 00 and a country's code.
	const isCommon = common && first === `00${readNumber(common)?.countryCallingCode}`;
	const [only, ...others] = valid.length > 0 ? valid : own;
	if (others.length > 0 || (common && (isCommon || valid.length === 0)))
		throw refused(`These digits can be numbers of two countries. Begin with a plus sign, ${EXAMPLE}.`, "two countries");
	return behindPrefix(digits, only ?? 0);
}

/**
 * The E.164 form of a number as people of a country dial it, such as `0803 123 4567` in Nigeria. A number that starts with a plus sign,
 * the country's own prefix for calls abroad or `00` is international.
 * @param country The country chosen beside the number (ISO 3166-1 alpha-2).
 * @throws AppError INVALID_PHONE, as parsePhone does.
 */
export function parseNationalPhone(input: string, country: string | undefined): string {
	const text = compact(input);
	if (!/^\d+$/.test(text)) return parsePhone(input);
	const dialled = phoneCountry(country);
	const groups = asciiDigits(withoutUnseen(input.normalize("NFKC"))).match(/\d+/g) ?? [];
	return parsePhone(abroad(groups, dialled) ?? (dialled && readNumber(text, dialled)?.number) ?? text);
}

/** The countries (ISO 3166-1 alpha-2) whose national phone numbers are understood, with their calling codes such as `+234`. */
export function phoneCountries(): { country: string; callingCode: string }[] {
	return getCountries().map((country) => ({ country, callingCode: `+${getCountryCallingCode(country)}` }));
}

/** The country (two letters, any case) if its national numbers are understood, else undefined. */
export function phoneCountry(country: string | undefined): CountryCode | undefined {
	const letters = country?.toUpperCase() ?? "";
	return isSupportedCountry(letters) ? letters : undefined;
}

/** The types of numbers that can take a text message. Numbering plans change faster than metadata, so numbers of unknown type do too. */
const SMS_TYPES: readonly string[] = ["MOBILE", "FIXED_LINE_OR_MOBILE", "UNKNOWN"];

/**
 * Refuses a number to which this registry sends no one-time codes, because messages to it are expensive or cannot arrive.
 * @param callingCodes Country calling codes without the plus sign, to which codes are sent; undefined for those of all countries.
 * @param phone E.164.
 * @returns The country calling code of the number, such as `+234`. Several countries may share one.
 * @throws AppError INVALID_PHONE.
 */
export function assertSmsNumber(callingCodes: ReadonlySet<string> | undefined, phone: string): string {
	const number = readNumber(phone);
	const callingCode = number?.countryCallingCode ?? "";
	const isServed = callingCodes ? callingCodes.has(callingCode) : number?.isNonGeographic() === false;
	if (!isServed) throw new AppError("INVALID_PHONE", "This registry sends no one-time codes to this country.");
	if (!SMS_TYPES.includes(number?.getType() ?? "UNKNOWN")) {
		throw new AppError("INVALID_PHONE", "This registry sends one-time codes to mobile phones only.");
	}
	return `+${callingCode}`;
}
