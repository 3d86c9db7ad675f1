import type { ProblemCode } from "../errors.ts";
import { AppError, problemTable } from "../errors.ts";
import { toAppError } from "../failures.ts";
import { fill } from "../languages/template.ts";
import { logRefusal } from "../limits/suspicious.ts";
import { HOUR, SECOND } from "../time/time.ts";
import type { FieldFailure } from "../web/fields.tsx";
import { durationText } from "../web/measures.ts";
import type { Visit } from "./visit.ts";

/** What a form says about an error: at which field, in which words, and with which status. */
export interface Failure extends FieldFailure {
	status: number;
	/** Headers of the answer, such as Retry-After. */
	headers: Record<string, string>;
	code: ProblemCode;
}

/** The field that an error is about, in every form that has it. */
const FIELDS: Partial<Record<ProblemCode, string>> = {
	INVALID_PHONE: "phone",
	PHONE_TAKEN: "phone",
	WEAK_PASSWORD: "password",
	INVALID_CREDENTIALS: "password",
	OUTSIDE_ZONES: "place",
	OUTSIDE_ITS_ZONE: "place",
	MALFORMED_CODE: "code",
	BAD_CHECK_DIGIT: "code",
	ADDRESS_NOT_FOUND: "code",
	ADDRESS_RETIRED: "code",
	ADDRESS_PRIVATE: "code",
};

/** The text for a wait of some seconds: in whole minutes, at least one; past an hour it says tomorrow. */
function waitText({ words: { errors }, locale }: Visit, seconds: number): string {
	if (seconds > HOUR / SECOND) return errors.QUOTA_EXCEEDED;
	const minutes = Math.max(1, Math.ceil(seconds / 60));
	return fill(errors.wait, { minutes: durationText(minutes, "minute", locale.language) });
}

function messageOf(visit: Visit, code: ProblemCode, headers: Record<string, string>): string {
	const { signedIn } = visit;
	const { messages, identity } = visit.locale;
	const { errors } = visit.words;
	const said: Partial<Record<ProblemCode, string>> = {
		...errors,
		...(signedIn && { INVALID_CREDENTIALS: errors.password }),
		ACCOUNT_SUSPENDED: [errors.suspended, identity.operatorContact?.replace(/^mailto:/, "")].filter(Boolean).join(" "),
		MALFORMED_CODE: messages.malformed.title,
		BAD_CHECK_DIGIT: messages.badCheckDigit.title,
		ADDRESS_NOT_FOUND: messages.notFound.title,
		ADDRESS_RETIRED: messages.retired.title,
		ADDRESS_PRIVATE: messages.private.title,
		NOT_FOUND: errors.conflict,
		KEY_NOT_FOUND: errors.conflict,
		IDEMPOTENCY_CONFLICT: errors.conflict,
		ADDRESS_CHANGED: errors.conflict,
		PRECONDITION_FAILED: errors.conflict,
		RATE_LIMITED: waitText(visit, Number(headers["Retry-After"])),
		BODY_TOO_LARGE: errors.tooLarge,
	};
	return said[code] ?? errors.unavailable;
}

/** What a form says about an error that was thrown while it was handled. */
export function failureOf(visit: Visit, error: unknown): Failure {
	const refusal = toAppError(error, visit.c.var.requestId);
	logRefusal(visit.registry, refusal);
	const { code, headers, phoneFault } = refusal;
	const message = phoneFault ? visit.words.errors.phone[phoneFault] : messageOf(visit, code, headers);
	return { field: FIELDS[code], message, status: problemTable[code].status, headers, code };
}

/** A fault in one field that the console itself finds. */
export function fieldFailure(field: string, message: string): Failure {
	return { field, message, status: 400, headers: {}, code: "INVALID_REQUEST" };
}

/** Does what a form asks for. If that throws, answers with the form again and what is wrong. */
export async function attempt(
	visit: Visit,
	act: () => Promise<Response>,
	again: (failure: Failure) => Response | Promise<Response>,
): Promise<Response> {
	try {
		return await act();
	} catch (error) {
		// Whoever has read what was changed in the same moment reads it again, and compares it with the form.
		if (error instanceof AppError && error.code === "PRECONDITION_FAILED") throw error;
		return again(failureOf(visit, error));
	}
}
