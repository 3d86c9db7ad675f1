import type { Child } from "hono/jsx";
import type { Address } from "../../addresses/store.ts";
import { type AddressView, viewOf } from "../../web/address-page.tsx";
import { type Inline, inline } from "../../web/inline.ts";
import { deviceScript } from "../../web/scripts.ts";
import { Card, PrintHow, QrShape, Sign, StickerRows, sheetStyles } from "../../web/sheet.tsx";
import { pageStyles } from "../../web/styles.ts";
import { consolePage } from "../shared/console-page.tsx";
import { consoleStyles } from "../shared/console-styles.ts";
import { pathTo, type SignedInVisit } from "../shared/visit.ts";

const stylesBy = (margin: 0 | 10): Inline =>
	inline(
		`${pageStyles.text}${consoleStyles}${sheetStyles(margin)}nav.console{max-width:40rem;margin:auto;padding:0 1rem}`,
	);
const withMargin = stylesBy(10);
const withoutMargin = stylesBy(0);

/** What can be printed of addresses. */
export const PRINTS = ["signs", "stickers", "cards"] as const;
export type Print = (typeof PRINTS)[number];

/** Rows of stickers that a sheet has room for. */
const STICKER_ROWS = 5;

/** How each kind stands on sheets of A4. */
const layouts: Record<
	Print,
	{ perSheet: number; styles: Inline; body: (views: AddressView[], visit: SignedInVisit) => Child }
> = {
	signs: {
		perSheet: 2,
		styles: withMargin,
		body: (views, { locale }) => views.map((view) => <Sign view={view} messages={locale.messages} />),
	},
	stickers: {
		perSheet: STICKER_ROWS,
		styles: withMargin,
		// A sheet that fewer addresses share is full all the same.
		body: (views) => views.map((view) => <StickerRows view={view} rows={Math.trunc(STICKER_ROWS / views.length)} />),
	},
	cards: {
		perSheet: 4,
		styles: withoutMargin,
		body: (views) => (
			<ul class="card-list">
				{views.map((view) => (
					<Card view={view} />
				))}
			</ul>
		),
	},
};

/** Sheets of signs, stickers or cards of several addresses, to print at their own size. */
export function printAddressesPage(visit: SignedInVisit, addresses: Address[], print: Print): Response {
	const { locale, words } = visit;
	const { messages } = locale;
	const { perSheet, styles, body } = layouts[print];
	const views = addresses.map((address) => viewOf(address, locale, visit.registry.webUrl));
	const sheets = Array.from({ length: Math.ceil(views.length / perSheet) }, (_, sheet) =>
		views.slice(sheet * perSheet, (sheet + 1) * perSheet),
	);
	return consolePage(visit, {
		title: words.prints[print],
		hasHeading: true,
		styles,
		scripts: [deviceScript],
		body: (
			<>
				<div class="how">
					<PrintHow
						title={words.prints[print]}
						back={{ path: pathTo(visit, "/my"), text: words.list.title }}
						messages={messages}
					/>
				</div>
				{sheets.map((sheet) => (
					<div class="sheet">
						{sheet.map((view) => (
							<QrShape view={view} />
						))}
						{body(sheet, visit)}
					</div>
				))}
			</>
		),
	});
}
