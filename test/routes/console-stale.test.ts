/** Forms of the console that were opened before something else changed the same address. Nothing is overwritten unseen. */
import { describe, expect, it } from "vitest";
import { messages } from "../../src/languages/messages.ts";
import { type ConsoleVisitor, newHolder } from "../support/console-visitor.ts";
import { row, sql } from "../support/sql.ts";

interface Form {
	name: string;
	/** The page that has the form, and where the form leads, below `/my/{canonical}`. */
	page: string;
	action: string;
	fields: (canonical: string) => Record<string, string>;
	/** What somebody else changes meanwhile, as columns of the address. */
	theirs: string;
	/** What the page says of both. */
	shows: RegExp;
	/** Columns of the address once the form is saved. */
	saved: Record<string, unknown>;
}

const forms: Form[] = [
	{
		name: "the words",
		page: "/label",
		action: "/label",
		fields: () => ({ label: "My gate", directions: "Mine" }),
		theirs: "label = 'Their gate', directions = 'Left'",
		shows: /Saved now .*Their gate .*Left .*Yours .*My gate .*Mine /,
		saved: { label: "My gate", directions: "Mine" },
	},
	{
		name: "the pin",
		page: "/move",
		action: "/move",
		fields: () => ({ go: "right", lat: "6.52441", lng: "3.3792" }),
		theirs: "lat = 6.52449",
		shows: /Saved now .*6\.52449,\s3\.3792.* Yours .*6\.52441,\s3\.3792/,
		saved: { lat: 6.52441, lng: 3.3792 },
	},
	{
		name: "the entrance",
		page: "/entrance",
		action: "/entrance",
		fields: () => ({ go: "right", lat: "6.52441", lng: "3.3792" }),
		theirs: `entrance = '{"lat":6.52449,"lng":3.3792}'`,
		shows: /Saved now .*6\.52449,\s3\.3792.* Yours .*6\.52441,\s3\.3792/,
		saved: { lat: 6.5244, entrance: `{"lat":6.52441,"lng":3.3792}` },
	},
	{
		name: "who can see it",
		page: "",
		action: "/visibility",
		fields: () => ({ visibility: "public" }),
		theirs: "visibility = 'private'",
		shows: /Saved now .*Only I and people .*Yours .*Everyone who has the code/,
		saved: { visibility: "public" },
	},
	{
		name: "its retirement",
		page: "/retire",
		action: "/retire",
		fields: (canonical) => ({ digits: canonical.slice(-5) }),
		theirs: "label = 'Their gate'",
		shows: /Saved now .*Their gate/,
		saved: { retired_at: expect.any(Number) },
	},
];

const stateOf = (canonical: string) =>
	row(
		"select label, directions, lat, lng, entrance, visibility, retired_at, version from addresses where canonical = ?",
		canonical,
	);

/** Changes an address as a system of its owner would. */
const change = (canonical: string, columns: string) =>
	sql(
		`update addresses set ${columns}, version = version + 1, updated_at = coalesce(updated_at, created_at) + 1 where canonical = ?`,
		canonical,
	);

/** Sends a form of the page as it was opened, and stays on the page that answers. */
async function opened(
	{ page, action, fields }: Form,
	visitor: ConsoleVisitor,
	canonical: string,
): Promise<() => Promise<void>> {
	await visitor.open(`/my/${canonical}${page}`);
	const sent = visitor.fields(`/my/${canonical}${action}`, fields(canonical));
	return async () => {
		const answer = await visitor.post(`/my/${canonical}${action}`, sent);
		Object.assign(visitor, { html: await answer.text(), status: answer.status, path: `/my/${canonical}${action}` });
	};
}

describe.each(forms)("a form for $name", (form) => {
	it("that is stale saves nothing, shows both, and saves the visitor's own on demand", async () => {
		const { visitor, canonical } = await newHolder();
		const send = await opened(form, visitor, canonical);
		await change(canonical, form.theirs);
		const before = await stateOf(canonical);
		await send();
		expect(visitor.status).toBe(409);
		expect(visitor.text).toContain(messages.en.console.errors.conflict);
		expect(visitor.text).toMatch(form.shows);
		expect(await stateOf(canonical)).toEqual(before);
		await visitor.send(`/my/${canonical}${form.action}`);
		expect(visitor.status).toBe(200);
		expect(await stateOf(canonical)).toMatchObject(form.saved);
	});

	it("that is stale twice asks twice", async () => {
		const { visitor, canonical } = await newHolder();
		const send = await opened(form, visitor, canonical);
		const [original] = form.theirs.split(" = ");
		await change(canonical, form.theirs);
		await send();
		await change(
			canonical,
			{ label: "label = 'Third'", visibility: "visibility = 'public'" }[original ?? ""] ?? "lat = 6.524",
		);
		const before = await stateOf(canonical);
		await visitor.send(`/my/${canonical}${form.action}`);
		// An address that is as the form wants it needs no question.
		expect(visitor.status).toBe(form.action === "/visibility" ? 200 : 409);
		if (visitor.status === 409) expect(await stateOf(canonical)).toEqual(before);
	});

	it("takes new names of the zone, an attested level and a unit for no change of its own", async () => {
		const { visitor, canonical } = await newHolder();
		const send = await opened(form, visitor, canonical);
		await change(
			canonical,
			"zone_name = 'New name', zone_region = 'New', region = 'New', locality = 'New', edition = 'x'",
		);
		await change(canonical, "verification_level = 2, verified_at = 1");
		await sql("insert into units (canonical, unit, label, created_at) values (?, '9', '', 1)", canonical);
		await change(canonical, "share_count = share_count + 1");
		await send();
		expect([visitor.status, await stateOf(canonical)]).toMatchObject([303, form.saved]);
	});

	it("without a version, from a page of an earlier deployment, saves as before", async () => {
		const { visitor, canonical } = await newHolder();
		await visitor.open(`/my/${canonical}${form.page}`);
		const sent = visitor.fields(`/my/${canonical}${form.action}`, form.fields(canonical));
		sent.delete("version");
		await change(canonical, form.theirs);
		expect((await visitor.post(`/my/${canonical}${form.action}`, sent)).status).toBe(303);
		expect(await stateOf(canonical)).toMatchObject(form.saved);
	});
});

