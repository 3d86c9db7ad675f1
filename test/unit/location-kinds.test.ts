/** Every way to write a place that the vectors have one sample of: orders, marks, hosts and scripts, each with points in all quarters of the world. */
import { describe, expect, it } from "vitest";
import { INVISIBLE } from "../../src/codes/invisible.ts";
import { readPastedLocation } from "../../src/points/pasted-location.ts";

/** Points whose order is not told by their size, in all four quarters. */
const POINTS = [
	[0.3476, 32.5825],
	[-1.2921, 36.8219],
	[5.6037, -0.187],
	[-23.5505, -46.6333],
	[41.0138, 28.9496],
	[-6.1754, 106.8272],
] as const;

type Write = (lat: number, lng: number) => string;

/** What a text says, in one word: the point as it was written, or why there is none. */
function told(text: string): string {
	const place = readPastedLocation(text);
	return place.kind === "point" ? `${place.point.lat} ${place.point.lng}` : `${place.kind} ${text}`;
}

/** Expects each text of some to say the point that it was made of. */
function expectAll(writers: Iterable<Write>): void {
	const wrong: string[] = [];
	let count = 0;
	for (const write of writers) {
		for (const [lat, lng] of POINTS) {
			const text = write(lat, lng);
			count += 1;
			if (told(text) !== `${lat} ${lng}`) wrong.push(`${text} => ${told(text)}`);
		}
	}
	expect(count).toBeGreaterThan(POINTS.length);
	expect(wrong).toEqual([]);
}

const encode = encodeURIComponent;

const HEMISPHERES = {
	en: ["N", "S", "E", "W"],
	words: ["north", "south", "east", "west"],
	fr: ["nord", "sud", "est", "ouest"],
	frLetters: ["N", "S", "E", "O"],
	pt: ["norte", "sul", "leste", "oeste"],
	ptLetters: ["N", "S", "L", "O"],
	ar: ["شمال", "جنوب", "شرق", "غرب"],
	arDefinite: ["شمالا", "جنوبا", "شرقا", "غربا"],
	sw: ["kaskazini", "kusini", "mashariki", "magharibi"],
	ha: ["arewa", "kudu", "gabas", "yamma"],
};

const AXES = [
	["lat", "lon"],
	["lat", "lng"],
	["lat", "long"],
	["Lat.", "Long."],
	["latitude", "longitude"],
	["Latitude", "Longitude"],
	["العرض", "الطول"],
];

/** Hosts that write the longitude first, and those that write it second in the same parameter. */
const LONGITUDE_FIRST_HOSTS = [
	"yandex.com",
	"yandex.ru",
	"yandex.com.tr",
	"yandex.kz",
	"maps.yandex.ru",
	"www.yandex.by",
];

/** A way to write each of a number of degrees, with signs of degrees, minutes and seconds. */
function withMarks(degrees: number, [d, m, s]: readonly [string, string, string]): string {
	const units = Math.round(Math.abs(degrees) * 36_000);
	return `${Math.floor(units / 36_000)}${d}${Math.floor(units / 600) % 60}${m}${(units % 600) / 10}${s}`;
}

