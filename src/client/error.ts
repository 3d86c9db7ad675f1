import type { FieldError, Problem } from "#api-types";

/** Codes that the client itself sets: when no answer came, and when something other than the registry answered, such as a proxy. */
export type ClientCode = "NO_ANSWER" | "UNREADABLE_ANSWER";

/** A call that failed: the problem that the registry returned (RFC 9457), or the lack of an answer. Branch on `code`. */
export class RegistryError extends Error {
	override readonly name = "RegistryError";
	/** The stable name of the problem, such as `BAD_CHECK_DIGIT`; `NO_ANSWER` if none came in time in any try. */
	readonly code: Problem["code"] | ClientCode;
	/** The HTTP status; 0 where no answer came. */
	readonly status: number;
	/** What is wrong and how to mend it, for people to read. */
	readonly detail: string;
	/** The faults of the request, field by field. */
	readonly errors: FieldError[];
	/** The id of the request. Quote it when you ask for help. */
	readonly requestId: string | undefined;
	/** Seconds to wait before trying again. */
	readonly retryAfter: number | undefined;
	/** The code to use instead of a retired one. */
	readonly successor: string | undefined;

	constructor(
		problem: Partial<Omit<Problem, "code">> & Pick<RegistryError, "code" | "detail">,
		retryAfter?: number,
		cause?: unknown,
	) {
		super(`${problem.code}: ${problem.detail}`, { cause });
		this.code = problem.code;
		this.status = problem.status ?? 0;
		this.detail = problem.detail;
		this.errors = problem.errors ?? [];
		this.requestId = problem.instance;
		this.retryAfter = retryAfter;
		this.successor = problem.successor;
	}
}
