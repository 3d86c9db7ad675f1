import type { Context } from "hono";
import { resolveAddress } from "../addresses/actions.ts";
import type { PublicAddress } from "../addresses/address-record.ts";
import { askedPublicly } from "../addresses/public-endpoints.ts";
import { BATCH_CODES_MAX } from "../addresses/schemas.ts";
import { codeIn, displayCode, parseCode } from "../codes/code.ts";
import { AppError } from "../errors.ts";
import { toAppError } from "../failures.ts";
import { type AppEnv, newRoutes } from "../http/app-env.ts";
import { readFields } from "../http/form.ts";
import { fill } from "../languages/template.ts";
import { greatCircle } from "../points/plane.ts";
import { isolated } from "../print/plain-label.ts";
import { directions, viewOf } from "./address-page.tsx";
import { keptOfEntry } from "./address-pages.tsx";
import { inline } from "./inline.ts";
import { type Locale, localeOf, pathIn } from "./locale.ts";
import { lengthText } from "./measures.ts";
import { explanationOf, shownCode } from "./mistake-page.tsx";
import { pageResponse } from "./page.tsx";
import { Help, Submit, Wrong } from "./parts.tsx";
import { listScript } from "./scripts.ts";
import { pageStyles } from "./styles.ts";

/** A line that was entered, with the address of its code or what is wrong with it. */
interface Stop {
	entered: string;
	found: PublicAddress | AppError;
}

const styles = inline(`${pageStyles.text}
textarea{display:block;width:100%;min-height:10rem;padding:.375rem .75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--card);color:var(--text);font:1rem/1.5 ui-monospace,"Roboto Mono","DejaVu Sans Mono",monospace}
form .first,#stops .button{margin-top:.75rem}
#order{margin-bottom:.75rem}
#stops{display:grid;gap:.75rem;padding:0;margin:0 0 1rem;list-style:none}
#stops li{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.75rem 1rem}
#stops a:not(.button){display:inline-flex;align-items:center;min-height:2.75rem}
#stops span{display:block}
@media(min-width:40rem){#stops .button{width:fit-content;min-width:10rem}}
`);

async function stopOf(c: Context<AppEnv>, entered: string): Promise<Stop> {
	try {
		const asked = askedPublicly(c, parseCode(codeIn(entered) ?? entered), entered);
		return { entered, found: (await resolveAddress(c.get("registry"), asked)).address };
	} catch (error) {
		return { entered, found: toAppError(error, c.var.requestId) };
	}
}

/** The stops in the order in which they were entered, each with its distance from the one before. */
function Stops({ stops, locale, origin }: { stops: Stop[]; locale: Locale; origin: string }) {
	const { messages, language } = locale;
	let before: PublicAddress | undefined;
	return (
		<ol id="stops">
			{stops.map(({ entered, found }) => {
				if (found instanceof AppError) {
					const { successor } = found;
					return (
						<li data-line={shownCode(entered)}>
							<bdi>{shownCode(entered)}</bdi>
							<span class="wrong">{explanationOf(found, messages).title}</span>
							{successor ? (
								<span>
									{messages.movedTo}{" "}
									<a href={pathIn(locale, `/a/${successor}`)} dir="ltr">
										{displayCode(successor)}
									</a>
								</span>
							) : null}
						</li>
					);
				}
				const kept = keptOfEntry(entered);
				const view = viewOf(found, locale, origin);
				const link = pathIn(locale, `/a/${view.canonical}`, kept);
				const unit = kept.unit ? ` / ${kept.unit}` : "";
				const metres = before && greatCircle(before, found).metres;
				before = found;
				return (
					<li data-lat={found.lat} data-lng={found.lng} data-line={kept.share ? link : view.canonical + unit}>
						<a href={link} class="code" dir="ltr">
							{view.display + unit}
						</a>
						<p>
							<bdi>{view.label}</bdi>
							<span class="kind">{view.placeAndCountry}</span>
						</p>
						<p class="kind" data-distance>
							{metres === undefined ? null : fill(messages.list.onward, { distance: lengthText(metres, language) })}
						</p>
						<a class="button" href={directions(view)[0]![1]} rel="noopener noreferrer">
							{messages.directions}
						</a>
					</li>
				);
			})}
		</ol>
	);
}

/** The page of a list, with what came of the lines that were sent. */
async function listPage(c: Context<AppEnv>, entered = "", stops: Stop[] = [], error?: string): Promise<Response> {
	const locale = await localeOf(c);
	const { messages, query } = locale;
	const { list } = messages;
	return pageResponse(c, {
		locale,
		title: list.title,
		description: list.help,
		path: "/list",
		styles,
		scripts: [listScript],
		status: error ? 400 : 200,
		headers: c.req.method === "POST" ? { "Cache-Control": "no-store" } : {},
		body: (
			<>
				<h1>{list.title}</h1>
				{stops.length > 0 ? (
					<div>
						<p hidden id="order" data-onward={list.onward} data-unknown={messages.positionUnknown}>
							<button type="button" class="first">
								{list.order}
							</button>
						</p>
						<p role="status" id="order-says" />
						<Stops stops={stops} locale={locale} origin={c.get("registry").webUrl} />
					</div>
				) : null}
				<section>
					<form method="post" action={`/list${query}`}>
						<label for="codes">{list.field}</label>
						<Wrong name="codes" text={error} role="alert" />
						<textarea
							id="codes"
							name="codes"
							dir="auto"
							spellcheck={false}
							aria-invalid={error ? "true" : undefined}
							aria-describedby={error ? "codes-error codes-help" : "codes-help"}
						>
							{entered}
						</textarea>
						<Help name="codes" text={list.help} />
						<Submit class="first" text={messages.find} />
					</form>
				</section>
			</>
		),
	});
}

/** Many addresses at once, for couriers: a form that needs no account. No code stands in a URL. Mounted at /. */
export const listRoutes = newRoutes()
	.get("/list", (c) => listPage(c))
	.post("/list", async (c) => {
		const form = await readFields(c, 64 * 1024);
		const entered = form.get("codes") ?? "";
		const lines = entered
			.split(/[\r\n]+/)
			.map((line) => line.trim())
			.filter(Boolean);
		const { messages } = await localeOf(c);
		if (lines.length === 0) return listPage(c, entered, [], messages.list.none);
		if (lines.length > BATCH_CODES_MAX) {
			const beyond = isolated(lines[BATCH_CODES_MAX]!.slice(0, 60));
			return listPage(c, entered, [], fill(messages.list.tooMany, { count: String(lines.length), code: beyond }));
		}
		return listPage(c, entered, await Promise.all(lines.map((line) => stopOf(c, line))));
	});
