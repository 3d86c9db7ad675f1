import { raw } from "hono/html";
import type { StreetSketch } from "../basemap/sketch.ts";
import { isSandboxCode } from "../codes/sandbox.ts";
import { fill } from "../languages/template.ts";
import { whereToType } from "../print/card.ts";
import { fitText, LINE_EMS, wrapText } from "../print/lines.ts";
import { PAPERS, type Paper, papers } from "../print/paper.ts";
import { PLATE_HEIGHT, PLATE_WIDTH, plateSvg, TEST_MARK } from "../print/plate.ts";
import { QUIET_ZONE_MODULES, qrSymbol } from "../print/qr.ts";
import { SAFE_FONTS } from "../print/shapes.ts";
import type { AddressView } from "./address-view.ts";
import { Icon } from "./layout.tsx";
import type { Locale } from "./locale.ts";
import { ButtonItem, Written } from "./parts.tsx";
import { streetStyles } from "./styles.ts";

/** The clear space on each side of a line to cut along, in millimetres. */
const CUT_MARGIN = 5;

/** Stickers side by side on a sheet, and how high one is, in millimetres. */
const STICKERS_PER_ROW = 3;
const STICKER_HEIGHT = 62;

/** Rows of stickers below the one sign of a sheet, and on a sheet of their own. */
export const STICKER_ROWS_BELOW_SIGN = 2;
export const STICKER_ROWS = 4;

/** The side of a sign's QR symbol without its quiet zone, and the gap between the parts of a sign, in millimetres. */
const SIGN_QR = 30;
const SIGN_GAP = 5;

/** The width of a plate on half an A4 page, in millimetres. The sizes below are for that, and grow with the plate. */
const USUAL_PLATE = 180;
/** The font sizes of a sign, in millimetres: its label has the largest that fits, the other lines have one size. */
const LABEL_SIZES = [8, 6.5, 5.6, 4.8, 4.2, 3.6, 3, 2.6] as const;
const LINE_SIZE = 4.4;
const LINE_HEIGHT = LINE_SIZE * 1.3 + 0.6;

/** The room for the words of a sticker beside its QR symbol, and their font sizes, in millimetres. */
const STICKER_WORDS = { width: 24, height: 25, sizes: [3.4, 2.9, 2.5] };
/** The same for a card. */
const CARD_WORDS = { width: 85, height: 24, sizes: [5, 4.2] };

/** The sizes of a sign and its parts on a paper, in millimetres. */
function signSize(paper: Paper) {
	const { width, height, margin, signs } = papers[paper];
	// A hair's breadth less, because rounding could send the last part to a sheet of its own.
	const [across, down] = [width - 2 * margin - 0.5, (height - 2 * margin) / signs - 0.5];
	// A sign that fills its paper needs no cut.
	const padding = signs > 1 ? CUT_MARGIN : 0;
	const plate = across - 2 * padding;
	const row = down - 2 * padding - (plate * PLATE_HEIGHT) / PLATE_WIDTH - SIGN_GAP;
	const scale = Math.max(1, plate / USUAL_PLATE);
	const qr = Math.min(row, SIGN_QR * scale);
	return { width: across, height: down, padding, plate, row, scale, qr, words: plate - qr - SIGN_GAP };
}

/** The part of a label that fits a room in millimetres on a sign, and the index of its font size in LABEL_SIZES. */
function fitLabel(text: string, width: number, height: number, scale: number) {
	const sizes = LABEL_SIZES.filter((size) => size * LINE_EMS <= height / scale);
	const fitting = fitText(text, width / scale, height / scale, sizes.length > 0 ? sizes : LABEL_SIZES.slice(-1));
	return { text: fitting.text, step: (LABEL_SIZES as readonly number[]).indexOf(fitting.size) };
}

/**
 * The styles of a sheet of paper, which is cut along its dashed lines. A screen shows the sheet in its printed size, or smaller where
 * the screen is narrower. Lines are high enough for the letters of every script, because text that is too long has been cut by
 * characters. Marks that pile up on a letter are cut off before they reach another text.
 */
