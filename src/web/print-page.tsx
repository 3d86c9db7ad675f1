import type { AddressView } from "./address-page.tsx";
import { inline } from "./inline.ts";
import type { Locale } from "./locale.ts";
import type { Page } from "./page.tsx";
import { deviceScript } from "./scripts.ts";
import { QrShape, Sign, StickerRows, sheetStyles } from "./sheet.tsx";
import { pageStyles } from "./styles.ts";

/** Rows of stickers that a sheet has room for below a sign. */
const STICKER_ROWS = 3;

const styles = inline(pageStyles.text + sheetStyles(10));

/** A sheet with a door sign and stickers, to print at its own size. */
export function printPage(view: AddressView, locale: Locale): Page {
	const { messages, query } = locale;
	return {
		locale,
		title: `${view.display} · ${messages.printSheet}`,
		description: messages.printHow,
		path: `/a/${view.canonical}/print`,
		styles,
		scripts: [deviceScript],
		body: (
			<>
				<div class="how">
					<section>
						<h1>{messages.printSheet}</h1>
						<p>{messages.printHow}</p>
						<ul class="buttons">
							<li hidden>
								<button type="button" class="first" hidden data-does="print">
									{messages.print}
								</button>
							</li>
							<li>
								<a class="button" href={`/a/${view.canonical}${query}`}>
									{messages.backToAddress}
								</a>
							</li>
						</ul>
					</section>
				</div>
				<div class="sheet">
					<QrShape view={view} />
					<Sign view={view} messages={messages} />
					<StickerRows view={view} rows={STICKER_ROWS} />
				</div>
			</>
		),
	};
}
