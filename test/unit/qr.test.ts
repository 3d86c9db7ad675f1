import { describe, expect, it } from "vitest";
import { QUIET_ZONE_MODULES, qrSvg, qrSymbol } from "../../src/print/qr.ts";
import { readQr } from "../support/read-qr.ts";

describe("the QR image", () => {
	it.each([
		"https://addr.example/a/NG042158212",
		"http://127.0.0.1:8787/a/FJ000000010",
		"https://a-rather-long-name-of-a-municipal-registry.gov.example/a/RW025199994",
	])("of %s reads back to the letter, not mirrored", async (url) => {
		const read = await readQr(qrSvg(url, "NG-0421-58212"));
		expect(read).toEqual({ jsqr: url, zxing: [url], mirrored: false, level: "Q" });
	});

	const svg = qrSvg("https://addr.example/a/NG042158212", 'NG-0421-58212 <"&>');

	it("is one path in millimetres under 12 KB, with a title and no style", () => {
		expect(svg.length).toBeLessThan(12 * 1024);
		expect(svg.match(/<path /g)).toHaveLength(1);
		expect(svg).toMatch(/^<svg [^>]*width="40mm" height="40mm"/);
		expect(svg).toContain("<title>NG-0421-58212 &#60;&#34;&#38;&#62;</title>");
		expect(svg).not.toMatch(/style|class=/);
	});

	it("keeps four light modules around the symbol", () => {
		const { path, size } = qrSymbol("https://addr.example/a/NG042158212");
		const rectangle = /m(-?\d+) (\d+)h(\d+)v1h-\d+z/g;
		expect(path.replace(rectangle, "")).toBe("");
		let [left, top] = [0, 0];
		for (const [, right, down, width] of path.matchAll(rectangle)) {
			[left, top] = [left + Number(right), top + Number(down)];
			expect(left).toBeGreaterThanOrEqual(QUIET_ZONE_MODULES);
			expect(top).toBeGreaterThanOrEqual(QUIET_ZONE_MODULES);
			expect(left + Number(width)).toBeLessThanOrEqual(size - QUIET_ZONE_MODULES);
			expect(top + 1).toBeLessThanOrEqual(size - QUIET_ZONE_MODULES);
		}
	});

	it("refuses text that the encoder would mangle", () => {
		expect(() => qrSymbol("https://addr.example/a/é")).toThrow(RangeError);
	});
});
