import { isolated, plainLabel } from "../addresses/plain-label.ts";
import { type AppError, problemTable } from "../errors.ts";
import { codeCheckScript } from "./code-check-script.ts";
import { CodeField } from "./code-field.tsx";
import type { PageParts, Speech } from "./document.tsx";
import type { Explanation, Messages } from "./messages-en.ts";

/** Longest input that is shown again; nothing longer is a code. */
const SHOWN_CHARACTERS_MAX = 60;

function explanationOf(error: AppError, say: Messages): Explanation {
	switch (error.code) {
		case "MALFORMED_CODE":
			return say.malformed;
		case "BAD_CHECK_DIGIT":
			return say.badCheckDigit;
		case "ADDRESS_NOT_FOUND":
			return say.notFound;
		case "ADDRESS_RETIRED":
			return say.retired;
		case "RATE_LIMITED":
			return say.tooMany;
		case "NOT_FOUND":
			return say.noPage;
		default:
			return say.unavailable;
	}
}

/** Mistakes that can be mended in what was entered. Of any other code the box beside would say that it is complete. */
const MENDABLE = new Set<AppError["code"]>(["MALFORMED_CODE", "BAD_CHECK_DIGIT"]);

/**
 * The page of a code or path that leads nowhere: which kind of mistake it is, what was entered, and the box to try again or to enter another
 * code. It never names another address.
 */
export function mistakePage(error: AppError, entered: string, speech: Speech): PageParts {
	const { say } = speech;
	const { title, text } = explanationOf(error, say);
	const shown = Array.from(plainLabel(entered)).slice(0, SHOWN_CHARACTERS_MAX).join("");
	return {
		speech,
		title: shown ? `${title} · ${isolated(shown)}` : title,
		description: text,
		path: shown ? `/a/${encodeURIComponent(shown)}` : "/",
		scripts: [codeCheckScript],
		status: problemTable[error.code].status as NonNullable<PageParts["status"]>,
		headers: error.headers,
		body: (
			<>
				<section>
					<h1>{title}</h1>
					<p>{text}</p>
					{shown ? (
						<p class="entered">
							<span class="kind">{say.youEntered}</span>{" "}
							<strong>
								<bdi>{shown}</bdi>
							</strong>
						</p>
					) : null}
				</section>
				<section>
					{MENDABLE.has(error.code) || error.code === "ADDRESS_NOT_FOUND" ? <h2>{say.tryAgain}</h2> : null}
					<CodeField speech={speech} entered={MENDABLE.has(error.code) ? shown : ""} />
				</section>
			</>
		),
	};
}
