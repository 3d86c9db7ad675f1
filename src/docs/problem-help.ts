import type { ProblemCode } from "../errors.ts";

/** What happened and how to fix it, for the person who meets the error. The compiler requires an entry for each code. */
export const problemHelp: Record<ProblemCode, { happened: string; fix: string }> = {
	INVALID_REQUEST: {
		happened:
			"The body is not valid JSON or names a field twice, or a field, parameter or header is missing, misspelt, of the wrong type or out of range.",
		fix: "Read `errors`: each entry names a field by its path and says what is wrong with it. Unknown fields are refused, so that a misspelt one does not go unnoticed.",
	},
	MALFORMED_CODE: {
		happened: "The text is not in the form of an address code.",
		fix: "A code is two letters and nine digits, such as NG-1377-48215. Case, spaces and dashes do not matter. Check that nothing is missing, and that no letter O stands for the digit 0.",
	},
	BAD_CHECK_DIGIT: {
		happened:
			"The text is in the form of a code, but its last digit does not match the rest. A character was mistyped or misheard, or two were swapped. Nothing was looked up.",
		fix: "Compare the code with its source, character by character. The right digit is never revealed, because a guess could lead to another place.",
	},
	INVALID_PHONE: {
		happened:
			"The phone number is not in international form, or it is too long or too short for its country. It may also be one to which the registry sends no one-time codes.",
		fix: "Write it with a plus sign and the country code, such as +234 803 123 4567. Spaces, dashes, dots, brackets and `tel:` do not matter, nor does a 0 that is dialled only inside the country. Leave out an extension. `detail` says what is wrong.",
	},
	WEAK_PASSWORD: {
		happened: "The password is too short, very common, a run such as 12345678, or the phone number itself.",
		fix: "Choose at least 8 characters that nobody would guess. A few unrelated words are easy to remember. Any character is allowed.",
	},
	UNAUTHENTICATED: {
		happened: "The endpoint needs a credential, and the request has none, or one of a kind that it does not accept.",
		fix: "Send `Authorization: Bearer <access token>`. API keys, sent as `Authorization: Api-Key <key>`, work where the documentation says so.",
	},
	INVALID_TOKEN: {
		happened: "The access token, refresh token or API key is wrong, expired, revoked or signed out.",
		fix: "Refresh the access token, which is valid for 30 minutes, or sign in again. A refresh token works once, so keep the newest. A revoked key cannot be restored: create another.",
	},
	INVALID_CREDENTIALS: {
		happened: "No account has this phone number with this password, recovery code or one-time code.",
		fix: "Check both. The answer does not say which of them is wrong, because that would help somebody who guesses.",
	},
	ACCOUNT_SUSPENDED: {
		happened: "The operator of the registry has suspended the account. Its addresses stay.",
		fix: "Write to the operator, whom `detail` names if they can be reached. To export or delete what the registry holds about them, the holder signs in, or sets a forgotten password anew, with `even_suspended`.",
	},
	ADDRESS_PRIVATE: {
		happened:
			"The owner shows this address only to people who have a link. Or the operator hides it while looking into it.",
		fix: "Ask the owner for a link, and open it or send its `share` parameter. No link opens a hidden address.",
	},
	FORBIDDEN: {
		happened:
			"The credential is valid, but the request needs another account, another role or an API key with another scope.",
		fix: "Read `detail`, which says what is needed. Sign in as the owner to change an address. Only agents can attest.",
	},
	NOT_FOUND: {
		happened: "No endpoint has this path, or nothing has this id or name.",
		fix: "Compare the path with the documentation. Every path of the API starts with /v1, except /healthz.",
	},
	ADDRESS_NOT_FOUND: {
		happened: "The code is well formed and its check digit is right, but no address has been created with it.",
		fix: "Compare the code with its source. If the address has just been created, try again after ten seconds.",
	},
	KEY_NOT_FOUND: {
		happened: "You have no key with this id, or it has already been revoked.",
		fix: "List your keys to see their ids.",
	},
	METHOD_NOT_ALLOWED: {
		happened: "The path is right, but it does not accept this method.",
		fix: "Use a method that the `Allow` header names.",
	},
	PHONE_TAKEN: {
		happened:
			"The phone number already has an account, is verified for another account, or was the number of another until recently. Spacing makes no difference.",
		fix: "Sign in instead. If the number is yours but the account is not, register with a one-time code that is sent to it. Without one, create an account with another number, and let an agent verify this number for it.",
	},
	WRONG_HOST: {
		happened: "The request was sent to a host name other than the one that serves this registry.",
		fix: "Send it to the host that `detail` names.",
	},
	IDEMPOTENCY_CONFLICT: {
		happened:
			"The Idempotency-Key was used before, with another body. In a batch: the external id is that of an address at another point.",
		fix: "Use a new key or external id for each new address, and the same one only to repeat the same request.",
	},
	ADDRESS_CHANGED: {
		happened: "The address has changed since the time that `updated_at` named, so you did not see what you attest.",
		fix: "Read the address again. If you still agree with what it says, attest it with its new `updated_at`.",
	},
	ZONE_FULL: {
		happened: "All codes of the zone are taken, and its country has no zone number left to add.",
		fix: "No address can be created there any more. Tell the operator of the registry. Meanwhile, use a point in a neighbouring zone.",
	},
	ADDRESS_RETIRED: {
		happened: "Its owner or the operator has retired this address. Its code is never used again.",
		fix: "If the answer names a `successor`, use that code. Otherwise ask whoever gave you the code for the new one.",
	},
	FEED_RESET: {
		happened:
			"This cursor of the feed of changes is no longer valid. Either the registry has been restored from a backup since, or the cursor is older than 35 days. For a file of a snapshot: the newest snapshot does not have it.",
		fix: "Load the snapshot that `snapshot` names, delete what it does not hold, and follow the feed from its cursor. With `mine=1`, list your addresses with `GET /v1/addresses`, and go on without `after`.",
	},
	PRECONDITION_FAILED: {
		happened:
			"The address no longer has a version that `If-Match` names: somebody has changed it since you read it. Nothing was written. On a unit, `If-Match: *` also means that the address must have it already.",
		fix: "Read the address again. If your change is still right, send it with the new `ETag`.",
	},
	BODY_TOO_LARGE: {
		happened:
			"The body is larger than 16 KiB. A batch of codes to resolve may have 64 KiB, and a batch of new addresses 256 KiB.",
		fix: "Send fewer items or shorter texts in one request.",
	},
	UNSUPPORTED_MEDIA_TYPE: {
		happened: "The body was not sent as JSON in UTF-8, or it was compressed.",
		fix: "Send plain JSON in UTF-8 with the header `Content-Type: application/json`. Send no `Content-Encoding`.",
	},
	TOO_FAR: {
		happened:
			"The entrance is more than 300 metres from the point of its address, or in another country. Or an agent is too far from an address to attest it.",
		fix: "Send the point where people enter this address. If the address itself has moved, send its new point too. As an agent, go closer.",
	},
	OUTSIDE_ITS_ZONE: {
		happened:
			"The new point is not in the zone of the address. The zone is part of the code, so a pin moves only within its zone.",
		fix: "Create a new address for the new point. Then retire the old one and name the new code as its `successor`.",
	},
	OUTSIDE_ZONES: {
		happened: "The coordinate is valid, but no zone holds it. It lies at sea, or on land that no country claims.",
		fix: "Check that `lat` and `lng` are not swapped, and that both have the right sign.",
	},
	RATE_LIMITED: {
		happened:
			"Your network or account sent too many requests, or asked for too many codes that do not exist. Or there were too many failed sign-ins with this phone number, or too many one-time codes sent to it.",
		fix: "Wait the number of seconds in `Retry-After`. Use the batch endpoint to resolve many codes, and keep what you have resolved.",
	},
	QUOTA_EXCEEDED: {
		happened:
			"A quota is used up. `detail` says which: for example, new addresses per day, keys per account, or accounts opened from your network.",
		fix: "Wait the number of seconds in `Retry-After`, or remove a key or a unit that you no longer need.",
	},
	INTERNAL: {
		happened: "Something went wrong in the registry. It has been logged.",
		fix: "Try again. If it keeps failing, give the operator the `instance` of the answer.",
	},
	OTP_DISABLED: {
		happened: "This registry does not send one-time codes, because it has no SMS gateway.",
		fix: "Nothing requires a verified number. An agent who meets you can attest it.",
	},
	SNAPSHOT_BEING_MADE: {
		happened:
			"No snapshot of all addresses is finished yet, as after a restore or on the first day. For a file of a snapshot: it is being written anew, because an address in it is no longer public.",
		fix: "Ask again after the number of seconds in `Retry-After`. Keep the copy that you have until then.",
	},
	UNAVAILABLE: {
		happened:
			"The registry could not answer: the database, the zone index or the SMS gateway failed, or too many people were signing in.",
		fix: "Try again after the number of seconds in `Retry-After`. An Idempotency-Key makes it safe to repeat a creation.",
	},
};
