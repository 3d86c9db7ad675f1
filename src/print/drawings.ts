/** Everything that draws an image to print. It is loaded when the first image is requested. */
export { cardSvg } from "./card.ts";
export { readCardFont } from "./card-font.ts";
export { cardPng, qrPng } from "./card-png.ts";
export { qrSvg } from "./qr.ts";