describe("a form for units", () => {
	const name = (canonical: string, label: string, unit = "3B") =>
		sql(
			"insert into units (canonical, unit, label, created_at) values (?, ?, ?, 1) on conflict do update set label = excluded.label",
			canonical,
			unit,
			label,
		);
	const labels = async (canonical: string) =>
		(await sql("select unit, label from units where canonical = ? order by unit", canonical)).map(
			({ unit, label }) => `${unit}=${label}`,
		);

	it("overwrites no unit that was named or relabelled meanwhile without asking", async () => {
		const { visitor, canonical } = await newHolder();
		const path = `/my/${canonical}/units`;
		await visitor.open(path);
		await name(canonical, "Theirs");
		await visitor.send(path, { unit: "3a, 3b", label: "Mine" });
		expect([visitor.status, await labels(canonical)]).toEqual([409, ["3B=Theirs"]]);
		expect(visitor.text).toMatch(/Saved now .*3B .*Theirs .*Yours .*3B .*Mine/);
		await visitor.send(path);
		expect(await labels(canonical)).toEqual(["3A=Mine", "3B=Mine"]);
	});

	it("removes none that was relabelled meanwhile without asking", async () => {
		const { visitor, canonical } = await newHolder();
		const path = `/my/${canonical}/units`;
		await name(canonical, "Left");
		await visitor.open(path);
		await name(canonical, "Theirs");
		await visitor.send(path, { remove: "3B" });
		expect([visitor.status, await labels(canonical)]).toEqual([409, ["3B=Theirs"]]);
		await visitor.send(path);
		expect(await labels(canonical)).toEqual([]);
	});

	it("names several at once beside others that came meanwhile, and relabels what it showed", async () => {
		const { visitor, canonical } = await newHolder();
		const path = `/my/${canonical}/units`;
		await name(canonical, "Left");
		await visitor.open(path);
		await name(canonical, "", "7");
		await change(canonical, "label = 'Their gate'");
		await visitor.send(path, { unit: "1, 2", label: "Mine" });
		expect([visitor.status, await labels(canonical)]).toEqual([200, ["1=Mine", "2=Mine", "3B=Left", "7="]]);
		await visitor.send(path, { unit: "3B", label: "Mine" });
		expect(await labels(canonical)).toEqual(["1=Mine", "2=Mine", "3B=Mine", "7="]);
	});
});

describe("a form to share an address", () => {
	it("makes no link to what the visitor has not seen", async () => {
		const { visitor, canonical } = await newHolder();
		await change(canonical, "visibility = 'private'");
		await visitor.open(`/my/${canonical}`);
		await change(canonical, "lat = 6.52449");
		await visitor.send(`/my/${canonical}/share`, { days: "1" });
		expect(visitor.status).toBe(409);
		expect(visitor.text).toMatch(/Saved now .*6\.52449/);
		expect(visitor.html).not.toContain("?share=");
		await visitor.send(`/my/${canonical}/share`);
		expect([visitor.status, visitor.html.includes("?share=")]).toEqual([200, true]);
	});
});

it("of racing forms none is lost: each is saved or shown beside what is saved", async () => {
	const { visitor, canonical } = await newHolder();
	const path = `/my/${canonical}/label`;
	await visitor.open(path);
	const sent = ["A", "B", "C", "D"].map((label) => [label, visitor.fields(path, { label })] as const);
	const answers = await Promise.all(sent.map(([, fields]) => visitor.post(path, fields)));
	expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409]);
	const [saved] = sent.filter((_, index) => answers[index]?.status === 303).map(([label]) => label);
	expect(await stateOf(canonical)).toMatchObject({ label: saved, version: 2 });
	for (const [index, answer] of answers.entries()) {
		if (answer.status === 409) expect(await answer.text()).toContain(`<bdi>${sent[index]?.[0]}</bdi>`);
	}
});

it("a pin that is moved step by step is held to the page that was opened first", async () => {
	const { visitor, canonical } = await newHolder();
	const path = `/my/${canonical}/move`;
	await visitor.open(path);
	await change(canonical, "lat = 6.52449");
	await visitor.send(path, { move: "n", step: "5" });
	expect(visitor.status).toBe(200);
	await visitor.send(path, { go: "right" });
	expect(visitor.status).toBe(409);
});

it.each(Object.keys(messages))("the page for a stale form is in %s", async (language) => {
	const { visitor, canonical } = await newHolder();
	await visitor.open(`/my/${canonical}/label?lang=${language}`);
	const action = /action="([^"]*\/label[^"]*)"/.exec(visitor.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
	const sent = visitor.fields(action.replaceAll("&", "&amp;"), { label: "Mine" });
	await change(canonical, "label = 'Theirs'");
	const page = await (await visitor.post(action, sent)).text();
	const { changedElsewhere } = messages[language as keyof typeof messages].console;
	for (const text of Object.values(changedElsewhere)) expect(page).toContain(text);
});
