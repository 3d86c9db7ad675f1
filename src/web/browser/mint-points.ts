/**
 * Creates the addresses of a CSV file from the console: reads the file here, shows what would become of each line, and creates them batch
 * by batch.
 */
import type { NewBatchAddress, NewBatchAnswer, NewBatchItem } from "#api-types";
import { element } from "../../client/element.ts";
import { RegistryError } from "../../client/error.ts";
import {
	batchesOf,
	COLUMN_NAMES,
	CodesFile,
	type Column,
	ColumnsError,
	differencesOf,
	guessPoints,
	type PointLine,
	type PointsFile,
	PointsFileError,
	type PointsFileTexts,
	readPoints,
	Totals,
} from "../../client/points-file.ts";
import { send } from "../../client/send.ts";
import { displayCode } from "../../codes/code.ts";
import type { Language } from "../../languages/languages.ts";
import { fill } from "../../languages/template.ts";
import { lengthText } from "../measures.ts";

/** Rows of one list that are shown: the file of codes has all. */
const ROWS_SHOWN = 100;

const form = document.querySelector<HTMLFormElement>("#points-file")!;
const input = form.querySelector<HTMLInputElement>("input[type=file]")!;
const button = form.querySelector("button")!;
const bar = form.querySelector("progress")!;
const links = { codes: document.createElement("a"), faults: document.createElement("a") };
/** Asks which column is which, and which countries are right; each is empty where there is nothing to ask. */
const columns = document.createElement("div");
const places = document.createElement("div");
const says = form.querySelector<HTMLElement>("[role=status]")!;
const report = document.querySelector<HTMLElement>("#report")!;
/** The texts of problems, by their codes. */
const problems = JSON.parse(form.dataset.problems!) as Record<string, string>;
const language = document.documentElement.lang as Language;
const texts = JSON.parse(form.dataset.work!) as PointsFileTexts;
const isolated = (text: string) => `\u2068${text}\u2069`;

/** Counts the files that were chosen: a newer one ends the work on an older. */
let chosen = 0;
/** Thrown once another file has been chosen while one is worked on. */
class Superseded extends Error {}

async function sendBatch(items: NewBatchAddress[], isDryRun: boolean): Promise<NewBatchAnswer> {
	const body = new URLSearchParams({
		form_token: form.querySelector<HTMLInputElement>("[name=form_token]")!.value,
		batch: JSON.stringify({ items, dry_run: isDryRun }),
	});
	const request = () => new Request(form.action, { method: "POST", body });
	const answer = await send(request, { isRepeatable: true });
	// The page that asks to sign in is not JSON.
	if (!answer) throw new RegistryError({ code: "UNREADABLE_ANSWER", detail: "" });
	return answer as NewBatchAnswer;
}

function problemText(item: NewBatchItem): string | undefined {
	if (item.status === "conflict") return texts.conflict;
	if (item.status !== "failed") return undefined;
	const { code, errors, detail } = item.problem;
	const [column] = errors?.[0]?.path.split(".").slice(-1) ?? [];
	if (column) return column === "locality" ? texts.noLocality : fill(texts.refused, { column });
	return problems[code] ?? detail;
}

/** Shows a list with its heading, if it has rows. */
function show(title: string, rows: string[]): void {
	if (rows.length === 0) return;
	report.hidden = false;
	const heading = document.createElement("h2");
	heading.textContent = title;
	const list = document.createElement("ul");
	const more = rows.length > ROWS_SHOWN ? [`… +${rows.length - ROWS_SHOWN}`] : [];
	list.append(
		...[...rows.slice(0, ROWS_SHOWN), ...more].map((row) => {
			const entry = document.createElement("li");
			entry.textContent = row;
			return entry;
		}),
	);
	report.append(heading, list);
}

/** Which column of the file is which, where the visitor has said so. */
type Named = Partial<Record<Column, string>>;

/** Asks which of a file's columns is which, and begins anew with each answer. */
function askColumns(
	header: string[],
	taken: Named,
	isOpen: boolean,
	again: (named: Named) => void,
	named: Named,
): void {
	const fields = COLUMN_NAMES.map((column) => {
		const select = element(
			"select",
			{ id: `column-${column}` },
			...["", ...new Set(header)].map((name) =>
				element("option", { value: name, selected: name === (taken[column] ?? "") }, name || "–"),
			),
		);
		select.onchange = () => {
			const { [column]: _, ...others } = named;
			again(select.value ? { ...others, [column]: select.value } : others);
			document.getElementById(select.id)?.focus();
		};
		return element("div", { className: "field" }, element("label", { htmlFor: select.id, dir: "ltr" }, column), select);
	});
	columns.replaceChildren(element("details", { open: isOpen }, element("summary", {}, texts.mapping), ...fields));
}

function countryName(country: string): string {
	return new Intl.DisplayNames([language, "en"], { type: "region" }).of(country) ?? country;
}

