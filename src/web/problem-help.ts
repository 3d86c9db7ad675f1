import type { ProblemCode } from "../errors.ts";

/** What happened, and how to mend it, in words for the person who meets it. The compiler asks for one entry a code. */
export const problemHelp: Record<ProblemCode, { happened: string; mend: string }> = {
	INVALID_REQUEST: {
		happened:
			"The body is no JSON, or a field, parameter or header is missing, misspelt, of the wrong type or out of range.",
		mend: "Read `errors`: each entry names the field by its path and says what is wrong with it. Unknown fields are refused on purpose, so that a misspelt one does not pass silently.",
	},
	MALFORMED_CODE: {
		happened: "The text has not the form of an address code.",
		mend: "A code is two letters and nine digits, such as NG-0421-58212. Case, spaces and dashes do not matter; nothing may be missing, and the letter O is not the digit 0.",
	},
	BAD_CHECK_DIGIT: {
		happened:
			"The text has the form of a code, but its last digit does not fit the rest: a character was mistyped or misheard, or two were swapped. Nothing was looked up.",
		mend: "Compare the code with its source, character by character. The right digit is never told, because a guess could lead to another place.",
	},
	INVALID_PHONE: {
		happened: "The phone number is not in international form, or is too long or too short for its country.",
		mend: "Write it with a plus sign and the country code, such as +234 803 123 4567. Spaces, dashes, dots and brackets do not matter.",
	},
	WEAK_PASSWORD: {
		happened: "The password is too short, among the most common, a run such as 12345678, or the phone number.",
		mend: "Take at least 8 characters that nobody would guess; a few unrelated words are easy to remember. Any character is welcome.",
	},
	UNAUTHENTICATED: {
		happened: "The operation wants a credential and got none, or one of a kind that it does not take.",
		mend: "Send `Authorization: Bearer <access token>`. An API key, as `Authorization: Api-Key <key>`, opens only the reading of an address record.",
	},
	INVALID_TOKEN: {
		happened: "The access token, refresh token or API key is wrong, expired, revoked or signed out.",
		mend: "Refresh the access token, which lives 30 minutes, or sign in again. A refresh token is good for one use: keep the newest. A revoked key does not come back; make another.",
	},
	INVALID_CREDENTIALS: {
		happened: "No account has this phone number with this password.",
		mend: "Check both. Which of them is wrong is not told, so that guessing tells nothing.",
	},
	FORBIDDEN: {
		happened: "The credential is good, but what was asked belongs to another account or to another role.",
		mend: "Sign in as the owner of the address. Attestations are made by agents alone.",
	},
	NOT_FOUND: {
		happened: "Nothing answers at this path, or there is no such account.",
		mend: "Check the path with the documentation. Every path of the API starts with /v1, but for /healthz.",
	},
	ADDRESS_NOT_FOUND: {
		happened: "The code is well formed and its check digit is right, but no address has been issued under it.",
		mend: "Check the code with its source. An answer like this may be up to ten seconds old.",
	},
	KEY_NOT_FOUND: {
		happened: "You have no key with this id, or it has been revoked already.",
		mend: "List your keys to see their ids.",
	},
	METHOD_NOT_ALLOWED: {
		happened: "The path is right, but it does not take this method.",
		mend: "Use one that the `Allow` header names.",
	},
	PHONE_TAKEN: {
		happened: "The phone number has an account already, whatever its spacing.",
		mend: "Sign in instead. If the number is yours and the account is not, open one with another number and prove this one from there, by a one-time code or before an agent: it then passes to you.",
	},
	IDEMPOTENCY_CONFLICT: {
		happened: "The Idempotency-Key was used before, with another body.",
		mend: "Take a new key for each new address, and the same key only to repeat the same request.",
	},
	ZONE_FULL: {
		happened: "All codes of the zone are issued, and its country has no zone number left to go on with.",
		mend: "No address can be issued there any more. Tell the registry's operator, and use a point in a neighbouring zone meanwhile.",
	},
	ADDRESS_RETIRED: {
		happened: "The owner has retired this address. Its code is never issued again.",
		mend: "Ask whoever gave you the code for the new one.",
	},
	BODY_TOO_LARGE: {
		happened: "The body is larger than 16 KiB, or than 64 KiB for a batch.",
		mend: "Send less at once.",
	},
	UNSUPPORTED_MEDIA_TYPE: {
		happened: "The body was not sent as JSON.",
		mend: "Send JSON with the header `Content-Type: application/json`.",
	},
	OUTSIDE_ZONES: {
		happened: "The coordinate is valid, but no zone holds it: it lies at sea, or on land that no country numbers.",
		mend: "Check that `lat` and `lng` are not swapped, and that both have the right sign.",
	},
	RATE_LIMITED: {
		happened: "Too many requests came from your network, or too many failed sign-ins for this phone number.",
		mend: "Wait as many seconds as `Retry-After` says. Resolve many codes by the batch operation, and keep what you have resolved.",
	},
	QUOTA_EXCEEDED: {
		happened: "A quota is used up: new addresses a day, keys an account, or messages a day.",
		mend: "Wait as many seconds as `Retry-After` says, or revoke a key that you no longer need.",
	},
	INTERNAL: {
		happened: "Something went wrong on our side. It has been recorded.",
		mend: "Try again. If it stays so, tell the operator the `instance` of the answer.",
	},
	OTP_DISABLED: {
		happened: "This registry sends no one-time codes: it has no SMS gateway.",
		mend: "Nothing needs a verified number. An agent can attest it in person.",
	},
	UNAVAILABLE: {
		happened: "The database or the zone index did not answer. What could safely be tried again was tried again.",
		mend: "Try again after as many seconds as `Retry-After` says. An Idempotency-Key makes a repeated creation safe.",
	},
};
