/** All that draws an image to print. It is loaded when the first one is asked for. */
export { cardSvg } from "./card.ts";
export { readCardFont } from "./card-font.ts";
export { cardPng, qrPng } from "./card-png.ts";
export { qrSvg } from "./qr.ts";
