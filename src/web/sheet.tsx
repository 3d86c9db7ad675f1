import { raw } from "hono/html";
import type { StreetSketch } from "../basemap/sketch.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { fill } from "../languages/template.ts";
import { fitText, SAFE_FONTS, whereToType } from "../print/card.ts";
import { type Paper, papers } from "../print/paper.ts";
import { plateSvg, TEST_MARK } from "../print/plate.ts";
import { qrSymbol } from "../print/qr.ts";
import type { AddressView } from "./address-page.tsx";
import type { Locale } from "./locale.ts";
import { ButtonItem, Written } from "./parts.tsx";
import { streetStyles } from "./styles.ts";

/** Stickers side by side on a sheet. */
const STICKERS_PER_ROW = 4;

/** Rows of stickers that a sheet of each paper has room for below a sign. */
export const STICKER_ROWS_BELOW_SIGN: Record<Paper, number> = { a4: 3, letter: 2 };

/** The margin of a sheet, in millimetres: no home printer needs more. */
const MARGIN = 10;

/** The room for the words of a sign beside its QR symbol, in millimetres, and the sizes of letters that they may have there. */
const WORDS_WIDTH = { plain: 112, mapped: 106 };
const WORDS_HEIGHT = { plain: 31, mapped: 37 };
const NAMED_SIZES = [6.5, 5.6, 4.8, 4.2, 3.6, 3, 2.6] as const;

/** The room for the words of a sticker and of a card, in millimetres, and the size of letters there. */
const STICKER_WORDS = { width: 41, size: 2.8 };
const CARD_WORDS = { width: 79, height: 23, size: 5 };

/** Width of the directions on a sign, in ems; they have two lines. */
const DIRECTIONS_EMS = 29;

/**
 * What stands on a sheet of paper, to be cut along its dashed lines: signs of 190 x 124 mm, stickers of 47.5 x 50 mm and cards of
 * 95 x 129 mm. On the screen a sheet stands as it will be printed; on one that is narrower, a millimetre of it shrinks so that all of it
 * shows. Lines are so high that no letter of any script is cut off, because what is too long has been cut in characters. Marks that pile
 * up on a letter are, before they reach another text.
 */
export function sheetStyles(paper: Paper): string {
	const { size, width } = papers[paper];
	return `${streetStyles}
@page{size:${size} portrait;margin:${MARGIN}mm}
:root{--mm:min(1mm,100vw/${width})}
main{padding:0}
.how{margin-bottom:1rem;padding:.75rem min(1rem,4.5vw) 0}
.how p+*{margin-top:.75rem}
@media(scripting:enabled){.how li[hidden]{display:grid!important}.how button[hidden]{display:flex!important}}
.sheet{--near:#ebe8e0;--water:#d5e6ee;--green:#dcead2;--house:#d8d0c1;--way:#fff;--soft:#333;width:calc(${width}*var(--mm));max-width:none;padding:calc(${MARGIN}*var(--mm));margin:0 clamp(0px,50vw - ${width / 2}*var(--mm),1rem) 1rem;background:#fff;color:#000;font-family:${SAFE_FONTS};line-height:1.5;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.sheet svg{display:block}
.sheet p{overflow:clip}
.qr{fill:#000}
.sign,.stickers{width:calc(189.5*var(--mm));margin:0 auto;padding:0;list-style:none}
.sign,.sticker{overflow:hidden;text-align:center}
.sign{border:calc(.2*var(--mm)) dashed #777;--qr:58;--plate:150;height:calc(124*var(--mm));padding:calc(5*var(--mm));display:grid;grid-template:calc(var(--qr)*var(--mm)) auto 1fr auto/auto 1fr;gap:calc(1*var(--mm)) calc(6*var(--mm))}
.sign.mapped{--qr:64;--plate:124}
.sign .qr{width:calc(var(--qr)*var(--mm));height:calc(var(--qr)*var(--mm))}
.words{display:flex;flex-direction:column;justify-content:center;gap:calc(1.5*var(--mm));text-align:start;min-width:0}
.scan{font-size:calc(5.5*var(--mm));font-weight:700;line-height:1.3}
.lies{font-size:calc(4.2*var(--mm))}
${NAMED_SIZES.map((size, step) => `.named${step}{font-size:calc(${size}*var(--mm))}`).join("\n")}
.say,.plates,.foot{grid-column:1/-1;display:flex;justify-content:center;align-items:center;gap:calc(4*var(--mm))}
.say{font-size:calc(4.6*var(--mm));font-weight:700;line-height:1.3}
.sign .plate{flex:none;width:calc(var(--plate)*var(--mm))}
.sign .streets{flex:1;min-width:0;border-radius:calc(3*var(--mm));font-size:28px}
.foot{justify-content:space-between;font-size:calc(4*var(--mm));line-height:1.3}
.typed{overflow-wrap:anywhere}
.stickers{display:grid;grid-template-columns:repeat(${STICKERS_PER_ROW},1fr);grid-auto-rows:calc(50*var(--mm));border:dashed #777;border-width:calc(.2*var(--mm)) 0 0 calc(.2*var(--mm))}
.stickers+.stickers{border-top:0}
.sign+*{margin-top:calc(2*var(--mm))}
.sticker{padding:calc(1*var(--mm)) calc(3*var(--mm));border:dashed #777;border-width:0 calc(.2*var(--mm)) calc(.2*var(--mm)) 0}
.sticker .qr{width:calc(32*var(--mm));height:calc(32*var(--mm));margin:auto}
.sticker p{font-size:calc(${STICKER_WORDS.size}*var(--mm));white-space:nowrap}
.sticker .typed{font-size:calc(2.2*var(--mm));line-height:1.3}
.number{width:100%}
@media print{:root{--mm:1mm}.screen,.how{display:none!important}body{background:#fff}.sheet{width:auto;padding:0;margin:0}.sheet:not(:last-of-type){break-after:page}}
`;
}