describe("a place is read as it says", () => {
	it("where a format writes the longitude first", () => {
		expectAll(
			["POINT", "Point", "point", "SRID=4326;POINT"].flatMap((point) =>
				["", " "].flatMap((space): Write[] => [
					(lat, lng) => `${point}${space}(${lng} ${lat})`,
					(lat, lng) => `${point} Z${space}(${lng} ${lat} 1155)`,
					(lat, lng) => `${point} ZM${space}( ${lng}  ${lat} 1155 0 )`,
					(lat, lng) => `Gate: ${point}${space}(${lng} ${lat}), blue`,
					(lat, lng) => `{"type":"Point","coordinates":[${lng},${space}${lat}]}`,
					(lat, lng) => JSON.stringify({ geometry: { coordinates: [lng, lat, 12.5], type: "Point" } }, null, 2),
					(lat, lng) => `<coordinates>${space}${lng},${lat},0${space}</coordinates>`,
				]),
			),
		);
	});

	it("where the text names the axes, before, behind or beside the numbers, in either order", () => {
		const writers = AXES.flatMap(([y, x]): Write[] => [
			(lat, lng) => `${y} ${lat}, ${x} ${lng}`,
			(lat, lng) => `${x} ${lng}, ${y} ${lat}`,
			(lat, lng) => `${x}: ${lng}\n${y}: ${lat}`,
			(lat, lng) => `${y}=${lat}&${x}=${lng}`,
			(lat, lng) => `{"${x}":${lng},"${y}":${lat},"accuracy":5}`,
			(lat, lng) => `{"accuracy":5,"${y}":${lat},"${x}":${lng}}`,
			(lat, lng) => `The gate is at ${lng}, ${lat} (${x}, ${y})`,
			(lat, lng) => `${x}/${y}: ${lng}, ${lat}`,
			(lat, lng) => `Position (${y}, ${x}): ${lat}, ${lng}`,
			(lat, lng) => `Gate ${x} ${lng} and ${y} ${lat}, call 08031234567`,
		]);
		expectAll(writers);
	});

	it("where the text names hemispheres, in six languages and either order", () => {
		const writers = Object.values(HEMISPHERES).flatMap(([n, s, e, w]): Write[] => {
			const parts = (lat: number, lng: number) =>
				[
					[Math.abs(lat), lat < 0 ? s : n],
					[Math.abs(lng), lng < 0 ? w : e],
				] as const;
			type Part = ReturnType<typeof parts>[number];
			const each = (write: (one: Part, other: Part) => string): Write[] => [
				(lat, lng) => write(...parts(lat, lng)),
				(lat, lng) => write(parts(lat, lng)[1], parts(lat, lng)[0]),
			];
			return [
				...each(([a, x], [b, y]) => `${a} ${x}, ${b} ${y}`),
				...each(([a, x], [b, y]) => `${x} ${a} ${y} ${b}`),
				...each(([a, x], [b, y]) => `${a}° ${x} ${b}° ${y}`),
				...each(([a, x], [b, y]) => `GPS ${a.toFixed(5)}, ${b.toFixed(5)} (${x}, ${y})`),
				...each(([a, x], [b, y]) => `My house is at ${a} ${x}, ${b} ${y}; blue gate`),
			];
		});
		expectAll(writers);
	});

	it("with any marks of degrees, minutes and seconds", () => {
		const marks = [
			...["'", "’", "‘", "′", "´", "`", "ʹ", "ʼ"].map((m) => ["°", m, '"'] as const),
			...['"', "”", "“", "″", "''", "´´", "’’", "′′", "¨", "ˮ"].map((s) => ["°", "'", s] as const),
			...["°", "º", "˚", "^", "d", " deg ", " degrees ", " degrés ", " graus "].map((d) => [d, "' ", '" '] as const),
			...[" min ", " minutes ", " minutos "].map((m) => [" deg ", m, " sec "] as const),
			...[" seconds ", " secondes ", " segundos "].map((s) => ["° ", "' ", s] as const),
		];
		const wrong: string[] = [];
		for (const mark of marks) {
			for (const [lat, lng] of POINTS) {
				for (const text of [
					`${withMarks(lat, mark)}${lat < 0 ? "S" : "N"} ${withMarks(lng, mark)}${lng < 0 ? "W" : "E"}`,
					`At ${withMarks(lat, mark)} ${lat < 0 ? "S" : "N"}, ${withMarks(lng, mark)} ${lng < 0 ? "W" : "E"}, red door`,
				]) {
					const place = readPastedLocation(text);
					const isRight =
						place.kind === "point" &&
						Math.abs(place.point.lat - lat) < 0.00002 &&
						Math.abs(place.point.lng - lng) < 0.00002;
					if (!isRight) wrong.push(`${text} => ${told(text)}`);
				}
			}
		}
		expect(wrong).toEqual([]);
	});

	it("in the digits of every script", () => {
		const zeros = Array.from({ length: 0x1_1000 }, (_, code) => String.fromCodePoint(code)).filter(
			(character, code) => /\p{Nd}/u.test(character) && !/\p{Nd}/u.test(String.fromCodePoint(Math.max(0, code - 1))),
		);
		expect(zeros.length).toBeGreaterThan(30);
		const inScript = (zero: string, number: number) =>
			String(number).replace(/\d/g, (digit) => String.fromCodePoint(zero.codePointAt(0)! + Number(digit)));
		expectAll(
			zeros.map(
				(zero): Write =>
					(lat, lng) =>
						`${inScript(zero, lat)}, ${inScript(zero, lng)}`,
			),
		);
		expectAll(
			zeros.map(
				(zero): Write =>
					(lat, lng) =>
						`Gate ${inScript(zero, lat)} ${inScript(zero, lng)} blue`,
			),
		);
	});

	it("with any character that nobody sees between any two others", () => {
		const unseen = Array.from({ length: 0xe_1000 }, (_, code) => code)
			.filter(
				(code) =>
					(code < 0xd800 || code > 0xdfff) && new RegExp(`[${INVISIBLE}]`, "u").test(String.fromCodePoint(code)),
			)
			.filter((code) => code < 0xe_0000 || code % 97 === 0)
			.map((code) => String.fromCodePoint(code));
		expect(unseen.length).toBeGreaterThan(100);
		expectAll(
			unseen.flatMap((mark): Write[] => [
				// Some documents write a minus sign as a soft hyphen, so before a number it is asked about.
				(lat, lng) => `${mark === "\u00ad" ? "" : mark}${lat},${mark} ${lng}${mark}`,
				(lat, lng) => `${lat}${/\s/.test(mark) ? "" : mark},${lng}`,
			]),
		);
	});
});

