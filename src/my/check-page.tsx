import { plainLabel } from "../addresses/plain-label.ts";
import { lengthText } from "../web/lengths.ts";
import type { Zone } from "../zones/locate.ts";
import { countryName } from "../zones/naming.ts";
import { CredentialFields, presetCountry } from "./credentials.tsx";
import type { Draft } from "./draft.ts";
import type { Failure } from "./failure.ts";
import { Form } from "./form.tsx";
import { consolePage } from "./page.tsx";
import { pathTo, type Visit } from "./visit.ts";
import { pointText } from "./where-page.tsx";

/** Step 4: what will be created, and whose it will be. The form holds all of it, so that what was seen is what is created, whatever another tab does. */
export function checkPage(
	visit: Visit,
	draft: Draft,
	{ zone, isNew, failure }: { zone: Zone | undefined; isNew: boolean; failure?: Failure | undefined },
): Response {
	const { words, locale, signedIn } = visit;
	const { check, name } = words;
	const place = zone && [zone.name, countryName(zone.country, locale.language)].filter(Boolean);
	return consolePage(visit, {
		title: check.title,
		hasHeading: true,
		failure,
		body: (
			<>
				<p class="step">{words.step("4")}</p>
				<h1>{check.title}</h1>
				<section>
					<dl>
						<div>
							<dt>{check.place}</dt>
							<dd>
								{place?.map((part, index) => (
									<>
										{index > 0 ? `${locale.messages.comma} ` : ""}
										<bdi>{part}</bdi>
									</>
								))}
							</dd>
							<dd>{pointText(draft)}</dd>
							{draft.accuracy === undefined ? null : (
								<dd class="kind">{check.accuracy(lengthText(Math.ceil(draft.accuracy), locale.language))}</dd>
							)}
							<dd>
								<a href={pathTo(visit, "/my/new/spot")} aria-label={`${words.change}: ${check.place}`}>
									{words.change}
								</a>
							</dd>
						</div>
						<div>
							<dt>{name.label}</dt>
							<dd>{draft.label ? <bdi>{plainLabel(draft.label)}</bdi> : check.noWords}</dd>
							<dd>
								<a href={pathTo(visit, "/my/new/name")} aria-label={`${words.change}: ${name.label}`}>
									{words.change}
								</a>
							</dd>
						</div>
					</dl>
				</section>
				<Form visit={visit} action="/my/new/check">
					{(["lat", "lng", "label", "key"] as const).map((field) => (
						<input type="hidden" name={field} value={String(draft[field])} />
					))}
					{signedIn ? null : (
						<section>
							<h2>{check.keepTitle}</h2>
							{isNew ? <p>{check.keepText}</p> : null}
							<input type="hidden" name="account" value={isNew ? "new" : "mine"} />
							<CredentialFields
								visit={visit}
								isNew={isNew}
								country={presetCountry(visit, zone?.country)}
								failure={failure}
							/>
							<p class="way">
								<a href={pathTo(visit, "/my/new/check", isNew ? { account: "mine" } : {})}>
									{isNew ? check.haveAccount : check.newHere}
								</a>
							</p>
						</section>
					)}
					<button type="submit" class="first">
						{check.create}
					</button>
				</Form>
				<p class="way">
					<a href={pathTo(visit, "/my/new")}>{words.where.startAgain}</a>
				</p>
			</>
		),
	});
}
