import type { Child } from "hono/jsx";
import { newRoutes } from "../http/app-env.ts";
import { conditional } from "../http/conditional.ts";
import { ENTRIES_RETENTION_DAYS, ERASURES_RETENTION_DAYS } from "../journal/retention.ts";
import { fill, type Template } from "../languages/template.ts";
import type { NumberSettings } from "../settings/number-settings.ts";
import {
	KNOWN_FOR,
	PENDING_PHONE_RETENTION,
	REPORTS_RETENTION,
	SHORT_RECORDS_RETENTION,
	UNUSED_ACCOUNT_RETENTION,
} from "../settings/retention.ts";
import { DAY } from "../time/time.ts";
import { inline } from "./inline.ts";
import { type Locale, localeOf } from "./locale.ts";
import { durationText } from "./measures.ts";
import { type Page, pageResponse } from "./page.tsx";
import { Section, Way, Written } from "./parts.tsx";
import { baseStyles } from "./styles.ts";

/** Who runs the registry, as the operator has said. */
function Operator({ locale }: { locale: Locale }) {
	const { identity, messages } = locale;
	const { operatorName, operatorAddress, operatorContact } = identity;
	return (
		<Section title={messages.who.title}>
			{operatorName ? <Written text={operatorName} /> : <p>{messages.who.unnamed}</p>}
			<Written text={operatorAddress} />
			{operatorContact ? (
				<p>
					<a href={operatorContact}>{messages.who.contact}</a>
				</p>
			) : null}
		</Section>
	);
}

/** How long the registry retains personal data, by its settings and policy, as text. */
function durationsOf({ language }: Locale, numbers: NumberSettings) {
	const days = (count: number) => durationText(count, "day", language);
	return {
		retired: days(numbers.RETIRED_ADDRESSES_KEPT_DAYS),
		erasure: days(numbers.ACCOUNT_ERASURE_DAYS),
		unused: days(UNUSED_ACCOUNT_RETENTION / DAY),
		session: days(numbers.SESSION_DAYS_MAX),
		networks: days(KNOWN_FOR / DAY),
		short: days(SHORT_RECORDS_RETENTION / DAY),
		revoked: days(numbers.REVOKED_KEYS_KEPT_DAYS),
		// At the latest, if the holder accepts the number on the last day.
		waiting: days((2 * PENDING_PHONE_RETENTION) / DAY),
		reports: days(REPORTS_RETENTION / DAY),
		copies: days(ENTRIES_RETENTION_DAYS),
		backups: days(ERASURES_RETENTION_DAYS),
	};
}

function Privacy({ locale, numbers }: { locale: Locale; numbers: NumberSettings }) {
	const { messages, console, query } = locale;
	const { privacyPage } = messages;
	const { exportTitle, exportText, deleteTitle, deleteText } = console.account;
	const durations = durationsOf(locale, numbers);
	type Kept = Template<keyof typeof durations>;
	const held: { what: string; why: string; kept: string | Kept }[] = Object.values(privacyPage.held);
	return (
		<>
			{held.map(({ what, why, kept }) => (
				<Section title={what}>
					<p>{why}</p>
					<p>{fill(kept as Kept, durations)}</p>
				</Section>
			))}
			<section>
				<p>{privacyPage.cookies}</p>
				<p>{privacyPage.host}</p>
			</section>
			<Section title={privacyPage.rights}>
				<p>{privacyPage.correct}</p>
				<p>
					<a href={`/my/account/export${query}`}>{exportTitle}</a>. {exportText}
				</p>
				<p>
					<a href={`/my/account/delete${query}`}>{deleteTitle}</a>. {fill(deleteText, { days: durations.erasure })}
				</p>
				<p>{privacyPage.complain}</p>
			</Section>
		</>
	);
}

function About({ locale }: { locale: Locale }) {
	const { what, aboutPage, verification, verificationLevels } = locale.messages;
	return (
		<>
			<Section title={what.title}>
				<p>{what.text}</p>
			</Section>
			<Section title={aboutPage.code}>
				<p>{aboutPage.codeText}</p>
				<p>{aboutPage.lasting}</p>
			</Section>
			<Section title={verification}>
				<ul>
					{verificationLevels.map((level) => (
						<li>{level}</li>
					))}
				</ul>
			</Section>
		</>
	);
}

function Help({ locale }: { locale: Locale }) {
	const { messages, console, query } = locale;
	const ways: Partial<Record<keyof typeof messages.helpPage, [path: string, name: string]>> = {
		create: ["/my/new", messages.getMine],
		find: ["/", messages.findTitle],
		change: ["/my", console.list.title],
		password: ["/my/forgot", console.forgot.title],
	};
	return (Object.keys(messages.helpPage) as (keyof typeof messages.helpPage)[]).map((topic) => {
		const { question, answer } = messages.helpPage[topic];
		const [path, name] = ways[topic] ?? [];
		return (
			<Section title={question}>
				<p>{answer}</p>
				{path ? <Way to={path + query} text={name} /> : null}
			</Section>
		);
	});
}

/** Styles for texts to read, which are not divided into cards. */
const readingStyles = inline(`${baseStyles}
section{background:none;border-width:1px 0 0;border-radius:0;padding:1rem 0;margin:0}
section>*+*{margin-top:.5rem}
h2{margin:0}
h1+section{border:0;padding-top:.75rem}
`);

/** A page about the registry itself: its heading, what it says, and who stands behind it. */
function aboutPage(locale: Locale, path: string, title: string, lead: string | undefined, body: Child): Page {
	return {
		locale,
		title: `${title} · ${locale.siteName}`,
		description: lead ?? title,
		path,
		indexed: true,
		styles: readingStyles,
		body: (
			<>
				<h1>{title}</h1>
				{lead ? <p>{lead}</p> : null}
				{body}
				<Operator locale={locale} />
			</>
		),
	};
}

/** What the registry says about itself, in every language. Mounted at /. */
export const aboutRoutes = newRoutes()
	.get("/privacy", conditional, async (c) => {
		const { numbers, identity } = c.var.config;
		if (identity.privacyUrl) return c.redirect(identity.privacyUrl, 302);
		const locale = await localeOf(c);
		const { privacy, privacyPage } = locale.messages;
		return pageResponse(
			c,
			aboutPage(locale, "/privacy", privacy, privacyPage.lead, <Privacy locale={locale} numbers={numbers} />),
		);
	})
	.get("/about", conditional, async (c) => {
		const locale = await localeOf(c);
		const { aboutTitle } = locale.messages;
		return pageResponse(c, aboutPage(locale, "/about", aboutTitle, undefined, <About locale={locale} />));
	})
	.get("/help", conditional, async (c) => {
		const locale = await localeOf(c);
		return pageResponse(c, aboutPage(locale, "/help", locale.messages.helpTitle, undefined, <Help locale={locale} />));
	});
