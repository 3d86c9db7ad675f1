import { whereabouts } from "../../addresses/address-record.ts";
import type { Address } from "../../addresses/store.ts";
import { displayCode } from "../../codes/code.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { plainLabel } from "../../print/label-for-display.ts";
import { inOneLine, shortVerification, timeZoneAt } from "../../web/address-view.ts";
import { Labelled } from "../../web/fields.tsx";
import { dateText } from "../../web/measures.ts";
import { ButtonLine, Empty, Hidden, HOUSE_PICTURE, LanguageField, Submit } from "../../web/parts.tsx";
import { PRINTS } from "./printing-page.tsx";

/** The page of the visitor's addresses, newest first. */
export function listPage(
	visit: SignedInVisit,
	{
		addresses,
		retired,
		nextCursor,
		search,
	}: {
		addresses: Address[];
		/** Retired addresses that are not erased yet. */
		retired: Address[];
		nextCursor: string | undefined;
		search: string;
	},
): Response {
	const { words, locale } = visit;
	const { list } = words;
	return consolePage(visit, {
		title: list.title,
		body: (
			<>
				<ButtonLine class="button first" to={pathTo(visit, "/my/new")} text={list.create} />
				<p>
					<a href={pathTo(visit, "/my/file")}>{words.file.title}</a>
				</p>
				{addresses.length === 0 && !search ? <Empty picture={HOUSE_PICTURE} text={list.empty} /> : null}
				{addresses.length > 0 || search ? (
					<search>
						<form action="/my">
							<LanguageField locale={locale} />
							<Labelled
								name="q"
								label={list.search}
								control={(attributes) => (
									<div class="row">
										<input {...attributes} value={search} maxlength={200} autocomplete="off" />
										<Submit text={list.find} />
									</div>
								)}
							/>
						</form>
					</search>
				) : null}
				{addresses.length === 0 && search ? <p role="status">{list.noMatch}</p> : null}
				{addresses.length > 0 ? (
					<form action="/my/print">
						<LanguageField locale={locale} />
						<Hidden values={{ q: search || undefined }} />
						<ul class="cards">
							{addresses.map((address) => {
								const { canonical, label, verificationLevel } = address;
								const display = displayCode(canonical);
								return (
									<li>
										<a class="code" href={pathTo(visit, `/my/${canonical}`)}>
											<span dir="ltr">{display}</span>
										</a>
										{label ? <bdi>{plainLabel(label)}</bdi> : null}
										<span class="kind">
											{inOneLine(whereabouts(address), locale.language)} ·{" "}
											{shortVerification(locale, verificationLevel)}
										</span>
										<label class="choice">
											<input type="checkbox" name="code" value={canonical} />
											<span class="kind">{fill(list.select, { code: `\u2066${display}\u2069` })}</span>
										</label>
									</li>
								);
							})}
						</ul>
						<fieldset>
							<legend>{list.print}</legend>
							<div class="inline">
								{PRINTS.map((print) => (
									<Submit name="as" value={print} text={words.prints[print]} />
								))}
							</div>
						</fieldset>
					</form>
				) : null}
				{retired.length > 0 ? (
					<details>
						<summary>{words.history.retired}</summary>
						<ul class="cards">
							{retired.map(({ canonical, lng, label, retiredAt, successor }) => (
								<li>
									<span dir="ltr">{displayCode(canonical)}</span>
									{label ? <bdi>{plainLabel(label)}</bdi> : null}
									<span class="kind">
										{words.history.retired} {dateText(retiredAt ?? 0, locale.language, timeZoneAt({ canonical, lng }))}
										{successor ? ` · ${locale.messages.movedTo} \u2066${displayCode(successor)}\u2069` : null}
									</span>
								</li>
							))}
						</ul>
					</details>
				) : null}
				{nextCursor ? (
					<ButtonLine
						to={pathTo(visit, "/my", { cursor: nextCursor, ...(search ? { q: search } : {}) })}
						text={list.next}
					/>
				) : null}
			</>
		),
	});
}
