import { SAFE_FONTS, whereToType } from "../addresses/card.ts";
import { displayCode } from "../addresses/code.ts";
import { plainLabel } from "../addresses/plain-label.ts";
import { qrSymbol } from "../addresses/qr.ts";
import { qrUrl } from "../addresses/record.ts";
import type { Address } from "../addresses/resolve.ts";
import { webUrl } from "../http/app-env.ts";
import { inline } from "../web/inline.ts";
import { deviceScript } from "../web/scripts.ts";
import { pageStyles } from "../web/styles.ts";
import { consolePage } from "./page.tsx";
import { consoleStyles } from "./styles.ts";
import { pathTo, type SignedInVisit } from "./visit.ts";

/** Cards of ISO 216 A6, 105 x 148 mm, on a sheet of A4. */
const CARDS_PER_SHEET = 4;

/** On a screen narrower than the sheet, a millimetre of it shrinks so that the sheet shows whole. On paper it is one. */
const sheetStyles = inline(`${pageStyles.text}${consoleStyles}
@page{size:A4 portrait;margin:0}
:root{--mm:min(1mm,(100vw - 2.25rem)/210)}
main{max-width:none}
.sheet{display:grid;grid-template-columns:repeat(2,calc(105*var(--mm)));grid-auto-rows:calc(148.5*var(--mm));width:calc(210*var(--mm));margin:0 auto 1rem;background:#fff;color:#000;font-family:${SAFE_FONTS};line-height:1.2;break-after:page;padding:0;list-style:none}
.sheet li{border:calc(.2*var(--mm)) dashed #777;padding:calc(8*var(--mm));text-align:center;overflow:hidden;display:flex;flex-direction:column;align-items:center;gap:calc(2*var(--mm))}
.sheet svg{display:block;fill:#000;width:calc(74*var(--mm));height:calc(74*var(--mm))}
.sheet strong{font-size:calc(10.5*var(--mm));white-space:nowrap}
.sheet span{font-size:calc(4*var(--mm));overflow-wrap:anywhere}
.sheet p{font-size:calc(5*var(--mm));max-height:calc(18*var(--mm));overflow:hidden}
@media print{:root{--mm:1mm}.screen,.how,main>h1{display:none!important}body,main{background:#fff;margin:0;padding:0}.sheet{margin:0}}
`);

/** Cards of several addresses to print, four on a sheet of A4. */
export function printCardsPage(visit: SignedInVisit, addresses: Address[]): Response {
	const { messages } = visit.locale;
	const sheets = Array.from({ length: Math.ceil(addresses.length / CARDS_PER_SHEET) }, (_, sheet) =>
		addresses.slice(sheet * CARDS_PER_SHEET, (sheet + 1) * CARDS_PER_SHEET),
	);
	return consolePage(visit, {
		title: messages.card,
		styles: sheetStyles,
		scripts: [deviceScript],
		body: (
			<>
				<div class="how">
					<p>{messages.printHow}</p>
					<ul class="buttons">
						<li hidden>
							<button type="button" class="first" hidden data-does="print">
								{messages.print}
							</button>
						</li>
						<li>
							<a class="button" href={pathTo(visit, "/my")}>
								{visit.words.list.title}
							</a>
						</li>
					</ul>
				</div>
				{sheets.map((cards) => (
					<ul class="sheet">
						{cards.map(({ canonical, label, zoneName }) => {
							const url = qrUrl(canonical, webUrl(visit.c));
							const { path, size } = qrSymbol(url);
							return (
								<li>
									<svg viewBox={`0 0 ${size} ${size}`} aria-hidden="true" shape-rendering="crispEdges">
										<path d={path} />
									</svg>
									<strong dir="ltr">{displayCode(canonical)}</strong>
									<span dir="ltr">{whereToType(url, canonical)}</span>
									<p>
										<bdi>{plainLabel(label) || zoneName}</bdi>
									</p>
								</li>
							);
						})}
					</ul>
				))}
			</>
		),
	});
}