export function sheetStyles(paper: Paper): string {
	const { size, width, margin } = papers[paper];
	const sign = signSize(paper);
	const mm = (length: number | string) =>
		`calc(${typeof length === "number" ? Number(length.toFixed(2)) : length}*var(--mm))`;
	return `${streetStyles}
@page{size:${size};margin:${margin}mm}
:root{--mm:min(1mm,100vw/${width})}
main{padding:0;max-width:none}
main>:not(.sheet){max-width:42rem;margin-inline:auto}
.how{margin:0 auto 1rem;padding:.75rem min(1rem,4.5vw) 0}
.how p+*{margin-top:.75rem}
@media(scripting:enabled){.no-script{display:none}.how [hidden]{display:flex!important}}
.sheet{--near:#ebe8e0;--water:#d5e6ee;--green:#dcead2;--house:#d8d0c1;--way:#fff;--soft:#333;width:${mm(width)};max-width:none;padding:${mm(margin)};margin:0 auto 1rem;background:#fff;color:#000;font-family:${SAFE_FONTS};line-height:1.3;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.sheet svg{display:block}
.sheet p{overflow:clip}
.qr{flex:none;fill:#000}
.sign{width:${mm(sign.width)};height:${mm(sign.height)};padding:${mm(sign.padding)};overflow:hidden;display:grid;align-content:start;gap:${mm(SIGN_GAP)}}
.sign .row{display:flex;flex-wrap:nowrap;gap:${mm(SIGN_GAP)};height:${mm(sign.row)}}
.sign .qr{width:${mm(sign.qr)};height:${mm(sign.qr)}}
.sign .streets{flex:none;align-self:start;width:${mm(sign.qr * 1.5)};border-radius:${mm(2)};font-size:34px}
.words{flex:1;min-width:0;display:flex;flex-direction:column;gap:${mm(0.6)};font-size:${mm(LINE_SIZE * sign.scale)}}
.words p:first-child{font-weight:700}
${LABEL_SIZES.map((step, index) => `.named${index}{font-size:${mm(step * sign.scale)};line-height:${LINE_EMS}}`).join("\n")}
.crest{display:flex;align-items:center;gap:${mm(1.5)};font-size:${mm(3.8 * sign.scale)}}
.crest>:first-child{flex:none;width:${mm(5 * sign.scale)};height:${mm(5 * sign.scale)};object-fit:contain;fill:#0b5d4e}
.cut{border:${mm(0.2)} dashed #777}
.stickers,.card-list{width:${mm(sign.width)};margin:0;padding:0;list-style:none;display:grid}
.stickers{grid-template-columns:repeat(${STICKERS_PER_ROW},1fr);grid-auto-rows:${mm(STICKER_HEIGHT)}}
.sticker{overflow:hidden;padding:${mm(CUT_MARGIN)};display:grid;align-content:start;gap:${mm(2.5)}}
.sticker .row{display:flex;flex-wrap:nowrap;gap:${mm(3)}}
.sticker .qr{width:${mm(25)};height:${mm(25)}}
.sticker p{flex:1;min-width:0;line-height:1.5}
${STICKER_WORDS.sizes.map((step, index) => `.fit${index}{font-size:${mm(step)}}`).join("\n")}
@media print{:root{--mm:1mm}.screen,.how{display:none!important}body{background:#fff}.sheet{width:auto;padding:0;margin:0}.sheet:not(:last-of-type){break-after:page}}
`;
}

