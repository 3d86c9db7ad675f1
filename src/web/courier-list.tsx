import type { Context } from "hono";
import { resolveAddress } from "../addresses/actions.ts";
import type { PublicAddress } from "../addresses/address-record.ts";
import { publicRequestOf } from "../addresses/public-endpoints.ts";
import { BATCH_CODES_MAX } from "../addresses/schemas.ts";
import { displayCode, parseCode } from "../codes/code.ts";
import { codeWithoutCountry } from "../codes/code-guess.ts";
import { readCodeList } from "../codes/code-list.ts";
import type { CodeEntry } from "../codes/code-text.ts";
import { AppError } from "../errors.ts";
import { toAppError } from "../failures.ts";
import { type AppEnv, newRoutes } from "../http/app-env.ts";
import { readFields } from "../http/form.ts";
import { fill } from "../languages/template.ts";
import { asHeavyCall } from "../limits/heavy-calls.ts";
import { assertCall } from "../limits/rate-limits.ts";
import { greatCircle } from "../points/plane.ts";
import { isolated, plainLabel } from "../print/label-for-display.ts";
import { directions, viewOf } from "./address-view.ts";
import { Labelled } from "./fields.tsx";
import { inline } from "./inline.ts";
import { type Locale, localeOf, pathIn } from "./locale.ts";
import { MAP_APPS } from "./map-apps.ts";
import { lengthText } from "./measures.ts";
import { explanationOf, shownCode } from "./mistake-page.tsx";
import { pageResponse } from "./page.tsx";
import { Submit, Written } from "./parts.tsx";
import { listScript } from "./scripts.ts";
import { fieldStyles, pageStyles } from "./styles.ts";
import { type LikelyCountries, likelyCountries, WhichCode } from "./which-code.tsx";

/** A stop of a list: a code, or what looks like one, and the address found for it or the error. */
interface Stop {
	entry: CodeEntry | { typed: string };
	found: PublicAddress | AppError;
}

const styles =
	inline(`${pageStyles.text}${fieldStyles}textarea{min-height:10rem;font:1.0625rem/1.5 ui-monospace,"Roboto Mono","DejaVu Sans Mono",monospace}
form .field{margin-top:0}
#app{display:inline-block;width:auto;min-height:2.75rem;margin:0}
#maps{margin-bottom:1rem}
form .first,#stops .row,#stops .buttons{margin-top:.75rem}
p+.buttons{margin-block:.75rem}
#stops{display:grid;gap:.75rem;padding:0;margin:0 0 1rem;list-style:none;counter-reset:stop}
#stops>li{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.75rem 1rem;counter-increment:stop}
#stops>li::before{content:counter(stop) ". ";font-weight:600}
#stops>li:has(:checked){opacity:.55}
#stops .row .button{flex:1;width:auto;max-width:14rem}
#stops a:not(.button){display:inline-flex;align-items:center;min-height:2.75rem}
#stops span{display:block}
`);

/** What an entry is looked up by: its code, in a link with its share token if it has one. */
const spelled = (entry: Stop["entry"]) =>
	"typed" in entry ? entry.typed : `/a/${entry.canonical}${entry.share ? `?share=${entry.share}` : ""}`;

async function stopOf(c: Context<AppEnv>, entry: Stop["entry"]): Promise<Stop> {
	try {
		const entered = spelled(entry);
		const asked = publicRequestOf(c, parseCode(entered), entered);
		return { entry, found: (await resolveAddress(c.get("registry"), asked)).address };
	} catch (error) {
		return { entry, found: toAppError(error, c.var.requestId) };
	}
}

