import type { Messages } from "../languages/messages-en.ts";
import { SAFE_FONTS, whereToType } from "../print/card.ts";
import { qrSymbol } from "../print/qr.ts";
import type { AddressView } from "./address-page.tsx";

/** Stickers side by side on a sheet. */
export const STICKERS_PER_ROW = 4;

/**
 * What stands on a sheet of ISO 216 A4, 210 x 297 mm, to be cut along its dashed lines: signs of 190 x 124 mm, stickers of 47.5 x
 * 50 mm and cards of A6, 105 x 148.5 mm. On the screen a sheet stands as it will be printed; on one that is narrower, a
 * millimetre of it shrinks so that all of it shows.
 * @param margin in millimetres; no home printer needs more than 5, and four cards leave none
 */
export const sheetStyles = (margin: 0 | 10): string => `
@page{size:A4 portrait;margin:${margin}mm}
:root{--mm:min(1mm,100vw/210)}
main{max-width:none;padding:0}
.how{max-width:40rem;margin:0 auto 1rem;padding:0 1rem}
.how p+*{margin-top:.75rem}
.sheet{width:calc(210*var(--mm));padding:calc(${margin}*var(--mm));margin:0 auto 1rem;background:#fff;color:#000;font-family:${SAFE_FONTS};line-height:1.2}
.sheet svg{display:block;fill:#000}
.sign,.sticker,.card{border:calc(.2*var(--mm)) dashed #777;overflow:hidden;text-align:center}
.sign{height:calc(124*var(--mm));padding:calc(5*var(--mm));display:grid;grid-template:calc(80*var(--mm)) 1fr/calc(80*var(--mm)) 1fr;gap:calc(2*var(--mm)) calc(6*var(--mm))}
.sign .qr{width:calc(80*var(--mm));height:calc(80*var(--mm))}
.words{display:flex;flex-direction:column;justify-content:center;gap:calc(3*var(--mm));text-align:start;overflow:hidden}
.words p{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:6;overflow:hidden;max-width:calc(92*var(--mm))}
.scan{font-size:calc(6*var(--mm));font-weight:700}
.named{font-size:calc(6.5*var(--mm))}
.lies{font-size:calc(5*var(--mm))}
.typed{font-size:calc(4.2*var(--mm));overflow-wrap:anywhere;flex:none}
.sign .number{grid-column:1/-1;width:calc(176*var(--mm));height:calc(30*var(--mm));align-self:end}
.stickers{display:grid;grid-template-columns:repeat(${STICKERS_PER_ROW},calc(47.5*var(--mm)));grid-auto-rows:calc(50*var(--mm));margin:0;padding:0;list-style:none}
.sign+*{margin-top:calc(2*var(--mm))}
.sticker{padding:calc(2*var(--mm)) calc(3*var(--mm));margin:0 calc(-.2*var(--mm)) calc(-.2*var(--mm)) 0}
.sticker .qr{width:calc(33*var(--mm));height:calc(33*var(--mm));margin:auto}
.sticker .number{width:calc(41*var(--mm));height:calc(6*var(--mm))}
.sticker p{font-size:calc(2.8*var(--mm));line-height:calc(3.2*var(--mm));max-height:calc(3.2*var(--mm));margin-top:calc(.3*var(--mm));overflow:hidden;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:1}
.sticker .typed{font-size:calc(2.3*var(--mm))}
.card-list{display:grid;grid-template-columns:repeat(2,calc(105*var(--mm)));grid-auto-rows:calc(148.5*var(--mm));margin:0;padding:0;list-style:none}
.card{padding:calc(8*var(--mm));display:flex;flex-direction:column;align-items:center;gap:calc(2*var(--mm))}
.card .qr{width:calc(74*var(--mm));height:calc(74*var(--mm))}
.card .number{width:calc(89*var(--mm));height:calc(14*var(--mm))}
.card p:not(.typed){font-size:calc(5*var(--mm));max-height:calc(18*var(--mm));overflow:hidden}
@media print{:root{--mm:1mm}.screen,.how{display:none!important}body{background:#fff}.sheet{width:${210 - 2 * margin}mm;padding:0;margin:0}.sheet:not(:last-of-type){break-after:page}}
`;

