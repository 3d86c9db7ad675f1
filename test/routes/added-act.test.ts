import { expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod/mini";

it("an act that is added to the list has an endpoint, its documentation, a form and a link to it, and is recorded", async () => {
	// The Worker is loaded anew, with one act more.
	vi.resetModules();
	const { acts } = await import("../../src/acts/acts.ts");
	const { act, reason } = await import("../../src/acts/act.ts");
	const { account, provingAccount } = await import("../../src/acts/account-acts.ts");
	const { sent } = await import("../../src/schemas/common.ts");
	const praise = sent("Praise", () => ({
		how_often: z.nullable(z.int()),
		tone: z.enum(["loud", "low"]),
		reason: reason(),
	}));
	const added = act({
		name: "praise",
		on: account,
		id: "praiseAccount",
		summary: "Praise an account",
		description: "It is praised.",
		button: (filled) => `Praise this account ${filled.get("how_often")} times`,
		done: "Account praised.",
		body: praise,
		offer: ({ user }) => (user.suspendedAt === null ? { how_often: "3" } : undefined),
		plan: (_, { userId }, { tone, how_often }) => ({
			detail: `${tone} ${how_often}`,
			statements: provingAccount(userId),
		}),
	});
	acts.push(added);
	onTestFinished(() => {
		acts.pop();
		// The schemas of all files of a process are documented from one registry.
		z.globalRegistry.remove(praise());
		vi.resetModules();
	});
	const { json } = await import("../support/client.ts");
	const { acted, operate, OperatorVisitor } = await import("../support/operators.ts");
	const { signUp } = await import("../support/people.ts");
	const { apiDocument } = await import("../../src/docs/openapi.ts");

	const operation = (apiDocument("https://addr.example").paths as Record<string, { post?: object }>)[
		"/v1/operator/accounts/{id}/praise"
	]?.post;
	expect(operation).toMatchObject({ operationId: "praiseAccount", summary: "Praise an account" });

	const { user } = await signUp();
	const path = `accounts/${user.id}/praise`;
	const reasonGiven = { reason: "Ticket 4711" };
	const answer = await acted(path, { how_often: 2, tone: "loud", ...reasonGiven });
	expect(answer).toMatchObject({ act: "praise", detail: "loud 2", subject: user.id, operator: "ada@addr.example" });
	expect(await json(operate(path, { how_often: 2, tone: "shrill", ...reasonGiven }), 400)).toMatchObject({
		errors: [{ path: "tone" }],
	});
	await json(operate("accounts/usr_x/praise", { how_often: 2, tone: "loud", ...reasonGiven }), 404);

	const visitor = await new OperatorVisitor().open(`/operate/accounts/${user.id}`);
	expect(visitor.html).toContain(`<a href="/operate/${path}?how_often=3">Praise this account 3 times</a>`);
	await visitor.open(`/operate/${path}?how_often=3`);
	expect(visitor.html).toContain(">Praise this account 3 times</button>");
	await visitor.send(`/operate/${path}`, { tone: "low", how_often: "3", ...reasonGiven });
	expect(visitor.text).toContain("Account praised. Recorded with your name and reason.");
	const { data } = await acted<{ data: object[] }>(`acts?account=${user.id}&act=praise`);
	expect(data).toMatchObject([{ detail: "low 3" }, { detail: "loud 2" }]);
	await acted(`accounts/${user.id}/suspend`, reasonGiven);
	await visitor.open(`/operate/accounts/${user.id}`);
	expect(visitor.html).not.toContain(`/operate/${path}`);
});
