import { importJWK, SignJWT } from "jose";
import type { BrowserContextOptions } from "playwright-core";
import { expect, inject, it } from "vitest";
import { LOCAL_OPERATOR } from "../../src/cli/local-operator.ts";
import { expectNoSidewaysScroll, picture, spoken, violations, visit } from "./chromium.ts";

let tokens = 0;

/** Opens operators' pages as `npm run registry -- operator-token` says to. */
async function signIn(options: BrowserContextOptions = {}) {
	tokens += 1;
	const { issuer, audience, email } = LOCAL_OPERATOR;
	const token = await new SignJWT({ email, email_verified: true, jti: String(tokens) })
		.setProtectedHeader({ alg: "ES256", kid: "local" })
		.setIssuer(issuer)
		.setAudience(audience)
		.setSubject(email)
		.setIssuedAt()
		.setExpirationTime("1h")
		.sign(await importJWK(inject("operatorKey"), "ES256"));
	const visited = await visit(`/operate?token=${token}`, options);
	expect(new URL(visited.page.url()).search).toBe("");
	return visited;
}

it.each([360, 1280])("at %i px axe finds nothing, and nothing reaches beyond the sides", async (width) => {
	const { lagos } = inject("codes");
	const report = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{ "kind": "no_access" }' };
	expect((await fetch(`${inject("origin")}/v1/public/addresses/${lagos}/reports`, report)).status).toBe(201);
	const { page } = await signIn({ viewport: { width, height: 800 } });
	const look = async (name: string) => {
		expect(await violations(page), name).toEqual([]);
		await expectNoSidewaysScroll(page);
		await picture(page, `operate-${name}-${width}`);
	};
	await look("overview");
	await page.getByLabel("Phone number, address code or account id").fill(spoken(lagos));
	await page.getByLabel("Reason").fill("Ticket 4711: lost phone");
	await page.getByRole("button", { name: "Find" }).click();
	await page.waitForURL("**/operate/accounts/usr_*");
	await look("account");
	const account = new URL(page.url()).pathname;
	for (const path of ["allowance", "role?role=agent"]) {
		await page.goto(`${account}/${path}`);
		await look(path.slice(0, 4));
	}
	await page.getByRole("button", { name: "Make this account an agent" }).click();
	expect(await page.getByRole("alert").textContent()).toContain("reason");
	await look("refused");
	for (const name of ["acts", "agents", "reports?all=1", "pending-phones", "zones/NG"]) {
		await page.goto(`/operate/${name}`);
		await look(/^[a-z]+/.exec(name)![0]);
	}
	await page.goto(`/operate/addresses/${lagos}/read`);
	await page.getByLabel("Reason").fill("Ticket 4711: the report");
	await page.getByRole("button", { name: "Read this address" }).click();
	await page.getByText("Plus code").waitFor();
	await look("read");
	await page.context().clearCookies();
	await page.goto("/operate");
	expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Sign in as an operator");
	await look("stranger");
});
