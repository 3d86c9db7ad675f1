/**
 * Every error that the registry can answer: its stable code, HTTP status and title (RFC 9457 section 3.1). There is one table, so that the
 * routes, the OpenAPI document and the problem pages cannot disagree.
 */
export const problemTable = {
	INVALID_REQUEST: { status: 400, title: "The request is not valid" },
	MALFORMED_CODE: { status: 400, title: "This is not an address code" },
	BAD_CHECK_DIGIT: { status: 400, title: "The check digit is wrong" },
	INVALID_PHONE: { status: 400, title: "The phone number is not valid" },
	WEAK_PASSWORD: { status: 400, title: "The password is too weak" },
	UNAUTHENTICATED: { status: 401, title: "A credential is required" },
	INVALID_TOKEN: { status: 401, title: "The credential is not valid" },
	INVALID_CREDENTIALS: { status: 401, title: "The credentials are wrong" },
	ACCOUNT_SUSPENDED: { status: 403, title: "The account is suspended" },
	FORBIDDEN: { status: 403, title: "Not allowed" },
	ADDRESS_PRIVATE: { status: 403, title: "This address is private" },
	NOT_FOUND: { status: 404, title: "There is nothing here" },
	ADDRESS_NOT_FOUND: { status: 404, title: "No such address" },
	KEY_NOT_FOUND: { status: 404, title: "No such key" },
	METHOD_NOT_ALLOWED: { status: 405, title: "This method is not available here" },
	PHONE_TAKEN: { status: 409, title: "This phone number is taken" },
	IDEMPOTENCY_CONFLICT: { status: 409, title: "This Idempotency-Key or external id is in use" },
	ADDRESS_CHANGED: { status: 409, title: "The address has changed" },
	ZONE_FULL: { status: 409, title: "The zone is full" },
	ADDRESS_RETIRED: { status: 410, title: "This address has been retired" },
	FEED_RESET: { status: 410, title: "This cursor is no longer valid" },
	PRECONDITION_FAILED: { status: 412, title: "If-Match names another version" },
	BODY_TOO_LARGE: { status: 413, title: "The body is too large" },
	UNSUPPORTED_MEDIA_TYPE: { status: 415, title: "The body must be JSON" },
	OUTSIDE_ITS_ZONE: { status: 422, title: "The point is outside the zone of the address" },
	WRONG_HOST: { status: 421, title: "This is not the registry's host" },
	TOO_FAR: { status: 422, title: "Too far from the point of the address" },
	OUTSIDE_ZONES: { status: 422, title: "No zone holds this coordinate" },
	RATE_LIMITED: { status: 429, title: "Too many requests" },
	QUOTA_EXCEEDED: { status: 429, title: "The quota is used up" },
	INTERNAL: { status: 500, title: "Something went wrong on our side" },
	OTP_DISABLED: { status: 503, title: "One-time codes are not available" },
	SNAPSHOT_BEING_MADE: { status: 503, title: "The snapshot is being made" },
	UNAVAILABLE: { status: 503, title: "The service is not available right now" },
} as const satisfies Record<string, { status: number; title: string }>;

/** The stable, machine-readable name of an error. */
export type ProblemCode = keyof typeof problemTable;

/** One fault of a request: where it is (dotted path into the body, query or headers) and how to fix it. */
export interface FieldError {
	path: string;
	message: string;
}

/** The zone of an address, under the names that the API gives it. */
interface ZoneOfAddress {
	country: string;
	zone: string;
	zone_name: string;
	region: string;
}

/** The parts of a problem besides its code and detail. */
interface ProblemExtras {
	/** The faults of the request's fields. */
	errors?: FieldError[];
	/** The canonical code of the address to use instead. */
	successor?: string;
	/** Whether the address is retired only while its owner's account is closed. This is for pages; the body does not include it. */
	isClosed?: boolean;
	/** The URL of the newest snapshot of all addresses. */
	snapshot?: string;
	/** The zone of a private address, which anyone may know. */
	zone?: ZoneOfAddress;
	/** What is wrong with a phone number where the digits alone do not show it. This is for pages; the body does not include it. */
	phoneFault?: PhoneFault;
	/** Response headers that belong to the error, such as Retry-After. */
	headers?: Record<string, string>;
}

/** An extension, or digits that can be the numbers of two countries. */
export type PhoneFault = "extension" | "two countries";

/** An error with a public code. `detail` is sent to the caller, so it says what is wrong and how to fix it, and holds no secret. */
export class AppError extends Error {
	readonly code: ProblemCode;
	readonly detail: string;
	readonly errors: FieldError[] | undefined;
	readonly successor: string | undefined;
	readonly isClosed: boolean;
	readonly snapshot: string | undefined;
	readonly zone: ZoneOfAddress | undefined;
	readonly phoneFault: PhoneFault | undefined;
	readonly headers: Record<string, string>;

	constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
		super(`${code}: ${detail}`);
		this.name = "AppError";
		this.code = code;
		this.detail = detail;
		this.errors = extras.errors;
		this.successor = extras.successor;
		this.isClosed = extras.isClosed ?? false;
		this.snapshot = extras.snapshot;
		this.zone = extras.zone;
		this.phoneFault = extras.phoneFault;
		const { status } = problemTable[code];
		this.headers = {
			// Every 401 names a scheme with a parameter (RFC 9110 section 15.5.2, RFC 6750 section 3).
			...(status === 401 ? { "WWW-Authenticate": 'Bearer realm="registry"' } : {}),
			// Every 429 says when to try again. If only removing something helps, this merely slows retries down.
			...(status === 429 ? { "Retry-After": "3600" } : {}),
			...extras.headers,
		};
	}
}

/** The error for one field of a request that its schema alone cannot judge. `path` is its dotted path. */
export function invalidField(path: string, message: string): AppError {
	return new AppError("INVALID_REQUEST", `${path}: ${message}`, { errors: [{ path, message }] });
}

/** Returns an error that can be the answer to one item of many. @throws Any error that is not an AppError. */
export function appErrorOf(error: unknown): AppError {
	if (error instanceof AppError) return error;
	throw error;
}

/** An error in a setting without which the registry cannot or must not serve. The message names the setting and never holds its value. */
export class ConfigError extends Error {
	override name = "ConfigError";
}