/** The progress of the work on a file. */
class Work {
	private readonly outcomes = new Map<string, NewBatchItem>();
	private readonly name: string;
	private readonly file: PointsFile;
	private readonly isCurrent: () => boolean;
	private readonly totals: Totals;
	/** A word to check where the encoding was guessed. */
	private readonly sample: string | undefined;
	/** The countries in which addresses are to be created, by their two letters. */
	private readonly wanted = new Set<string>();

	constructor(name: string, file: PointsFile, sample: string | undefined, isCurrent: () => boolean) {
		this.name = name;
		this.sample = sample;
		this.file = file;
		this.isCurrent = isCurrent;
		this.totals = new Totals(this.items());
	}

	/** The items of the file or, with `isLeft`, only those that are still to be created, in the countries that are wanted. */
	items(isLeft = false): NewBatchAddress[] {
		return this.file.lines
			.flatMap((line) => ("item" in line ? [line.item] : []))
			.filter(({ external_id: id }) => {
				const outcome = this.outcomes.get(id);
				return !isLeft || (outcome?.status === "would_create" && this.wanted.has(outcome.country));
			});
	}

	/**
	 * Says beside the button in which countries addresses would be created. Where there are several, such as for a lost minus, it asks which
	 * are right, and creates nothing in another.
	 */
	private askCountries(): void {
		const counts = new Map<string, number>();
		for (const outcome of this.outcomes.values())
			if (outcome.status === "would_create") counts.set(outcome.country, (counts.get(outcome.country) ?? 0) + 1);
		const found = [...counts].sort(([, one], [, other]) => other - one);
		const text = ([country, count]: [string, number]) =>
			fill(texts.inCountry, { count: String(count), country: isolated(countryName(country)) });
		this.wanted.clear();
		if (found.length < 2) {
			for (const [country] of found) this.wanted.add(country);
			places.replaceChildren(...found.map((one) => element("p", {}, text(one))));
		} else {
			const boxes = found.map((one) => {
				const box = element("input", { type: "checkbox", name: "country", value: one[0] });
				box.onchange = () => {
					if (box.checked) this.wanted.add(box.value);
					else this.wanted.delete(box.value);
					this.nameButton();
				};
				return element("label", { className: "choice" }, box, element("span", {}, text(one)));
			});
			places.replaceChildren(element("fieldset", {}, element("legend", {}, texts.severalCountries), ...boxes));
		}
		button.hidden = found.length === 0;
		this.nameButton();
	}

	private nameButton(): void {
		const { length } = this.items(true);
		button.disabled = length === 0;
		button.textContent = fill(texts.create, { count: String(length) });
	}

	async send(items: NewBatchAddress[], isDryRun: boolean): Promise<void> {
		bar.hidden = false;
		[bar.value, bar.max] = [0, items.length];
		for (const batch of batchesOf(items)) {
			const answer = await sendBatch(batch, isDryRun);
			if (!this.isCurrent()) throw new Superseded();
			for (const [index, outcome] of answer.data.entries()) this.outcomes.set(batch[index]!.external_id, outcome);
			if (isDryRun) this.totals.add(answer);
			bar.value += batch.length;
			const done = { done: String(bar.value), total: String(items.length) };
			says.textContent = fill(isDryRun ? texts.checked : texts.sent, done);
		}
		bar.hidden = true;
	}

	/** What is wrong with each line at fault, in the order of the file. */
	private faults(): { line: PointLine; fault: string; kind: string }[] {
		return this.file.lines.flatMap((line): { line: PointLine; fault: string; kind: string }[] => {
			if ("fault" in line) return [{ line, fault: line.fault, kind: line.kind }];
			const outcome = this.outcomes.get(line.item.external_id);
			const problem = outcome && problemText(outcome);
			if (!problem) return [];
			const id = isolated(line.item.external_id);
			return [{ line, fault: fill(texts.fault, { line: String(line.line), id, problem }), kind: problem }];
		});
	}