describe("a link is read as its service writes it", () => {
	it("with the longitude first, or the place of a pin before the view", () => {
		expectAll(
			LONGITUDE_FIRST_HOSTS.flatMap((host): Write[] => [
				(lat, lng) => `https://${host}/maps/?ll=${lng}%2C${lat}&z=17`,
				(lat, lng) => `https://${host}/maps/?ll=2.5%2C1.5&pt=${lng},${lat}`,
				(lat, lng) => `https://${host}/maps/10/town/?ll=2.5%2C1.5&whatshere%5Bpoint%5D=${lng}%2C${lat}`,
				(lat, lng) => `https://${host}/maps/?ll=2.5%2C1.5&rtext=3.5%2C4.5~${lat}%2C${lng}`,
			]),
		);
	});

	/** Links that hold one point. */
	const LINKS: Write[] = [
		(lat, lng) => `https://www.google.com/maps?q=${lat},${lng}`,
		(lat, lng) => `https://www.google.co.ke/maps/@1.5,2.5,15z/data=!3m1!4b1!4m6!8m2!3d${lat}!4d${lng}`,
		(lat, lng) => `https://www.google.com/maps/search/?api=1&query=${lat}%2C${lng}`,
		(lat, lng) => `https://www.google.com/maps/dir/?api=1&origin=1.5,2.5&destination=${lat},${lng}`,
		(lat, lng) => `https://www.google.com/maps/dir/1.5,2.5/${lat},${lng}/@1.6,2.6,12z`,
		(lat, lng) => `https://www.google.com/maps/dir/1.5,2.5/3.5,4.5/${lat},${lng}`,
		(lat, lng) =>
			`https://www.google.com/maps/dir/A/B/@1.6,2.6,12z/data=!4m9!4m8!1m0!1m5!1m1!1s0x0:0x0!2m2!1d${lng}!2d${lat}!3e0`,
		(lat, lng) => `https://maps.google.com/maps?saddr=1.5,2.5&daddr=3.5,4.5+to:${lat},${lng}`,
		(lat, lng) => `https://maps.google.com/maps?q=loc:${lat}+${lng}`,
		(lat, lng) => `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=15/1.5/2.5`,
		(lat, lng) => `https://www.openstreetmap.org/#map=15/${lat}/${lng}`,
		(lat, lng) => `https://www.openstreetmap.org/search?lat=${lat}&lon=${lng}#map=15/1.5/2.5`,
		(lat, lng) => `https://www.openstreetmap.org/directions?route=1.5%2C2.5%3B${lat}%2C${lng}#map=9/1.5/2.5`,
		(lat, lng) => `https://maps.apple.com/?ll=${lat},${lng}&q=Gate`,
		(lat, lng) => `https://maps.apple.com/place?coordinate=${lat},${lng}&name=Gate`,
		(lat, lng) => `https://waze.com/ul?ll=${lat}%2C${lng}&navigate=yes`,
		(lat, lng) => `https://www.waze.com/live-map/directions?to=ll.${lat}%2C${lng}`,
		(lat, lng) => `https://www.bing.com/maps?cp=${lat}~${lng}&lvl=17`,
		(lat, lng) => `https://wego.here.com/?map=${lat},${lng},17,normal`,
		(lat, lng) => `https://mapy.com/en/zakladni?x=${lng}&y=${lat}&z=17`,
		(lat, lng) => `https://www.bing.com/maps/directions?rtp=pos.1.5_2.5~pos.${lat}_${lng}_Gate`,
		(lat, lng) => `https://share.here.com/l/${lat},${lng},Blue%20gate?z=16`,
		(lat, lng) => `https://share.here.com/r/1.5,2.5/${lat},${lng}?m=d`,
		(lat, lng) => `https://2gis.com/geo/70001/${lng},${lat}?m=1.5%2C2.5%2F16`,
		(lat, lng) => `https://osmand.net/map/?pin=${lat}%2C${lng}#17/1.5/2.5`,
		(lat, lng) => `om://map?v=1&ll=${lat},${lng}&n=Gate`,
		(lat, lng) => `yandexmaps://maps.yandex.ru/?ll=${lng},${lat}&z=17`,
		(lat, lng) => `comgooglemaps://?q=${lat},${lng}&zoom=14`,
		(lat, lng) => `https://maps.example/#17/${lat}/${lng}`,
		(lat, lng) => `https://maps.example/?latitude=${lat}&longitude=${lng}`,
		(lat, lng) => `https://addr.example/x?lng=${lng}&lat=${lat}`,
	];

	it("whatever stands around it, and in whatever it is wrapped", () => {
		const closings = ["", ".", ",", ";", ":", "!", "?", ")", "]", "…", "،", "؟", "。", '"', "*", "_", ")."];
		expectAll(
			LINKS.flatMap((link) =>
				closings.map(
					(mark): Write =>
						(lat, lng) =>
							`Here: ${link(lat, lng)}${mark} See you`,
				),
			),
		);
		const wrappers = [
			(link: string) => `https://l.facebook.com/l.php?u=${encode(link)}&h=x`,
			(link: string) => `https://lm.facebook.com/l.php?h=x&u=${encode(link)}`,
			(link: string) => `https://www.google.com/url?q=${encode(link)}&sa=D`,
			(link: string) => `https://wa.me/?text=${encode(`Here: ${link}, blue gate`)}`,
			(link: string) => `https://t.me/share/url?url=${encode(link)}`,
			(link: string) => `https://l.facebook.com/l.php?u=${encode(`https://www.google.com/url?q=${encode(link)}`)}`,
		];
		expectAll(
			LINKS.flatMap((link) =>
				wrappers.map(
					(wrap): Write =>
						(lat, lng) =>
							wrap(link(lat, lng)),
				),
			),
		);
	});

	it("only where it can be: beside one that cannot, the text is", () => {
		const unreadable = [
			"https://maps.app.goo.gl/abc123",
			"https://example.com/shop",
			"https://comaps.at/ItdwBge/Gate",
			"https://w3w.co/a.b.c",
		];
		const texts: Write[] = [
			(lat, lng) => `${lat}00, ${lng}00`,
			(lat, lng) => `Position ${lat}00, ${lng}00`,
			(lat, lng) => `geo:${lat},${lng}`,
			(lat, lng) => `geo:0,0?q=${lat}, ${lng}`,
			(lat, lng) => `{"lng":${lng},"lat":${lat}}`,
			(lat, lng) => `https://maps.google.com/?q=${lat},${lng}`,
		];
		const both = unreadable.flatMap((link) =>
			texts.flatMap((text): Write[] => [
				(lat, lng) => `${link}\n${text(lat, lng)}`,
				(lat, lng) => `${text(lat, lng)} ${link}`,
			]),
		);
		expectAll(both);
	});
});

