/** The password of the users that tests register. */
export const PASSWORD = "seven blue goats";

/** What no log line and no error may hold. */
const secrets: [kind: string, pattern: RegExp][] = [
	["password", new RegExp(PASSWORD)],
	["JWT", /\beyJ[\w-]{8,}\.[\w-]+/],
	["refresh token", /(?<!\w)[0-9A-Za-z]{43}(?!\w)/],
	["API key", /\b[a-z][a-z0-9]+_(test|live)_[0-9A-Za-z]{20,}/],
	["hash", /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/],
	["password hash", /\$scrypt\$/],
	["signing secret", /0123456789abcdef/],
	["gateway secret", /gateway-secret/],
	["one-time code", /\b\d{8} is your code/],
	["full phone number", /\+[1-9]\d{7,14}\b/],
	["bound values", /params: /],
];

export const kindsOfSecret = secrets.map(([kind]) => kind);

/** The kinds of secret that a text holds. */
export function secretsIn(text: string): string[] {
	return secrets.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
}

/** Every log line and error body of this test file, with where it came from. */
export const watched: { where: string; text: string }[] = [];

/** Keeps a log line or an error body, to be looked through when the file's tests are over. */
export function watch(where: string, text: string): void {
	watched.push({ where, text });
}

for (const level of ["debug", "info", "log", "warn", "error"] as const) {
	const write = console[level];
	console[level] = (...values: unknown[]) => {
		watch(`console.${level}`, values.map(String).join(" "));
		write.apply(console, values);
	};
}