	show(): void {
		const faults = this.faults();
		const of = (status: string) => [...this.outcomes.values()].filter((outcome) => outcome.status === status).length;
		report.replaceChildren();
		show(
			this.name,
			[
				["planned", of("would_create")] as const,
				["created", of("created")] as const,
				["existing", of("existing")] as const,
				["wrong", faults.length] as const,
			]
				.flatMap(([name, count]) => (count > 0 ? [`${texts[name]}: ${count}`] : []))
				.concat(this.columns())
				.concat(this.sample ? fill(texts.guessed, { sample: isolated(this.sample) }) : []),
		);
		const kinds = Map.groupBy(faults, ({ kind }) => kind);
		if (kinds.size < faults.length)
			show(
				texts.byKind,
				[...kinds.values()]
					.sort((one, other) => other.length - one.length)
					.map((alike) => fill(texts.alike, { count: String(alike.length), fault: alike[0]!.fault })),
			);
		show(
			texts.wrong,
			faults.map(({ fault }) => fault),
		);
		show(
			texts.differs,
			this.items().flatMap((item) => {
				const differences = differencesOf(item, this.outcomes.get(item.external_id));
				return differences.length > 0 ? [`${isolated(item.external_id)}: ${differences.join(", ")}`] : [];
			}),
		);
		const { countries, zones, near, leftToday = Number.POSITIVE_INFINITY } = this.totals;
		if (of("would_create") > leftToday) says.textContent = fill(texts.today, { left: String(leftToday) });
		show(
			texts.countries,
			Object.entries(countries).map(([country, count]) => `${isolated(countryName(country))}: ${count}`),
		);
		show(
			texts.near,
			Array.from(near, ([id, { metres, other }]) => {
				const place = /^[A-Z]{2}\d{9}$/.test(other) ? displayCode(other) : other;
				return `${isolated(id)} – ${isolated(place)}: ${lengthText(metres, language)}`;
			}),
		);
		show(
			texts.zones,
			Array.from(zones.values(), ({ zone_name, items, left }) =>
				left === undefined
					? `${isolated(zone_name)}: ${items}`
					: fill(texts.zone, { zone: isolated(zone_name), count: String(items), left: String(left) }),
			),
		);
		this.askCountries();
		this.offerFiles();
	}

	/** Which columns are read, and under which names. */
	private columns(): string {
		const names = Object.entries(this.file.taken).map(([column, name]) =>
			name.toLowerCase() === column ? column : `${isolated(name)} → ${column}`,
		);
		return fill(texts.read, { columns: names.join(", ") });
	}

	/** Offers the file of codes, and the file of the lines at fault, each if it has lines. */
	private offerFiles(): void {
		const codes = new CodesFile(this.file);
		const rows = this.file.lines.flatMap((line) => {
			const outcome = "item" in line && this.outcomes.get(line.item.external_id);
			if (!outcome || (outcome.status !== "created" && outcome.status !== "existing")) return [];
			return [codes.line(line, line.item.external_id, outcome.address, outcome.status)];
		});
		offer(links.codes, `${this.name}.codes.csv`, rows.length > 0 ? codes.header + rows.join("") : "");
		offer(links.faults, `${this.name}.faults.csv`, codes.faults(this.faults()));
	}
}

/** Offers a CSV file under a name, if it has any text. */
function offer(link: HTMLAnchorElement, name: string, text: string): void {
	URL.revokeObjectURL(link.href);
	link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
	link.download = name;
	link.hidden = text === "";
}

/** Does a part of the work, and tells where it stopped. */
async function attempt(part: () => Promise<Work | undefined>): Promise<void> {
	button.hidden = true;
	let work: Work | undefined;
	try {
		work = await part();
	} catch (error) {
		if (error instanceof Superseded) return;
		bar.hidden = true;
		if (error instanceof ColumnsError) {
			says.textContent = error.message;
			return;
		}
		// Otherwise choosing the same file once more would go unnoticed.
		input.value = "";
		if (error instanceof PointsFileError) says.textContent = error.message;
		else if (error instanceof RegistryError) {
			const problem = error.code in problems ? problems[error.code]! : error.detail;
			says.textContent = fill(texts.stopped, { problem });
		} else throw error;
	}
	work?.show();
}

/** Begins with the file that is chosen, and anew once the visitor has said which column is which. */
function begin(named: Named = {}): void {
	const file = input.files?.[0];
	chosen += 1;
	const mine = chosen;
	report.hidden = true;
	for (const link of Object.values(links)) link.hidden = true;
	says.textContent = "";
	places.replaceChildren();
	if (Object.keys(named).length === 0) columns.replaceChildren();
	if (!file) return;
	attempt(async () => {
		const { text, sample } = guessPoints(new Uint8Array(await file.arrayBuffer()), texts);
		const work = new Work(file.name, pointsIn(text, named), sample, () => mine === chosen);
		button.onclick = () =>
			attempt(async () => {
				try {
					await work.send(work.items(true), false);
					return work;
				} catch (error) {
					if (!(error instanceof Superseded)) work.show();
					throw error;
				}
			});
		await work.send(work.items(), true);
		return work;
	});
}

/** The points of a file, whose columns the visitor may rename. @throws PointsFileError as readPoints does. */
function pointsIn(text: string, named: Named): PointsFile {
	try {
		const points = readPoints(text, texts, named);
		askColumns(points.header, points.taken, columns.querySelector("details")?.open ?? false, begin, named);
		return points;
	} catch (error) {
		if (error instanceof ColumnsError) askColumns(error.header, named, true, begin, named);
		throw error;
	}
}

links.codes.textContent = texts.download;
links.faults.textContent = texts.downloadFaults;
for (const link of Object.values(links)) {
	link.className = "button";
	link.hidden = true;
	form.append(link);
}
report.before(columns);
button.before(places);
form.hidden = false;
input.onchange = () => begin();
// A file may have been chosen before this script loaded, or restored by the browser from before a reload.
begin();
