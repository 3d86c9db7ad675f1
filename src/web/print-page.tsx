import type { StreetSketch } from "../basemap/sketch.ts";
import { fill } from "../languages/template.ts";
import { type Paper, papers, perPaper } from "../print/paper.ts";
import { type AddressView, carriedQuery } from "./address-view.ts";
import { inline } from "./inline.ts";
import type { Locale } from "./locale.ts";
import type { Page } from "./page.tsx";
import { deviceScript } from "./scripts.ts";
import { PrintHow, QrShape, Sign, STICKER_ROWS_BELOW_SIGN, StickerRows, sheetStyles } from "./sheet.tsx";
import { baseStyles } from "./styles.ts";

const styles = perPaper((paper) => inline(baseStyles + sheetStyles(paper)));

/** A sheet with a door sign and stickers, to print at its own size. */
export function printPage(
	view: AddressView,
	locale: Locale,
	{
		paper,
		asked,
		hasMap,
		sketch,
		share,
	}: {
		paper: Paper;
		asked: URLSearchParams;
		/** Whether the sign can show the streets. */
		hasMap: boolean;
		/** The streets, if they were asked for. */
		sketch?: StreetSketch | undefined;
		/** The token of the link that shows a private address. */
		share?: string | undefined;
	},
): Page {
	const { messages } = locale;
	return {
		locale,
		title: `${view.display} · ${messages.printSheet}`,
		description: fill(messages.printHow, { paper: papers[paper].name }),
		path: `/a/${view.canonical}/print`,
		styles: styles[paper],
		scripts: [deviceScript],
		previewed: false,
		carried: { ...(share ? { share } : {}), ...(view.unit ? { unit: view.unit.unit } : {}) },
		body: (
			<>
				<div class="how">
					<section>
						<PrintHow
							title={messages.printSheet}
							back={{
								path: `/a/${view.canonical}${carriedQuery(locale, share, view.unit)}`,
								text: messages.backToAddress,
							}}
							paper={paper}
							map={hasMap ? sketch !== undefined : undefined}
							query={asked}
							locale={locale}
						/>
					</section>
				</div>
				<div class="sheet">
					<QrShape view={view} />
					<Sign view={view} locale={locale} paper={paper} sketch={sketch} />
					{papers[paper].signs > 1 ? <StickerRows view={view} rows={STICKER_ROWS_BELOW_SIGN} /> : null}
				</div>
			</>
		),
	};
}
