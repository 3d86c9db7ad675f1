import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { AppEnv } from "../http/app-env.ts";

/** The cookies of the console and of the operators' pages. Nothing else reads or sets cookies. */
type CookieName = "session" | "draft" | "form" | "lang" | "operator";

/**
 * The full name of a cookie. `__Host-` binds it to this host, HTTPS and the path `/` (RFC 6265bis section 4.1.3.2). Safari refuses such
 * cookies over plain HTTP, as in development, so they have no prefix there.
 */
function named(c: Context<AppEnv>, name: CookieName): { name: string; secure: boolean } {
	const secure = new URL(c.req.url).protocol === "https:";
	return { name: secure ? `__Host-${name}` : name, secure };
}

/** The value of a cookie of the console, or undefined. */
export function readCookie(c: Context<AppEnv>, name: CookieName): string | undefined {
	return getCookie(c, named(c, name).name);
}

/**
 * Sets a cookie of the console.
 * @param maxAge Seconds. Without it the cookie ends with the browser's own session.
 */
export function writeCookie(
	c: Context<AppEnv>,
	name: CookieName,
	value: string,
	maxAge?: number,
	sameSite: "Lax" | "Strict" = "Lax",
): void {
	const { name: fullName, secure } = named(c, name);
	setCookie(c, fullName, value, {
		path: "/",
		httpOnly: true,
		sameSite,
		secure,
		...(maxAge === undefined ? {} : { maxAge }),
	});
}

export function clearCookie(c: Context<AppEnv>, name: CookieName): void {
	const { name: fullName, secure } = named(c, name);
	deleteCookie(c, fullName, { path: "/", secure });
}
