import { getTableName, isTable } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import * as schema from "../../src/db/schema.ts";
import { ENTRIES_RETENTION_DAYS, ERASURES_RETENTION_DAYS } from "../../src/journal/retention.ts";
import { type Language, languages } from "../../src/languages/languages.ts";
import { messages } from "../../src/languages/messages.ts";
import {
	KNOWN_FOR,
	REPORTS_RETENTION,
	SHORT_RECORDS_RETENTION,
	UNUSED_ACCOUNT_RETENTION,
} from "../../src/settings/retention.ts";
import { DAY } from "../../src/time/time.ts";
import { durationText } from "../../src/web/measures.ts";
import { call } from "../support/client.ts";

const tags = Object.keys(languages) as Language[];
type Held = keyof typeof messages.en.pages.privacyPage.held;

/** Under which heading of the notice each table stands; undefined where it says nothing of a person. */
const headings: Record<string, Held | undefined> = {
	users: "account",
	sessions: "signIns",
	refresh_tokens: "signIns",
	api_keys: "keys",
	failed_logins: "signIns",
	failed_sign_ins: "signIns",
	known_networks: "signIns",
	daily_counts: "signIns",
	otp_codes: "smsCodes",
	phone_proofs: "proofs",
	addresses: "address",
	address_changes: "address",
	closed_owners: "account",
	overflow_zones: undefined,
	last_codes: undefined,
	erased_accounts: "account",
	burnt_codes: "address",
	attestations: "visits",
	allowances: "account",
	operator_acts: "acts",
	account_journal_queue: "copies",
	journal_queue: "copies",
	journal_written: "copies",
	changes: "address",
	pending_phones: "proofs",
	private_reads: "visits",
	registry_identity: undefined,
	reports: "reports",
	homes: undefined,
	reservations: "address",
	units: "address",
	unsettled: "account",
};

describe("the privacy notice", () => {
	it("has a heading for every table", () => {
		const tables = Object.values(schema).filter((value) => isTable(value));
		expect(tables.map(getTableName).sort()).toEqual(Object.keys(headings).sort());
		const held = Object.keys(messages.en.pages.privacyPage.held);
		// The log is no table.
		expect([...new Set(Object.values(headings)), "log"].filter(Boolean).sort()).toEqual(held.sort());
	});

	it.each(tags)("takes every period from the settings and the policy, by %s", async (language) => {
		const settings = {
			RETIRED_ADDRESSES_KEPT_DAYS: 17,
			ACCOUNT_ERASURE_DAYS: 11,
			SESSION_DAYS_MAX: 123,
			REVOKED_KEYS_KEPT_DAYS: 77,
		};
		const page = await (await call(`/privacy?lang=${language}`, { settings })).text();
		const policy = [KNOWN_FOR, REPORTS_RETENTION, SHORT_RECORDS_RETENTION, UNUSED_ACCOUNT_RETENTION].map(
			(period) => period / DAY,
		);
		for (const count of [...Object.values(settings), ...policy, ENTRIES_RETENTION_DAYS, ERASURES_RETENTION_DAYS]) {
			expect(page).toContain(durationText(count, "day", language));
		}
		const { held } = messages[language].pages.privacyPage;
		for (const { what, why, kept } of Object.values(held)) {
			expect(page).toContain(what);
			expect(`${what}${why}${kept}`).not.toMatch(/\d/);
		}
	});

	it("gives way to the operator's own", async () => {
		const answer = await call("/privacy", { settings: { PRIVACY_URL: "https://office.example/privacy" } });
		expect([answer.status, answer.headers.get("Location")]).toEqual([302, "https://office.example/privacy"]);
	});
});

describe("the pages at the foot of every page", () => {
	it.each(tags)("answer and say who runs the registry, by %s", async (language) => {
		const settings = {
			REGISTRY_NAME: "Lagos Address Registry",
			OPERATOR_NAME: "Office of <Addresses>",
			OPERATOR_ADDRESS: "1 Marina, Lagos",
			OPERATOR_CONTACT: "mailto:office@addr.example",
		};
		const home = await (await call(`/?lang=${language}`, { settings })).text();
		const [, footer = ""] = home.split("<footer");
		const links = [...footer.matchAll(/href="(\/(?:privacy|help|about)[^"]*)"/g)].map(([, link]) => String(link));
		expect(links).toHaveLength(3);
		for (const link of links) {
			const answer = await call(link, { settings });
			expect([link, answer.status, answer.headers.get("Content-Language")]).toEqual([link, 200, language]);
			const [, main = ""] = /<main[^>]*>([\s\S]*)<\/main>/.exec(await answer.text()) ?? [];
			expect(main).toContain("<bdi>Office of &lt;Addresses&gt;</bdi>");
			expect(main).toContain("<bdi>1 Marina, Lagos</bdi>");
			expect(main).toContain('<a href="mailto:office@addr.example">');
			expect(main).not.toContain(messages[language].pages.who.unnamed);
			const unnamed = await (await call(link)).text();
			expect(unnamed).toContain(messages[language].pages.who.unnamed);
		}
	});
});