describe("a place on another continent", () => {
	it("is never read out of a text that names hemispheres or axes which belong to no number", () => {
		for (const [lat, lng] of POINTS) {
			for (const stray of ["south", "(S)", "(lon)", "W and E", "lat", "north of it, east of it", "sud", "kusini"]) {
				for (const text of [
					`${Math.abs(lat)}01, ${Math.abs(lng)}01 ${stray}`,
					`${stray}: ${Math.abs(lat)}01 ${Math.abs(lng)}01`,
				]) {
					const place = readPastedLocation(text);
					if (place.kind === "point") expect([text, place.point.lat]).toEqual([text, expect.closeTo(lat, 2)]);
				}
			}
		}
		expect(readPastedLocation("GPS 1.29210, 36.82190 (south of the town)").kind).toBe("refused");
	});

	it("is never read out of a dash that may be a minus, nor out of a part of degrees alone", () => {
		for (const dash of ["-", "–", "—", "−"]) {
			for (const before of ["", "(", "Gate: ", "lat: "]) {
				expect(readPastedLocation(`${before}${dash} 1.2921, 36.8219`).kind).toBe("refused");
			}
		}
		for (const [d, m, s] of [
			["digrii", "dakika", "sekunde"],
			["digiri", "minti", "daƙiƙa"],
		]) {
			expect(told(`${d} 1 ${m} 17 ${s} 31.56 S, ${d} 36 ${m} 49 ${s} 18.84 E`)).toBe("-1.2921 36.8219");
			expect(told(`1 ${d} 17 ${m} 31.56 ${s} S, 36 ${d} 49 ${m} 18.84 ${s} E`)).toBe("-1.2921 36.8219");
		}
	});
});