/** Further styles of sheets of cards. */
export const cardStyles = `
.card-list{grid-template-columns:1fr 1fr;grid-auto-rows:calc(129*var(--mm))}
.card{overflow:hidden;text-align:center;padding:calc(${CUT_MARGIN}*var(--mm));display:flex;flex-direction:column;align-items:center;gap:calc(2*var(--mm))}
.card .plate{flex:none}
.card .qr{width:calc(42*var(--mm));height:calc(42*var(--mm));margin:calc(3*var(--mm))}
.card p{line-height:1.5}
.card .fit0{font-size:calc(5*var(--mm))}
.card .fit1{font-size:calc(4.2*var(--mm))}
.card .typed{font-size:calc(4*var(--mm));overflow-wrap:anywhere}
`;

/** The name of a paper, with how much of it a sign fills. */
function paperName(paper: Paper, { messages }: Locale): string {
	const { name } = papers[paper];
	if (paper === "a5") return name;
	return fill(papers[paper].signs > 1 ? messages.halfPage : messages.wholePage, { paper: name });
}

/** Above a sheet, on the screen only: how to print it, a button to print, the other papers, and the way back. */
export function PrintHow({
	title,
	back,
	paper,
	among = PAPERS,
	map,
	query,
	locale,
}: {
	title: string;
	back: { path: string; text: string };
	paper: Paper;
	/** The papers that it may be printed on. */
	among?: readonly Paper[];
	/** Whether the sign shows the streets; undefined where it cannot. */
	map?: boolean | undefined;
	/** The query of this page, which links to the same page on another paper carry. */
	query: URLSearchParams;
	locale: Locale;
}) {
	const { messages } = locale;
	const withQuery = (change: (query: URLSearchParams) => void) => {
		const changed = new URLSearchParams(query);
		change(changed);
		return `?${changed}`;
	};
	const isCut = papers[paper].signs > 1;
	return (
		<>
			<h1>{title}</h1>
			<p>
				{fill(messages.printHow, { paper: papers[paper].name })} {isCut ? messages.printCut : null}
			</p>
			<p>{messages.printKeep}</p>
			<p class="no-script">{messages.printByMenu}</p>
			<ul class="buttons">
				<li hidden>
					<button type="button" class="first" hidden data-does="print">
						{messages.print}
					</button>
				</li>
				<ButtonItem href={back.path} text={back.text} />
			</ul>
			<details>
				<summary>{messages.printOther}</summary>
				<ul class="buttons">
					{among
						.filter((other) => other !== paper)
						.map((other) => (
							<ButtonItem
								href={withQuery((changed) => changed.set("paper", other))}
								text={among === PAPERS ? paperName(other, locale) : papers[other].name}
							/>
						))}
					{map === undefined ? null : (
						<ButtonItem
							href={withQuery((changed) => (map ? changed.delete("map") : changed.set("map", "1")))}
							text={map ? messages.withoutMap : messages.withMap}
						/>
					)}
				</ul>
				<p>{messages.printShop}</p>
			</details>
		</>
	);
}

/**
 * The QR symbol of an address as an SVG `<symbol>`, which is shown wherever something refers to it. The quiet zone is left to its
 * surroundings.
 */
export function QrShape({ view }: { view: AddressView }) {
	const { path, size } = qrSymbol(view.url);
	const inner = size - 2 * QUIET_ZONE_MODULES;
	return (
		<svg width="0" height="0" aria-hidden="true">
			<symbol id={qrId(view)} viewBox={`${QUIET_ZONE_MODULES} ${QUIET_ZONE_MODULES} ${inner} ${inner}`}>
				<path d={path} shape-rendering="crispEdges" />
			</symbol>
		</svg>
	);
}

/** The id of the symbol, without a percent sign, which browsers would decode in a reference to it. */
function qrId({ canonical, unit }: AddressView): string {
	return unit ? `${canonical}-${encodeURIComponent(unit.unit).replaceAll("%", ":")}` : canonical;
}

function Qr({ view }: { view: AddressView }) {
	return (
		<svg class="qr" aria-hidden="true">
			<use href={`#${qrId(view)}`} />
		</svg>
	);
}

/** What a plate says of an address besides its code. */
function platePlace({ unit, locality, beyond }: AddressView) {
	return { unit: unit?.name, place: [locality, beyond] as const };
}

