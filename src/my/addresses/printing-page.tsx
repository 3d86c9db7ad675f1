import type { Child } from "hono/jsx";
import type { Address } from "../../addresses/store.ts";
import { hasBasemap, streetsAround } from "../../basemap/around.ts";
import type { StreetSketch } from "../../basemap/sketch.ts";
import { partsOf } from "../../codes/code.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { printingStyles } from "../../forms/console-sheet.ts";
import { pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { choosePaper, PAPERS, type Paper, papers, UPRIGHT_PAPERS } from "../../print/paper.ts";
import { type AddressView, type AskedUnit, viewOf } from "../../web/address-view.ts";
import { ButtonLine } from "../../web/parts.tsx";
import { deviceScript } from "../../web/scripts.ts";
import { Card, PrintHow, QrShape, Sign, STICKER_ROWS, StickerRows } from "../../web/sheet.tsx";

/** What can be printed for addresses. */
export const PRINTS = ["signs", "stickers", "cards"] as const;
export type Print = (typeof PRINTS)[number];

/** How each kind is laid out on sheets, and on which papers. */
const layouts: Record<
	Print,
	{
		among: readonly Paper[];
		perSheet: (paper: Paper) => number;
		body: (views: AddressView[], visit: SignedInVisit, paper: Paper, sketch?: StreetSketch) => Child;
	}
> = {
	signs: {
		among: PAPERS,
		perSheet: (paper) => papers[paper].signs,
		body: (views, { locale }, paper, sketch) =>
			views.map((view) => <Sign view={view} locale={locale} paper={paper} sketch={sketch} />),
	},
	stickers: {
		among: UPRIGHT_PAPERS,
		perSheet: () => STICKER_ROWS,
		// Fewer addresses get more rows each, so that the sheet is full.
		body: (views) => views.map((view) => <StickerRows view={view} rows={Math.trunc(STICKER_ROWS / views.length)} />),
	},
	cards: {
		among: UPRIGHT_PAPERS,
		perSheet: () => 4,
		body: (views) => (
			<ul class="card-list">
				{views.map((view) => (
					<Card view={view} />
				))}
			</ul>
		),
	},
};

/** What a print is for: an address, or one of its units. */
export interface Printed {
	address: Address;
	unit?: AskedUnit;
}

/**
 * Sheets of signs, stickers or cards of one or more addresses, to print at actual size. A single sign can show the streets.
 * @param nextCursor Where the list continues, if these are one page of it.
 */
export async function printAddressesPage(
	visit: SignedInVisit,
	printed: Printed[],
	print: Print,
	nextCursor: string | undefined,
): Promise<Response> {
	const { locale, words, registry } = visit;
	const { among, perSheet, body } = layouts[print];
	const asked = new URL(visit.c.req.url).searchParams;
	const [first] = printed;
	const paper = choosePaper(asked.get("paper"), first ? partsOf(first.address.canonical).country : "", among);
	const isAlone = print === "signs" && printed.length === 1 && first?.address.visibility === "public";
	const isMapAsked = isAlone && asked.has("map");
	const { sketch } = isMapAsked ? await streetsAround(registry, first.address, visit.signedIn.user.id) : {};
	const views = printed.map(({ address, unit }) => viewOf(address, locale, registry.webUrl, unit));
	const sheets = Array.from({ length: Math.ceil(views.length / perSheet(paper)) }, (_, sheet) =>
		views.slice(sheet * perSheet(paper), (sheet + 1) * perSheet(paper)),
	);
	return consolePage(visit, {
		title: words.prints[print],
		hasHeading: true,
		styles: printingStyles[paper],
		scripts: [deviceScript],
		body: (
			<>
				<div class="how">
					<PrintHow
						title={words.prints[print]}
						back={{ path: pathTo(visit, "/my"), text: words.list.title }}
						paper={paper}
						among={among}
						map={isAlone && (await hasBasemap(registry)) ? isMapAsked : undefined}
						query={asked}
						locale={locale}
					/>
					{nextCursor ? (
						<ButtonLine
							to={`?${new URLSearchParams({ ...Object.fromEntries(asked), cursor: nextCursor })}`}
							text={words.list.printNext}
						/>
					) : null}
				</div>
				{sheets.map((sheet) => (
					<div class="sheet">
						{sheet.map((view) => (
							<QrShape view={view} />
						))}
						{body(sheet, visit, paper, sketch)}
					</div>
				))}
			</>
		),
	});
}