/** Above a sheet, on the screen only: how to print it, a button that does, and the way back. */
export function PrintHow({
	title,
	back,
	messages,
}: {
	title: string;
	back: { path: string; text: string };
	messages: Messages["pages"];
}) {
	return (
		<>
			<h1>{title}</h1>
			<p>{messages.printHow}</p>
			<ul class="buttons">
				<li hidden>
					<button type="button" class="first" hidden data-does="print">
						{messages.print}
					</button>
				</li>
				<li>
					<a class="button" href={back.path}>
						{back.text}
					</a>
				</li>
			</ul>
		</>
	);
}

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

/** The QR symbol of an address as a shape that is drawn nowhere by itself: whatever shows it points to it, however often. */
export function QrShape({ view }: { view: AddressView }) {
	const { path, size } = qrSymbol(view.url);
	return (
		<svg width="0" height="0" aria-hidden="true">
			<symbol id={view.canonical} viewBox={`0 0 ${size} ${size}`}>
				<path d={path} shape-rendering="crispEdges" />
			</symbol>
		</svg>
	);
}

function Qr({ view }: { view: AddressView }) {
	return (
		<svg class="qr" aria-hidden="true">
			<use href={`#${view.canonical}`} />
		</svg>
	);
}

/** Where to type the code, for whoever cannot scan it. */
function Typed({ view }: { view: AddressView }) {
	return (
		<p class="typed" dir="ltr">
			{whereToType(view.url, view.canonical)}
		</p>
	);
}

/** Longest directions on a sign, in Unicode code points. */
const DIRECTIONS_SIGNED_MAX = 80;

/** Directions as far as a sign has room for them. */
function shortened(text: string): string {
	const characters = Array.from(text);
	if (characters.length <= DIRECTIONS_SIGNED_MAX) return text;
	return `${characters.slice(0, DIRECTIONS_SIGNED_MAX - 1).join("")}…`;
}

/** A sign for a door or gate. It needs the QrShape of its address on the same page. */
export function Sign({ view, messages }: { view: AddressView; messages: Messages["pages"] }) {
	return (
		<div class="sign">
			<Qr view={view} />
			<div class="words">
				<p class="scan">{messages.scanMe}</p>
				{view.label ? (
					<p class="named">
						<bdi>{view.label}</bdi>
					</p>
				) : null}
				{view.directions ? (
					<p class="lies">
						<bdi>{shortened(view.directions)}</bdi>
					</p>
				) : null}
				<p class="lies">{view.zoneAndCountry}</p>
				<Typed view={view} />
			</div>
			<Code display={view.display} />
		</div>
	);
}

/** What stands below the code where there is room for one text. */
function Words({ view }: { view: AddressView }) {
	return (
		<p>
			<bdi>{view.label || view.zoneName}</bdi>
		</p>
	);
}

/** So many rows of stickers, all alike. They need the QrShape of their address on the same page. */
export function StickerRows({ view, rows }: { view: AddressView; rows: number }) {
	return (
		<ul class="stickers">
			{Array.from({ length: rows * STICKERS_PER_ROW }, () => (
				<li class="sticker">
					<Qr view={view} />
					<Code display={view.display} />
					<Typed view={view} />
					<Words view={view} />
				</li>
			))}
		</ul>
	);
}

/** A card of A6 to hand out or put up. It needs the QrShape of its address on the same page. */
export function Card({ view }: { view: AddressView }) {
	return (
		<li class="card">
			<Qr view={view} />
			<Code display={view.display} />
			<Typed view={view} />
			<Words view={view} />
		</li>
	);
}
