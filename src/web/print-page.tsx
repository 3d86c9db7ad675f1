import { SAFE_FONTS, whereToType } from "../addresses/card.ts";
import { qrSymbol } from "../addresses/qr.ts";
import type { AddressView } from "./address-page.tsx";
import { inline } from "./inline.ts";
import type { Locale } from "./locale.ts";
import type { Page } from "./page.tsx";
import { deviceScript } from "./scripts.ts";
import { pageStyles } from "./styles.ts";

const STICKERS = 12;

/**
 * An A4 sheet, 210 x 297 mm: 10 mm of margin, which no home printer needs more than half of, a sign of 190 x 124 mm and stickers of 47.5 x 50 mm
 * in four columns and three rows. Dashed lines show where to cut. On the screen the sheet stands as it
 * will be printed; on one that is narrower, a millimetre of it shrinks so that all of it shows.
 */
const sheetStyles = inline(`${pageStyles.text}
@page{size:A4 portrait;margin:10mm}
:root{--mm:min(1mm,100vw/210)}
main{max-width:none;padding:0}
.how{max-width:40rem;margin:0 auto 1rem;padding:0 1rem}
.how p+*{margin-top:.75rem}
section.scroller{padding:0;background:none;border:0;border-radius:0;margin:0}
.sheet{width:calc(210*var(--mm));padding:calc(10*var(--mm));margin:auto;background:#fff;color:#000;font-family:${SAFE_FONTS};line-height:1.2}
.sheet svg{display:block;fill:#000}
.sign,.sticker{border:calc(.2*var(--mm)) dashed #777;overflow:hidden;text-align:center}
.sign{height:calc(124*var(--mm));padding:calc(5*var(--mm));display:grid;grid-template:calc(80*var(--mm)) 1fr/calc(80*var(--mm)) 1fr;gap:calc(2*var(--mm)) calc(6*var(--mm))}
.sign .qr{width:calc(80*var(--mm));height:calc(80*var(--mm))}
.words{display:flex;flex-direction:column;justify-content:center;gap:calc(3*var(--mm));text-align:start;overflow:hidden}
.words p{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:6;overflow:hidden;max-width:calc(92*var(--mm))}
.scan{font-size:calc(6*var(--mm));font-weight:700}
.named{font-size:calc(6.5*var(--mm))}
.lies{font-size:calc(5*var(--mm))}
.typed{font-size:calc(4.5*var(--mm));overflow-wrap:anywhere}
.sign .number{grid-column:1/-1;width:calc(176*var(--mm));height:calc(30*var(--mm));align-self:end}
.stickers{display:grid;grid-template-columns:repeat(4,calc(47.5*var(--mm)));grid-auto-rows:calc(50*var(--mm));margin:calc(3*var(--mm)) 0 0;padding:0;list-style:none}
.sticker{padding:calc(2*var(--mm)) calc(3*var(--mm));margin:0 calc(-.2*var(--mm)) calc(-.2*var(--mm)) 0}
.sticker .qr{width:calc(33*var(--mm));height:calc(33*var(--mm));margin:auto}
.sticker .number{width:calc(41*var(--mm));height:calc(6*var(--mm))}
.sticker p{font-size:calc(2.8*var(--mm));line-height:calc(3.2*var(--mm));max-height:calc(3.2*var(--mm));margin-top:calc(.3*var(--mm));overflow:hidden;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:1}
.sticker .typed{font-size:calc(2.3*var(--mm))}
@media print{:root{--mm:1mm}.screen,.how{display:none!important}body{background:#fff}.sheet{width:190mm;padding:0}}
`);

/** The code as text that fills its width whatever the font. */
function Code({ display }: { display: string }) {
	return (
		<svg class="number" viewBox="0 0 176 27" role="img" aria-label={display} direction="ltr">
			<text x="1" y="25" font-size="27" font-weight="700" textLength="174" lengthAdjust="spacingAndGlyphs">
				{display}
			</text>
		</svg>
	);
}

/** The QR symbol is drawn once, and every other place points to it. */
function Qr({ size }: { size: number }) {
	return (
		<svg class="qr" viewBox={`0 0 ${size} ${size}`} aria-hidden="true">
			<use href="#qr" />
		</svg>
	);
}

/** A sheet with a door sign and stickers, to print at its own size. */
export function printPage(view: AddressView, locale: Locale): Page {
	const { messages, query } = locale;
	const { path, size } = qrSymbol(view.url);
	const typed = whereToType(view.url, view.canonical);
	return {
		locale,
		title: `${view.display} · ${messages.printSheet}`,
		description: messages.printHow,
		path: `/a/${view.canonical}/print`,
		styles: sheetStyles,
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
				<section class="scroller">
					<div class="sheet">
						<svg width="0" height="0" aria-hidden="true">
							<path id="qr" d={path} shape-rendering="crispEdges" />
						</svg>
						<div class="sign">
							<Qr size={size} />
							<div class="words">
								<p class="scan">{messages.scanMe}</p>
								{view.label ? (
									<p class="named">
										<bdi>{view.label}</bdi>
									</p>
								) : null}
								<p class="lies">{view.place}</p>
								<p class="typed" dir="ltr">
									{typed}
								</p>
							</div>
							<Code display={view.display} />
						</div>
						<ul class="stickers">
							{Array.from({ length: STICKERS }, () => (
								<li class="sticker">
									<Qr size={size} />
									<Code display={view.display} />
									<p class="typed" dir="ltr">
										{typed}
									</p>
									<p>
										<bdi>{view.label || view.zoneName}</bdi>
									</p>
								</li>
							))}
						</ul>
					</div>
				</section>
			</>
		),
	};
}
