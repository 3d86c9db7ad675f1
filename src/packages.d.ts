/** The types of those parts of two untyped packages that are used here. */
declare module "open-location-code" {
	export class OpenLocationCode {
		encode(latitude: number, longitude: number, codeLength?: number): string;
		/** Whether a code names one cell of the world by itself. */
		isFull(code: string): boolean;
		/** The full code nearest to a point, in degrees, that a short code can stand for. */
		recoverNearest(code: string, latitude: number, longitude: number): string;
		/** The centre of the cell of a full code, in degrees. */
		decode(code: string): { latitudeCenter: number; longitudeCenter: number; codeLength: number };
	}
}

declare module "qrcode-svg" {
	export default class QRCode {
		constructor(options: { content: string; ecl: "L" | "M" | "Q" | "H" });
		/** `modules[row][column]`, true is dark. */
		qrcode: { modules: boolean[][] };
	}
}
