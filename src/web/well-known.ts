import { AppError } from "../errors.ts";
import { webUrl } from "../http/app-env.ts";
import { newRoutes } from "../http/routes.ts";
import { DAY } from "../time.ts";

/** How long a security.txt is good for, in milliseconds: less than a year, as RFC 9116 section 2.5.5 recommends. */
const SECURITY_TEXT_MILLISECONDS = 180 * DAY;

/** Search engines read what is written for people who look for the service, and not whose home is where. */
const ROBOTS = "User-agent: *\nDisallow: /a/\nDisallow: /v1/\nDisallow: /my\n";

/** What crawlers and people who found a weakness look for at a fixed path. Mounted at /. */
export const wellKnownRoutes = newRoutes()
	.get("/robots.txt", (c) => c.text(ROBOTS, 200, { "Cache-Control": "public, max-age=86400" }))
	.get("/.well-known/security.txt", (c) => {
		const { securityContact } = c.var.config;
		if (!securityContact)
			throw new AppError("NOT_FOUND", "This registry has not named a contact for security reports.");
		const expires = new Date(Date.now() + SECURITY_TEXT_MILLISECONDS).toISOString();
		const lines = [
			`Contact: ${securityContact}`,
			`Expires: ${expires}`,
			"Preferred-Languages: en",
			`Canonical: ${webUrl(c)}/.well-known/security.txt`,
		];
		return c.text(`${lines.join("\n")}\n`, 200, { "Cache-Control": "no-store" });
	});