/** A stop that has no address, with what can be done about it. */
function Mistake({
	entry,
	error,
	locale,
	likely,
}: {
	entry: Stop["entry"];
	error: AppError;
	locale: Locale;
	likely: LikelyCountries;
}) {
	const { messages } = locale;
	const { successor } = error;
	const shown = "typed" in entry ? shownCode(entry.typed) : displayCode(entry.canonical);
	const lacksCountry = "typed" in entry && codeWithoutCountry(entry.typed) !== undefined;
	return (
		<li data-line={"typed" in entry ? shown : entry.canonical}>
			<bdi>{shown}</bdi>
			<span class="wrong">{lacksCountry ? messages.whichCountry : explanationOf(error, messages).title}</span>
			{"typed" in entry ? <WhichCode entered={entry.typed} locale={locale} likely={likely} /> : null}
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

/** The stops in the order in which they were entered, each with its distance from the one before. */
function Stops({
	stops,
	locale,
	origin,
	likely,
}: {
	stops: Stop[];
	locale: Locale;
	origin: string;
	likely: LikelyCountries;
}) {
	const { messages, language } = locale;
	let before: PublicAddress | undefined;
	return (
		<ol id="stops">
			{stops.map(({ entry, found }) => {
				if (found instanceof AppError || "typed" in entry) {
					return <Mistake entry={entry} error={found as AppError} locale={locale} likely={likely} />;
				}
				const { canonical, units, share } = entry;
				const view = viewOf(found, locale, origin);
				const linkTo = (unit?: string) =>
					pathIn(locale, `/a/${canonical}`, { ...(unit ? { unit } : {}), ...(share ? { share } : {}) });
				const doors = units.length > 0 ? units : [undefined];
				const lines = share ? doors.map(linkTo) : doors.map((unit) => [canonical, unit].filter(Boolean).join(" / "));
				const metres = before && greatCircle(before, found).metres;
				before = found;
				const { lat, lng } = view.target;
				return (
					<li data-lat={found.lat} data-lng={found.lng} data-to={`${lat},${lng}`} data-line={lines.join("\n")}>
						{doors.map((unit) => (
							<a href={linkTo(unit)} class="code" dir="ltr">
								{[view.display, unit].filter(Boolean).join(" / ")}
							</a>
						))}
						<p>
							<bdi>{view.label}</bdi>
							<span class="kind">{view.placeAndCountry}</span>
						</p>
						<p class="kind" data-distance>
							{metres === undefined ? null : fill(messages.list.onward, { distance: lengthText(metres, language) })}
						</p>
						<div class="row">
							<a class="button" href={directions(view)[0]![1]} rel="noopener noreferrer">
								{messages.directions}
							</a>
							<label class="choice">
								<input type="checkbox" data-done />
								<span>{messages.list.done}</span>
							</label>
						</div>
					</li>
				);
			})}
		</ol>
	);
}

/** The result of a list: its stops, and the lines that hold none. */
interface Answered {
	stops: Stop[];
	rest: string[];
}

/** The actions for the stops that were found, shown above them. */
function Round({ stops, locale, origin }: { stops: Stop[]; locale: Locale; origin: string }) {
	const { messages } = locale;
	const { list } = messages;
	const places = stops.flatMap(({ found }) =>
		found instanceof AppError ? [] : [viewOf(found, locale, origin).target],
	);
	const next = places.slice(0, MAP_APPS.google!.stopsMax).map(({ lat, lng }) => `${lat},${lng}`);
	return (
		<>
			<p role="status" id="order-says">
				{fill(list.found, { found: String(places.length), all: String(stops.length) })}
			</p>
			<ul class="buttons">
				<li hidden id="order" data-onward={list.onward} data-unknown={messages.positionUnknown}>
					<button type="button" class="first">
						{list.order}
					</button>
				</li>
				{next.length > 1 ? (
					<li id="way" data-route={list.route}>
						<a class="button" href={MAP_APPS.google!.way(next)} rel="noopener noreferrer">
							{fill(list.route, { count: String(next.length) })}
						</a>
					</li>
				) : null}
			</ul>
		</>
	);
}

/** The choice of the map application that all links lead to. A courier makes it once, so it stands below the stops. */
function MapChoice({ locale }: { locale: Locale }) {
	return (
		<p hidden id="maps">
			<label for="app">{locale.messages.list.app}</label>{" "}
			<select id="app">
				{Object.entries(MAP_APPS).map(([key, { name }]) => (
					<option value={key}>{name}</option>
				))}
			</select>
		</p>
	);
}

/** The page of a list, with the result of what was sent. */
async function listPage(
	c: Context<AppEnv>,
	entered = "",
	{ stops, rest }: Answered = { stops: [], rest: [] },
	error?: string,
) {
	const locale = await localeOf(c);
	const { messages, query } = locale;
	const { list } = messages;
	const origin = c.get("registry").webUrl;
	return pageResponse(c, {
		locale,
		title: list.title,
		description: list.help,
		path: "/list",
		styles,
		scripts: [listScript],
		// A round with a private stop is stored nowhere.
		asOf: stops.some(({ found }) => !(found instanceof AppError) && found.visibility === "private")
			? undefined
			: locale.asOf,
		status: error ? 400 : 200,
		headers: c.req.method === "POST" ? { "Cache-Control": "no-store" } : {},
		body: (
			<>
				<h1>{list.title}</h1>
				{stops.length > 0 ? (
					<div>
						<Round stops={stops} locale={locale} origin={origin} />
						<Stops stops={stops} locale={locale} origin={origin} likely={likelyCountries(c)} />
						<MapChoice locale={locale} />
					</div>
				) : null}
				{rest.length > 0 && !error ? (
					<details>
						<summary>{fill(list.rest, { count: String(rest.length) })}</summary>
						{rest.map((line) => (
							<Written text={plainLabel(line)} />
						))}
					</details>
				) : null}
				<section>
					<form method="post" action={`/list${query}`}>
						<Labelled
							name="codes"
							label={list.field}
							help={list.help}
							failure={error ? { field: "codes", message: error } : undefined}
							isRead
							control={(attributes) => (
								<textarea {...attributes} dir="auto" spellcheck={false}>
									{entered}
								</textarea>
							)}
						/>
						<Submit class="first" text={messages.find} />
					</form>
				</section>
				{locale.asOf ? (
					<p hidden id="forget" role="status" data-done={list.forgotten}>
						<button type="button">{list.forget}</button>
					</p>
				) : null}
			</>
		),
	});
}

/** A list of more codes than this counts as a batch, because a hundred codes take about 40 ms. */
const SHORT_LIST = 30;

/** Many addresses at once, for couriers: a form that needs no account. Nothing that is sent appears in a URL. Mounted at /. */
export const listRoutes = newRoutes()
	.get("/list", (c) => listPage(c))
	.post("/list", async (c) => {
		const form = await readFields(c, 64 * 1024);
		const entered = form.get("codes") ?? "";
		const { entries, rest } = readCodeList(entered);
		const { list } = (await localeOf(c)).messages;
		if (entries.length === 0) return listPage(c, entered, undefined, list.none);
		if (entries.length > BATCH_CODES_MAX) {
			const beyond = entries[BATCH_CODES_MAX]!;
			const code = isolated("typed" in beyond ? shownCode(beyond.typed) : displayCode(beyond.canonical));
			return listPage(c, entered, undefined, fill(list.tooMany, { count: String(entries.length), code }));
		}
		const registry = c.get("registry");
		const stops = () => Promise.all(entries.map((entry) => stopOf(c, entry)));
		if (entries.length <= SHORT_LIST) return listPage(c, entered, { stops: await stops(), rest });
		await assertCall(registry, "BATCHES", registry.network, "Your network sent too many long lists. Wait a minute.");
		// A list takes 60 ms, so all that BATCHES allows come in turn: a neighbour behind the same address waits, and is not refused.
		return listPage(c, entered, { stops: await asHeavyCall(registry.network, stops, Number.POSITIVE_INFINITY), rest });
	});
