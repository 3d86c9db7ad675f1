import { perText, TEXT_FIELDS } from "../../addresses/texts.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { CredentialFields, presetCountry } from "../../forms/credentials.tsx";
import type { Failure } from "../../forms/failure.ts";
import { Form } from "../../forms/form.tsx";
import { pathTo, type Visit } from "../../forms/visit.ts";
import { plainLabel } from "../../print/label-for-display.ts";
import { Section, Submit, Way } from "../../web/parts.tsx";
import type { Draft } from "./draft.ts";
import { placeLine } from "./pin-form.tsx";
import { pointText } from "./where-page.tsx";

/**
 * Step 3: what will be created, and whose it will be. The form holds all of it, so that exactly what was seen is created, whatever another
 * tab does.
 */
export async function checkPage(visit: Visit, draft: Draft, isNew: boolean, failure?: Failure): Promise<Response> {
	const { words, locale, signedIn } = visit;
	const { check } = words;
	const { lat, lng, visibility, key } = draft;
	const point = await visit.registry.zones.name(lat, lng);
	const country = point?.zone.country;
	return consolePage(visit, {
		title: check.title,
		step: 3,
		failure,
		body: (
			<>
				<section>
					<dl class="answers">
						<div>
							<dt>{check.place}</dt>
							<dd>
								{point &&
									placeLine(
										draft.locality ?? point.localities[0]?.name ?? "",
										point.region,
										point.zone.country,
										locale,
									)}
							</dd>
							<dd>{pointText(draft)}</dd>
							<dd>
								<a href={pathTo(visit, "/my/new/spot")} aria-label={`${words.change}: ${check.place}`}>
									{words.change}
								</a>
							</dd>
						</div>
						{TEXT_FIELDS.map((field) => (
							<div>
								<dt>{words.texts[field].name}</dt>
								<dd>{draft[field] ? <bdi>{plainLabel(draft[field])}</bdi> : check.noWords}</dd>
								<dd>
									<a href={pathTo(visit, "/my/new/spot")} aria-label={`${words.change}: ${words.texts[field].name}`}>
										{words.change}
									</a>
								</dd>
							</div>
						))}
					</dl>
				</section>
				<Form
					visit={visit}
					action="/my/new/check"
					sends={{
						...{ lat, lng, visibility, key, locality: draft.locality, ...perText((field) => draft[field]) },
						account: signedIn ? undefined : isNew ? "new" : "mine",
					}}
				>
					{signedIn ? null : (
						<Section title={check.keepTitle}>
							{isNew ? <p>{check.keepText}</p> : null}
							<CredentialFields visit={visit} isNew={isNew} country={presetCountry(visit, country)} failure={failure} />
							<Way
								to={pathTo(visit, "/my/new/check", isNew ? { account: "mine" } : {})}
								text={isNew ? check.haveAccount : check.newHere}
							/>
						</Section>
					)}
					<p>{visibility === "private" ? words.visibility.nowPrivate : check.public}</p>
					<Submit class="first" text={check.create} />
				</Form>
				<Way to={pathTo(visit, "/my/new")} text={words.where.startAgain} />
			</>
		),
	});
}
