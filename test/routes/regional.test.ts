import { describe, expect, it } from "vitest";
import { readMessages } from "../../src/languages/read-messages.ts";
import { dateText, durationText, lengthText, timeText } from "../../src/web/measures.ts";
import { countryName } from "../../src/zones/naming.ts";
import { timeZoneOf } from "../../src/zones/time-zones.ts";
import { testRegistry } from "../support/registry.ts";

const TIME = Date.UTC(2026, 10, 21, 23, 5);

describe("dates, measures and countries", () => {
	it("are Hausa where a page speaks Hausa, though the runtime does not", async () => {
		expect(new Intl.DisplayNames(["ha"], { type: "region" }).of("DE"), "needs no file any more").toBe("Germany");
		await readMessages(testRegistry().bindings, "ha");
		expect(dateText(TIME, "ha", "Africa/Lagos")).toBe("22 Nuw, 2026");
		expect(dateText(TIME, "ha", "UTC", "long")).toBe("21 Nuwamba, 2026");
		expect([durationText(7, "day", "ha"), durationText(1, "day", "ha")]).toEqual(["ranaku 7", "rana 1"]);
		expect([lengthText(140, "ha"), lengthText(1440, "ha")]).toEqual(["m 140", "km 1.4"]);
		expect([countryName("DE", "ha"), countryName("DE")]).toEqual(["Jamus", "Germany"]);
	});

	it("are of one Portuguese, that of the texts", () => {
		expect(countryName("CI", "pt")).toBe("Côte d’Ivoire (Costa do Marfim)");
		expect(dateText(TIME, "pt")).toBe("21/11/2026");
	});

	it("are at the time of the place, which they name", () => {
		expect(timeText(TIME, "en", timeZoneOf("NG"))).toBe("22 Nov 2026, 00:05 UTC+1");
		expect(timeText(TIME, "en")).toBe("21 Nov 2026, 23:05 UTC");
		expect(timeText(TIME, "ar")).toMatch(/2026، 23:05 UTC$/);
	});

	it.each([
		["NG", 3.4, "Africa/Lagos"],
		["CD", 15.3, "Africa/Kinshasa"],
		["CD", 27.5, "Africa/Lubumbashi"],
		["ES", -3.7, "Europe/Madrid"],
		["ES", -16.3, "Atlantic/Canary"],
		["PT", -9.1, "Europe/Lisbon"],
		["US", -74, "America/New_York"],
		["US", -118.2, "America/Los_Angeles"],
		["CN", 87.6, "Asia/Shanghai"],
		["ZZ", 0, "UTC"],
	])("in %s at %d are those of %s", (country, lng, zone) => {
		expect(timeZoneOf(country, lng)).toBe(zone);
	});

	it("name no zone that the runtime does not know", () => {
		for (let lng = -180; lng <= 180; lng += 1) {
			for (const country of ["US", "CA", "RU", "BR", "AU", "MX", "ID", "KZ", "MN", "KI", "FM"]) {
				expect(() => new Intl.DateTimeFormat("en", { timeZone: timeZoneOf(country, lng) })).not.toThrow();
			}
		}
	});
});
