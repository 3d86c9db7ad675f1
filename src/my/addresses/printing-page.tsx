import type { Child } from "hono/jsx";
import type { Address } from "../../addresses/store.ts";
import { streetsAround } from "../../basemap/around.ts";
import type { StreetSketch } from "../../basemap/sketch.ts";
import { partsOf } from "../../codes/code.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { consoleStyles } from "../../forms/console-styles.ts";
import { pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { choosePaper, perPaper } from "../../print/paper.ts";
import { type AddressView, viewOf } from "../../web/address-page.tsx";
import { inline } from "../../web/inline.ts";
import { ButtonLine } from "../../web/parts.tsx";
import { deviceScript } from "../../web/scripts.ts";
import { Card, cardStyles, PrintHow, QrShape, Sign, StickerRows, sheetStyles } from "../../web/sheet.tsx";
import { pageStyles } from "../../web/styles.ts";

const styles = perPaper((paper) =>
	inline(`${pageStyles.text}${consoleStyles}${sheetStyles(paper)}${cardStyles}nav.console{padding:0 1rem}`),
);

/** What can be printed of addresses. */
export const PRINTS = ["signs", "stickers", "cards"] as const;
export type Print = (typeof PRINTS)[number];

/** Rows of stickers that a sheet of either paper has room for. */
const STICKER_ROWS = 5;

/** How each kind stands on sheets of either paper. */
const layouts: Record<
	Print,
	{ perSheet: number; body: (views: AddressView[], visit: SignedInVisit, sketch?: StreetSketch) => Child }
> = {
	signs: {
		perSheet: 2,
		body: (views, { locale }, sketch) => views.map((view) => <Sign view={view} locale={locale} sketch={sketch} />),
	},
	stickers: {
		perSheet: STICKER_ROWS,
		// A sheet that fewer addresses share is full all the same.
		body: (views) => views.map((view) => <StickerRows view={view} rows={Math.trunc(STICKER_ROWS / views.length)} />),
	},
	cards: {
		perSheet: 4,
		body: (views) => (
			<ul class="card-list">
				{views.map((view) => (
					<Card view={view} />
				))}
			</ul>
		),
	},
};

/**
 * Sheets of signs, stickers or cards of one address or more, to print at their own size. A sign that stands alone shows the streets.
 * @param nextCursor Where the list goes on, of which these are a page.
 */
export async function printAddressesPage(
	visit: SignedInVisit,
	addresses: Address[],
	print: Print,
	nextCursor: string | undefined,
): Promise<Response> {
	const { locale, words } = visit;
	const { messages } = locale;
	const { perSheet, body } = layouts[print];
	const asked = new URL(visit.c.req.url).searchParams;
	const [first] = addresses;
	const paper = choosePaper(asked.get("paper"), first ? partsOf(first.canonical).country : "");
	const isAlone = print === "signs" && addresses.length === 1;
	const { sketch } = isAlone ? await streetsAround(visit.registry, first!, visit.signedIn.user.id) : {};
	const views = addresses.map((address) => viewOf(address, locale, visit.registry.webUrl));
	const sheets = Array.from({ length: Math.ceil(views.length / perSheet) }, (_, sheet) =>
		views.slice(sheet * perSheet, (sheet + 1) * perSheet),
	);
	return consolePage(visit, {
		title: words.prints[print],
		hasHeading: true,
		styles: styles[paper],
		scripts: [deviceScript],
		body: (
			<>
				<div class="how">
					<PrintHow
						title={words.prints[print]}
						back={{ path: pathTo(visit, "/my"), text: words.list.title }}
						paper={paper}
						query={asked}
						messages={messages}
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
						{body(sheet, visit, sketch)}
					</div>
				))}
			</>
		),
	});
}
