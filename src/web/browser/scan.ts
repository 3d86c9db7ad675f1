/**
 * Reads the QR code of a sign with the camera, if the browser can (W3C Barcode Detection API; Chromium on Android has it), and fills
 * the code in. Elsewhere the button never shows: the phone's own camera opens the public page, which leads here too. The texts are in
 * the data attributes of the scanner.
 */
import { displayCode } from "../../codes/code.ts";
import { codeIn } from "../../codes/written-code.ts";

/** A BarcodeDetector of the browser, which TypeScript's DOM library does not know yet. */
interface Detector {
	detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
interface DetectorConstructor {
	new (options: { formats: string[] }): Detector;
	getSupportedFormats(): Promise<string[]>;
}

/** How long to wait between two attempts to find a code in the picture, in milliseconds. */
const LOOKS_EVERY = 200;
const FORMAT = "qr_code";

const scanner = document.getElementById("scanner")!;
const button = scanner.querySelector("button")!;
const video = scanner.querySelector("video")!;
const says = scanner.querySelector<HTMLElement>("[role=status]")!;
const code = document.querySelector<HTMLInputElement>("#code")!;
const texts = scanner.dataset as Record<string, string>;
const start = button.textContent!;

let stream: MediaStream | undefined;

function stop(text: string): void {
	for (const track of stream?.getTracks() ?? []) track.stop();
	stream = undefined;
	video.hidden = true;
	button.textContent = start;
	says.textContent = text;
}

async function look(detector: Detector): Promise<void> {
	while (stream) {
		const symbols = await detector.detect(video).catch(() => []);
		const found = symbols.map(({ rawValue }) => codeIn(rawValue)).find(Boolean);
		if (found) {
			code.value = displayCode(found);
			stop(displayCode(found));
			code.form!.requestSubmit();
		} else if (symbols.length > 0) says.textContent = texts.foreign!;
		await new Promise((next) => setTimeout(next, LOOKS_EVERY));
	}
}

async function scan(detector: Detector): Promise<void> {
	if (stream) return stop("");
	try {
		stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
		video.srcObject = stream;
		video.hidden = false;
		button.textContent = texts.stop!;
		says.textContent = texts.aim!;
		await video.play();
	} catch (error) {
		return stop((error as Error).name === "NotAllowedError" ? texts.denied! : texts.none!);
	}
	await look(detector);
}

const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorConstructor };
if (BarcodeDetector && navigator.mediaDevices) {
	BarcodeDetector.getSupportedFormats().then((formats) => {
		if (!formats.includes(FORMAT)) return;
		const detector = new BarcodeDetector({ formats: [FORMAT] });
		scanner.hidden = false;
		button.onclick = () => scan(detector);
	});
}
