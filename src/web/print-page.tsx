import type { AddressView } from "./address-page.tsx";
import { inline } from "./inline.ts";
import type { Locale } from "./locale.ts";
import type { Page } from "./page.tsx";
import { deviceScript } from "./scripts.ts";
import { PrintHow, QrShape, Sign, StickerRows, sheetStyles } from "./sheet.tsx";
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
						<PrintHow
							title={messages.printSheet}
							back={{ path: `/a/${view.canonical}${query}`, text: messages.backToAddress }}
							messages={messages}
						/>
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