/** The words that say which door it is: those of the unit, or else of the address. */
function wordsOf({ unit, label }: AddressView): string {
	return unit?.label || label;
}

/**
 * A sign for a door or gate: its plate, and below it what leads there by phone. It needs the QrShape of its address on the same page.
 * It shows the streets if they are given, which they never are for a private address.
 */
export function Sign({
	view,
	locale,
	paper,
	sketch,
}: {
	view: AddressView;
	locale: Locale;
	paper: Paper;
	sketch?: StreetSketch | undefined;
}) {
	const { messages, identity, siteName } = locale;
	const streets = view.isPrivate ? undefined : sketch;
	const { row, words, qr, scale } = signSize(paper);
	const width = streets ? words - qr * 1.5 - SIGN_GAP : words;
	const scanOrType = fill(messages.scanOrType, { host: `\u2066${new URL(view.url).host}\u2069` });
	const linesOf = (text: string) => (text ? wrapText(text, width / (LINE_SIZE * scale), 3).length : 0);
	// The crest stands on one line, and the label has the room that the others leave.
	const below = 1 + linesOf(messages.sayAll) + linesOf(scanOrType);
	const label = wordsOf(view);
	const fitAbove = (lines: number) => fitLabel(label, width, row - LINE_HEIGHT * scale * lines, scale);
	// A unit takes the place's corner of the plate. The place then goes below the label, unless the label would be cut for it.
	const abovePlace = fitAbove(below + linesOf(view.place));
	const place = view.unit && abovePlace.text === label ? view.place : "";
	const named = place ? abovePlace : fitAbove(below);
	return (
		<div class={papers[paper].signs > 1 ? "sign cut" : "sign"}>
			{raw(plateSvg(view.canonical, platePlace(view)))}
			<div class="row">
				<Qr view={view} />
				<div class="words">
					<Written class={`named${named.step}`} text={named.text} />
					<Written text={place} />
					<p>{messages.sayAll}</p>
					<p>{scanOrType}</p>
					<p class="crest">
						{identity.crest ? <img src={`/crest/${identity.crest}`} alt="" /> : <Icon />}
						<bdi>{siteName}</bdi>
					</p>
				</div>
				{streets ? raw(streets.svg) : null}
			</div>
		</div>
	);
}

/** The first of some texts that fits a room uncut, in the largest size that fits; nothing if none does. */
function Fitting({ texts, room }: { texts: string[]; room: typeof STICKER_WORDS }) {
	for (const text of texts.filter(Boolean)) {
		const fitting = fitText(text, room.width, room.height, room.sizes);
		if (fitting.text === text) return <Written class={`fit${room.sizes.indexOf(fitting.size)}`} text={text} />;
	}
	return null;
}

/** Rows of identical stickers. They need the QrShape of their address on the same page. */
export function StickerRows({ view, rows }: { view: AddressView; rows: number }) {
	return (
		<ul class="stickers">
			{Array.from({ length: rows * STICKERS_PER_ROW }, () => (
				<li class="sticker cut">
					{raw(plateSvg(view.canonical, { unit: view.unit?.name }))}
					<div class="row">
						<Qr view={view} />
						<Fitting texts={[wordsOf(view), view.place]} room={STICKER_WORDS} />
					</div>
				</li>
			))}
		</ul>
	);
}

/** A card to hand out or put up. It needs the QrShape of its address on the same page. */
export function Card({ view }: { view: AddressView }) {
	return (
		<li class="card cut">
			{raw(plateSvg(view.canonical, { unit: view.unit?.name }))}
			<Qr view={view} />
			<p class="typed">
				{isSandboxCode(view.canonical) ? `${TEST_MARK} · ` : null}
				<bdi dir="ltr">{whereToType(view.url, view.canonical)}</bdi>
			</p>
			<Fitting texts={[wordsOf(view), view.place]} room={CARD_WORDS} />
		</li>
	);
}