/** What sheets of cards add to those. */
export const cardStyles = `
.card-list{width:calc(189.5*var(--mm));margin:0 auto;padding:0;list-style:none;display:grid;grid-template-columns:1fr 1fr;grid-auto-rows:calc(129*var(--mm))}
.card{overflow:hidden;text-align:center;border:calc(.2*var(--mm)) dashed #777;padding:calc(4*var(--mm)) calc(8*var(--mm));display:flex;flex-direction:column;align-items:center;gap:calc(1*var(--mm))}
.card .qr{width:calc(64*var(--mm));height:calc(64*var(--mm))}
.card p{font-size:calc(${CARD_WORDS.size}*var(--mm))}
.card .typed{font-size:calc(4*var(--mm))}
`;

/** Above a sheet, on the screen only: how to print it, a button that does, the other paper, and the way back. */
export function PrintHow({
	title,
	back,
	paper,
	query,
	messages,
}: {
	title: string;
	back: { path: string; text: string };
	paper: Paper;
	/** The query of this page, which the same page on the other paper keeps. */
	query: URLSearchParams;
	messages: Locale["messages"];
}) {
	const other: Paper = paper === "a4" ? "letter" : "a4";
	const onOther = new URLSearchParams(query);
	onOther.set("paper", other);
	return (
		<>
			<h1>{title}</h1>
			<p>{fill(messages.printHow, { paper: papers[paper].name })}</p>
			<p>{messages.printShop}</p>
			<ul class="buttons">
				<li hidden>
					<button type="button" class="first" hidden data-does="print">
						{messages.print}
					</button>
				</li>
				<ButtonItem href={`?${onOther}`} text={fill(messages.otherPaper, { paper: papers[other].name })} />
				<ButtonItem href={back.path} text={back.text} />
			</ul>
		</>
	);
}

/** The code in black letters that fill their width whatever the font, where a plate would be too small to read. */
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

/** Where to type the code, for whoever cannot scan it; and that it is of the sandbox, since a QR symbol cannot say so. */
function Typed({ view }: { view: AddressView }) {
	return (
		<p class="typed">
			{isSandboxCode(view.canonical) ? `${TEST_MARK.text} · ` : null}
			<bdi dir="ltr">{whereToType(view.url, view.canonical)}</bdi>
		</p>
	);
}

/**
 * A sign for a door or gate, with the streets where there is a map of them. It needs the QrShape of its address on the same page. What
 * is private about where it lies stays away from the street: the sign of a private address has neither streets nor Plus Code.
 */
export function Sign({
	view,
	locale,
	sketch,
}: {
	view: AddressView;
	locale: Locale;
	sketch?: StreetSketch | undefined;
}) {
	const { messages, identity } = locale;
	const streets = view.isPrivate ? undefined : sketch;
	const kind = streets ? "mapped" : "plain";
	const width = WORDS_WIDTH[kind];
	const way = fitText(view.directions, DIRECTIONS_EMS, 3, [1]).text;
	const named = fitText(view.label, width, WORDS_HEIGHT[kind] - (way ? 12.5 : 0), NAMED_SIZES);
	return (
		<div class={`sign ${kind}`}>
			<Qr view={view} />
			<div class="words">
				<p class="scan">{messages.scanMe}</p>
				<Written class={`named${NAMED_SIZES.indexOf(named.size as 6.5)}`} text={named.text} />
				<Written class="named4" text={way} />
				<p class="lies">
					{view.placeAndCountry}
					{view.isPrivate ? null : (
						<>
							{" "}
							· <bdi dir="ltr">{view.plusCode}</bdi>
						</>
					)}
				</p>
			</div>
			<p class="say">{messages.sayCode}</p>
			<div class="plates">
				{raw(plateSvg(view.display))}
				{streets ? raw(streets.svg) : null}
			</div>
			<div class="foot">
				<span>{identity.registryName}</span>
				<Typed view={view} />
			</div>
		</div>
	);
}

/** So many rows of stickers, all alike. They need the QrShape of their address on the same page. */
export function StickerRows({ view, rows }: { view: AddressView; rows: number }) {
	const { width, size } = STICKER_WORDS;
	const { text } = fitText(view.label || view.locality, width, 0, [size]);
	return (
		<ul class="stickers">
			{Array.from({ length: rows * STICKERS_PER_ROW }, () => (
				<li class="sticker">
					<Qr view={view} />
					<Code display={view.display} />
					<Typed view={view} />
					<Written text={text} />
				</li>
			))}
		</ul>
	);
}

/** A card to hand out or put up. It needs the QrShape of its address on the same page. */
export function Card({ view }: { view: AddressView }) {
	const { width, height, size } = CARD_WORDS;
	return (
		<li class="card">
			<Qr view={view} />
			{raw(plateSvg(view.display))}
			<Typed view={view} />
			<Written text={fitText(view.label || view.locality, width, height, [size]).text} />
		</li>
	);
}
