import { answerBatch, newBatchSchema } from "../../addresses/batch-endpoints.ts";
import { ENTRANCE_METRES_MAX } from "../../addresses/schemas.ts";
import { FURTHER_FIELDS } from "../../addresses/texts.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { failureOf } from "../../forms/failure.ts";
import { Form } from "../../forms/form.tsx";
import { forSignedIn, type SignedInVisit } from "../../forms/visit.ts";
import { newRoutes } from "../../http/app-env.ts";
import { parseJson, validateBody } from "../../http/validation.ts";
import { fill } from "../../languages/template.ts";
import { Labelled } from "../../web/fields.tsx";
import { lengthText } from "../../web/measures.ts";
import { mintPointsScript } from "../../web/scripts.ts";

/** Creates a batch as POST /v1/addresses/batch does, or says in the visitor's language why it failed. */
async function create({ c, registry, form, signedIn, ...visit }: SignedInVisit): Promise<Response> {
	try {
		const body = validateBody(
			newBatchSchema,
			parseJson(() => form.get("batch") ?? ""),
		);
		return c.json(await answerBatch(registry, signedIn.caller, body));
	} catch (error) {
		const { code, message, status, headers } = failureOf({ ...visit, c, registry, form, signedIn }, error);
		const type = { "Content-Type": "application/problem+json" };
		return Response.json({ code, detail: message }, { status, headers: { ...headers, ...type } });
	}
}

function filePage(visit: SignedInVisit): Response {
	const { file: words, errors } = visit.words;
	const { title, text, otherwise, choose, work } = words;
	const { OUTSIDE_ZONES, ZONE_FULL, form, unavailable } = errors;
	const { messages, language } = visit.locale;
	const metres = lengthText(ENTRANCE_METRES_MAX, language);
	const problems = {
		OUTSIDE_ZONES,
		ZONE_FULL,
		ADDRESS_RETIRED: messages.retired.title,
		TOO_FAR: fill(visit.words.entrance.far, { metres }),
		UNAVAILABLE: unavailable,
		UNREADABLE_ANSWER: form,
		NO_ANSWER: unavailable,
	};
	return consolePage(visit, {
		title,
		scripts: [mintPointsScript],
		policy: ["connect-src 'self'"],
		body: (
			<>
				<p>{fill(text, { columns: FURTHER_FIELDS.join(", ") })}</p>
				<noscript>
					<p>
						<a href="/docs/guides/meters">{otherwise}</a>
					</p>
				</noscript>
				<Form
					visit={visit}
					action="/my/file"
					id="points-file"
					hidden
					texts={{ problems: JSON.stringify(problems), work: JSON.stringify(work) }}
				>
					<Labelled
						name="file"
						label={choose}
						control={(attributes) => (
							<input {...attributes} type="file" accept=".csv,.tsv,.txt,text/csv,.xlsx,.xls,.ods" />
						)}
					/>
					<progress hidden aria-label={title} />
					<p role="status" />
					<button type="button" class="first" hidden />
				</Form>
				<section id="report" hidden />
			</>
		),
	});
}

/** Creating the addresses of a CSV file. Mounted at /my/file. */
export const fileRoutes = newRoutes()
	.get("/", forSignedIn(filePage))
	// A batch has up to 256 KiB before it is URL-encoded in a form.
	.post("/", forSignedIn(create, 512 * 1024));
