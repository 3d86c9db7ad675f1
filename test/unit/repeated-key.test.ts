import { describe, expect, it } from "vitest";
import { repeatedKey } from "../../src/http/repeated-key.ts";

describe("a key that a JSON text names twice", () => {
	it.each([
		['{"lat":1,"lat":1}', "lat"],
		['{"lat": 1, "l\\u0061t": 2}', "lat"],
		['{"a":{"b":[0,{"c":1},{"c":1,"d":[],"c":2}]}}', "a.b.2.c"],
		['[[{}],[{"x":{},"y":1,"x":{}}]]', "1.0.x"],
		['{"":1,"":2}', ""],
		['{"\\"":1,"a":"\\\\","\\"":2}', '"'],
		['{"__proto__":1,"__proto__":2}', "__proto__"],
		['{"label":"\u2028","label":"x"}', "label"],
		['{"a":"{\\"b\\":1,","a":2}', "a"],
	])("of %s is %s", (text, path) => {
		JSON.parse(text);
		expect(repeatedKey(text)).toBe(path);
	});

	it.each([
		"1",
		'"lat"',
		"[]",
		'["a","a","a:a"]',
		'{"a":{"a":{"a":[{"a":1},{"a":1}]}}}',
		'{"a":"b","b":"a","c":",\\"a\\":1"}',
		'{"lat":1,"Lat":2," lat":3}',
		'{"a":"\\\\","b":"\\"a\\":"}',
	])("is none in %s", (text) => {
		JSON.parse(text);
		expect(repeatedKey(text)).toBeUndefined();
	});

	it("is found in a time that grows as the text does, however it is made", () => {
		const made = (size: number) => [
			`{${Array.from({ length: size / 8 }, (_, index) => `"${index}":1`).join()}}`,
			"[".repeat(size / 2) + "]".repeat(size / 2),
			'{"a":'.repeat(size / 6) + 1 + "}".repeat(size / 6),
			`"${"\\\\".repeat(size / 2)}"`,
			`"${" ".repeat(size)}"`,
			`[${'"\\"",'.repeat(size / 5)}1]`,
		];
		for (const text of made(256 * 1024)) {
			const start = performance.now();
			expect(repeatedKey(text)).toBeUndefined();
			expect(performance.now() - start).toBeLessThan(2000);
		}
	});
});