/** Pieces of texts around numbers. Random numbers with a seed (mulberry32), so that a failure can be repeated. */
const PIECES = {
	names: [
		"",
		"",
		"Our house: ",
		"Blue gate - ",
		"Nyumba yetu, ",
		"GPS ",
		"Plot 5, ",
		"باب أزرق: ",
		"(",
		"@",
		"📍",
		"à moins ",
		"lat ",
	],
	minus: ["-", "−", "–", "➖", "&minus;", "&#8722;", "minus ", "moins ", "menos ", "negative ", "ناقص ", "负"],
	unknown: ["~", "¬", "≈", "_", "─", "-(", "m", "$", "¯", "\u00ad", "&foo;", "minus: ", "--", "7.", "1 .", "²"],
	separators: [", ", ",", " ", "; ", " / ", " - ", " minus ", " then ", " ~", " 5, ", "²,", "-, ", "°, ", ", lng "],
	behind: ["", "", "", ", blue gate", " 12 m", ")", "-", "m", " 7.1", ".5", "²", " SE", " S", "%", "-5"],
};

function randomOf(seed: number): <Item>(items: readonly Item[]) => Item {
	let state = seed;
	return (items) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return items[((mixed ^ (mixed >>> 14)) >>> 0) % items.length]!;
	};
}

describe("nothing that could change a number is dropped", () => {
	it("in random compositions: what is read has every digit and sign that was written, or the text is refused", () => {
		const random = randomOf(52);
		const wrong: string[] = [];
		const read = { points: 0, negative: 0 };
		for (let round = 0; round < 20_000; round += 1) {
			const signs = [0, 1].map(() => random(["", "", "minus", "unknown"] as const));
			const [lat, lng] = [random(["1.2921", "6.5244", "0.3476"]), random(["36.8219", "3.3792", "32.5825"])];
			const sign = (of: (typeof signs)[number]) => (of ? random(PIECES[of]) : "");
			const [name, separator, behind] = [random(PIECES.names), random(PIECES.separators), random(PIECES.behind)];
			const text = name + sign(signs[0]!) + lat + separator + sign(signs[1]!) + lng + behind;
			const place = readPastedLocation(text);
			if (place.kind !== "point") continue;
			read.points += 1;
			const expected = [lat, lng].map((number, index) => (signs[index] === "minus" ? -Number(number) : Number(number)));
			if (expected.some((number) => number < 0)) read.negative += 1;
			const isUnknown =
				signs.includes("unknown") ||
				name === "à moins " ||
				/[~²]|then|\d-|minus $/.test(separator) ||
				separator === " 5, ";
			if (isUnknown || place.point.lat !== expected[0] || place.point.lng !== expected[1]) {
				wrong.push(`${JSON.stringify(text)} => ${told(text)}`);
			}
		}
		expect(wrong).toEqual([]);
		// So many are read that refusing everything would be noticed.
		expect(read.points).toBeGreaterThan(1_500);
		expect(read.negative).toBeGreaterThan(600);
	});
});
