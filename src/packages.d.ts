/** The parts used here of two packages that come without types. */
declare module "open-location-code" {
	export class OpenLocationCode {
		encode(latitude: number, longitude: number, codeLength?: number): string;
		/** Whether a code stands for one cell of the world by itself. */
		isFull(code: string): boolean;
		/** The full code of a short one that is nearest to a point, in degrees. */
		recoverNearest(code: string, latitude: number, longitude: number): string;
		/** The cell of a full code, in degrees. */
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
