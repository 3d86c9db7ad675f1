import { importJWK, SignJWT } from "jose";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, inject, it } from "vitest";
import { LOCAL_OPERATOR } from "../../src/cli/local-operator.ts";
import { expectNoSidewaysScroll, PHONE, picture, spoken, violations, visit } from "./chromium.ts";

/** Reports an address, without an account. */
async function report(): Promise<void> {
	const answer = await fetch(`${inject("origin")}/v1/public/addresses/${inject("codes").lagos}/reports`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ kind: "no_access", text: "The gate is locked on Sundays." }),
	});
	expect(answer.status).toBe(201);
}

let tokens = 0;

/** Opens operators' pages as `npm run registry -- operator-token` says to. */
async function signIn(options: BrowserContextOptions = {}) {
	tokens += 1;
	const { issuer, audience, email } = LOCAL_OPERATOR;
	const token = await new SignJWT({ email, jti: String(tokens) })
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

/** The agent of serve.ts whom no other file has to do with. */
const PERSON = "+234 803 123 4569";

async function find(page: Page, who: string): Promise<void> {
	await page.goto("/operate");
	await page.getByLabel("Phone number, address code or account id").fill(who);
	await page.getByLabel("Reason").fill("Ticket 4711: lost phone");
	await page.getByRole("button", { name: "Find" }).click();
	await page.waitForURL("**/operate/accounts/usr_*");
}

async function act(page: Page, link: string, button: string): Promise<void> {
	await page.getByRole("link", { name: link, exact: true }).first().click();
	await page.getByLabel("Reason").fill("Ticket 4711");
	await page.getByRole("button", { name: button }).click();
	await page.waitForURL("**/operate/accounts/usr_*");
	expect(await page.getByRole("status").textContent()).toContain("Done:");
}

describe.each([
	["a phone, without scripts", { viewport: PHONE, javaScriptEnabled: false }],
	["a desk", { viewport: { width: 1280, height: 800 } }],
] as const)("on %s", (_, options) => {
	it("an operator finds somebody, suspends and restores them, makes an agent, and reads who did it", async () => {
		await report();
		const { page } = await signIn(options);
		await find(page, PERSON);
		await act(page, "Suspend", "Suspend an account");
		expect(await page.locator("dl").textContent()).toContain("Suspended since");
		await act(page, "Restore", "Restore a suspended account");
		await act(page, "End its role as agent", "Change whether somebody is an agent");
		await act(page, "Make it an agent", "Change whether somebody is an agent");
		const [account] = page.url().split("?");
		await page.getByRole("link", { name: "Reports" }).click();
		await page.getByRole("link", { name: "Decide" }).first().click();
		await page.getByLabel("nothing").check();
		await page.getByLabel("Reason").fill("The gate is there.");
		await page.getByRole("button", { name: "Decide a report" }).click();
		expect(await page.getByRole("status").textContent()).toContain("Done: decide");
		await page.goto(account ?? "");
		await page.getByRole("link", { name: "All acts on this account" }).click();
		await page.waitForURL("**/operate/acts?about=usr_*");
		expect(await page.locator("ul.cards").textContent()).toMatch(/role: agent.*role: user.*restore.*suspend.*find/s);
		expect(await page.locator("ul.cards").textContent()).toContain("by operator@localhost");
	});
});

it.each([360, 1280])("at %i px axe finds nothing, and nothing reaches beyond the sides", async (width) => {
	const { page } = await signIn({ viewport: { width, height: 800 } });
	const look = async (name: string) => {
		expect(await violations(page), name).toEqual([]);
		await expectNoSidewaysScroll(page);
		await picture(page, `operate-${name}-${width}`);
	};
	await look("overview");
	await find(page, spoken(inject("codes").lagos));
	await look("account");
	const account = new URL(page.url()).pathname;
	for (const path of ["allowance", "role?role=agent"]) {
		await page.goto(`${account}/${path}`);
		await look(path.slice(0, 4));
	}
	await page.getByRole("button", { name: "Change whether somebody is an agent" }).click();
	expect(await page.getByRole("alert").textContent()).toContain("reason");
	await look("refused");
	for (const name of ["acts", "agents", "reports?all=1", "pending-phones", "zones/NG"]) {
		await page.goto(`/operate/${name}`);
		await look(/^[a-z]+/.exec(name)![0]);
	}
	await page.goto(`/operate/addresses/${inject("codes").lagos}/read`);
	await page.getByLabel("Reason").fill("Ticket 4711: the report");
	await page.getByRole("button", { name: "Read an address" }).click();
	await page.getByText("Plus code").waitFor();
	await look("read");
	await page.context().clearCookies();
	await page.goto("/operate");
	expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Sign in as an operator");
	await look("stranger");
});
