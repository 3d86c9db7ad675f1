/** Browsers by tokens of the User-Agent. Those that also claim to be another browser come first. */
const BROWSERS: [token: RegExp, name: string][] = [
	[/Opera Mini/, "Opera Mini"],
	[/OPR\/|Opera/, "Opera"],
	[/Edg\w*\//, "Edge"],
	[/SamsungBrowser\//, "Samsung Internet"],
	[/UCBrowser\//, "UC Browser"],
	[/Firefox\/|FxiOS\//, "Firefox"],
	[/Chrome\/|CriOS\//, "Chrome"],
	[/Safari\//, "Safari"],
];

const SYSTEMS: [token: RegExp, name: string][] = [
	[/KAIOS/i, "KaiOS"],
	[/Android/, "Android"],
	[/iPhone|iPad/, "iOS"],
	[/Windows/, "Windows"],
	[/CrOS/, "ChromeOS"],
	[/Mac OS X/, "macOS"],
	[/Linux/, "Linux"],
];

function nameOf(table: [RegExp, string][], userAgent: string): string | undefined {
	return table.find(([token]) => token.test(userAgent))?.[1];
}

/** A device in words that its owner knows, such as `Chrome on Android`, or empty if the User-Agent tells nothing. No version is stored. */
export function deviceName(userAgent: string | undefined): string {
	const text = (userAgent ?? "").slice(0, 500);
	return [nameOf(BROWSERS, text), nameOf(SYSTEMS, text)].filter(Boolean).join(" on ");
}
