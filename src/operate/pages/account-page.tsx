import type { Child } from "hono/jsx";
import { phoneEndingsOf } from "../../accounts/actions.ts";
import { account, pendingAccount } from "../../accounts/acts.ts";
import type { PendingPhone } from "../../accounts/phone-pending-store.ts";
import { address } from "../../addresses/acts.ts";
import { displayCode, isCanonical } from "../../codes/code.ts";
import { codeWithoutCountry } from "../../codes/code-guess.ts";
import type { Failure } from "../../forms/failure.ts";
import { ButtonForm, Form, sentField } from "../../forms/form.tsx";
import { key } from "../../keys/acts.ts";
import { lengthText, timeText } from "../../web/measures.ts";
import { CodeLine, Section, Submit } from "../../web/parts.tsx";
import { codesByCountry, likelyCountries } from "../../web/which-code.tsx";
import { fieldLabel } from "../act-fields.ts";
import type { AccountView, OperatorAct } from "../actions.ts";
import { Links, linksTo } from "./act-form.tsx";
import { OPERATE, type OperatorVisit, operatorPage } from "./operator-page.tsx";

/** A time in English, by UTC. */
export const when = (time: number) => timeText(time, "en");

/** Facts by name. Unknown ones are left out. */
export function Facts({ facts }: { facts: Record<string, Child> }) {
	const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null && value !== "");
	return (
		<dl class="facts">
			{known.map(([name, value]) => (
				<div>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}

/** A record of the API, by the names that it has there. */
export function RecordFacts({ record }: { record: object }) {
	const textOf = (value: unknown): string =>
		value instanceof Object ? Object.values(value).map(textOf).filter(Boolean).join(", ") : String(value ?? "");
	const shown = (value: unknown) => textOf(value) && <bdi>{textOf(value)}</bdi>;
	return (
		<Facts
			facts={Object.fromEntries(Object.entries(record).map(([name, value]) => [fieldLabel(name), shown(value)]))}
		/>
	);
}

/** A list of cards, or a note that there are none. */
export function Cards({ cards }: { cards: Child[] }) {
	return (
		<>
			{cards.length === 0 ? <p>None.</p> : null}
			<ul class="cards">
				{cards.map((card) => (
					<li>{card}</li>
				))}
			</ul>
		</>
	);
}

/** A link to the account with an id. */
type AccountLink = (id: string) => Child;

/** Links to accounts: each names the last digits of its phone number, by which people know it, and has its id as a title. */
export async function accountLinks({ registry }: OperatorVisit, ids: readonly (string | null)[]): Promise<AccountLink> {
	const endings = await phoneEndingsOf(
		registry,
		ids.flatMap((id) => id || []),
	);
	return (id) => (
		<a href={`${OPERATE}/accounts/${id}`} title={id}>
			{endings.has(id) ? `Account with the number …${endings.get(id)}` : "Account without a number"}
		</a>
	);
}

/** The accounts that a pending number concerns. */
export const concernedBy = ({ userId, agentId, holderId }: PendingPhone) => [userId, agentId, holderId];

/** Acts, newest first, each with who did it and why; and on which account, unless that is the account of the page. */
export function ActList({ acts, linkTo }: { acts: OperatorAct[]; linkTo?: AccountLink }) {
	if (acts.length === 0) return <p>None.</p>;
	const cards = acts.map(({ at, operator, act, detail, subject, userId, reason }) => (
		<>
			<strong title={subject}>{[fieldLabel(act), detail].filter(Boolean).join(": ")}</strong>
			<span>{`${when(at)} by ${operator}`}</span>
			{reason ? <span>{`“${reason}”`}</span> : null}
			{subject && !/^[a-z]{3}_/.test(subject) ? (
				<span>{isCanonical(subject) ? displayCode(subject) : subject}</span>
			) : null}
			{userId ? linkTo?.(userId) : null}
		</>
	));
	return <Cards cards={cards} />;
}

/** Finds a person. It is sent by POST, so that no phone number stands in a URL. */
export function FindForm({ visit, failure }: { visit: OperatorVisit; failure?: Failure | undefined }) {
	return (
		<Form visit={visit} action={`${OPERATE}/accounts/find`}>
			{sentField({ visit, failure }, "who", "Phone number, address code or account id", {
				help: "Such as +234 803 123 4567 or NG\u20111377\u201148215.",
				dir: "ltr",
			})}
			{sentField({ visit, failure }, "reason", "Reason", {
				help: "Why you look for them. It is recorded with your name.",
			})}
			<p class="buttons">
				<Submit class="first" text="Find" />
			</p>
		</Form>
	);
}

/** The codes that the digits of a plate can be, by country: each is a button that looks for it with the reason that was given. */
export function WhichCountry({ visit }: { visit: OperatorVisit }) {
	const { form, c, locale } = visit;
	const found = codeWithoutCountry(form.get("who") ?? "");
	if (!found) return null;
	const reason = form.get("reason") ?? "";
	return (
		<ul class="buttons">
			{codesByCountry(found.digits, locale.language, likelyCountries(c)).map(({ code, label }) => (
				<li>
					<ButtonForm
						visit={visit}
						action={`${OPERATE}/accounts/find`}
						sends={{ who: displayCode(code), reason }}
						text={label}
					/>
				</li>
			))}
		</ul>
	);
}

/** A number that an agent attested for an account which has another one, with what an operator can do about it. */
export function PendingPhoneCard({ pending, linkTo }: { pending: PendingPhone; linkTo: AccountLink }) {
	const { userId, phone, agentId, holderId, attestedAt, acceptedAt, objectedAt } = pending;
	return (
		<div class="cards">
			<Facts
				facts={{
					Number: phone,
					"For the account": linkTo(userId),
					"Attested by the agent": linkTo(agentId),
					Attested: when(attestedAt),
					Accepted: acceptedAt === null ? "Not yet" : when(acceptedAt),
					"Another account has it": holderId && linkTo(holderId),
					"That account objected": objectedAt && when(objectedAt),
				}}
			/>
			<Links links={linksTo(pendingAccount, pending)} />
		</div>
	);
}

/** A link to the public page of an address. */
function PublicPage({ canonical }: { canonical: string }) {
	return <a href={`/a/${canonical}`}>{displayCode(canonical)}</a>;
}

/** What an operator sees of an account, and the acts on it. */
export async function operatedAccountPage(visit: OperatorVisit, view: AccountView): Promise<Response> {
	const { user, pending, claim, allowance, sessions, keys, addresses, attested, reads, acts } = view;
	const states = [
		user.suspendedAt === null ? "" : `Suspended since ${when(user.suspendedAt)}`,
		user.eraseAt === null ? "" : "Closed",
	];
	const allowed = {
		"New addresses per day": allowance?.newAddressesPerDay,
		"Unknown codes per minute": allowance?.unknownCodesPerMinute,
	};
	const given = Object.entries(allowed).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
	const asked = visit.c.req.query("code") ?? "";
	const linkTo = await accountLinks(
		visit,
		[pending, claim].flatMap((one) => (one ? concernedBy(one) : [])),
	);
	return operatorPage(visit, {
		title: user.phone ?? "Account without a number",
		body: (
			<>
				<section>
					<Facts
						facts={{
							State: states.filter(Boolean).join(", ") || "In use",
							Phone: user.phone && `${user.phone}, ${user.phoneVerified ? "verified" : "not verified"}`,
							Role: user.role === "agent" ? "Agent" : "Not an agent",
							Opened: when(user.createdAt),
							"Will be erased": user.eraseAt === null ? undefined : when(user.eraseAt),
							Allowance: given.map(([name, value]) => `${name}: ${value}`).join(", ") || "The usual limits",
							"Account id": <span class="kind">{user.id}</span>,
						}}
					/>
					<Links links={linksTo(account, { user, allowance })} />
				</section>
				{isCanonical(asked) ? (
					<Section title="The address you searched for">
						<CodeLine canonical={asked} />
						<Links
							links={linksTo(address, {
								canonical: asked,
								hiddenAt: addresses.find(({ canonical }) => canonical === asked)?.hiddenAt,
							})}
						/>
					</Section>
				) : null}
				{pending ? (
					<Section title="Pending phone number">
						<PendingPhoneCard pending={pending} linkTo={linkTo} />
					</Section>
				) : null}
				{claim ? (
					<Section title="Another account claims its number">
						<PendingPhoneCard pending={claim} linkTo={linkTo} />
					</Section>
				) : null}
				<Section title="What operators did">
					<ActList acts={acts} />
					<p>
						<a href={`${OPERATE}/acts?about=${user.id}`}>All acts on this account</a>
					</p>
				</Section>
				{reads.length > 0 ? (
					<Section title="Private addresses read as an agent">
						<Cards
							cards={reads.map(({ canonical, readAt }) => (
								<>
									<PublicPage canonical={canonical} />
									<span>{when(readAt)}</span>
								</>
							))}
						/>
					</Section>
				) : null}
				{user.role === "agent" || attested.length > 0 ? (
					<Section title="Attested as an agent">
						<Cards
							cards={attested.map(({ canonical, level, note, distance, createdAt }) => (
								<>
									<PublicPage canonical={canonical} />
									<span>{`Level ${level}, ${when(createdAt)}`}</span>
									<span>
										{distance === null ? "From an unknown distance" : `From ${lengthText(distance, "en")} away`}
									</span>
									{note ? <span class="entered">{note}</span> : null}
								</>
							))}
						/>
					</Section>
				) : null}
				<Section title="Newest addresses">
					<Cards
						cards={addresses.map(({ canonical, label, visibility, createdAt, hiddenAt }) => (
							<>
								<PublicPage canonical={canonical} />
								{label ? (
									<span class="entered" dir="auto">
										{label}
									</span>
								) : null}
								<span>{`${visibility === "private" ? "Private, created" : "Created"} ${when(createdAt)}${hiddenAt === null ? "" : `, hidden since ${when(hiddenAt)}`}`}</span>
								<Links links={linksTo(address, { canonical, hiddenAt })} />
							</>
						))}
					/>
				</Section>
				<Section title="Keys">
					<Cards
						cards={keys.map((one) => (
							<>
								<strong dir="auto">{one.name}</strong>
								<span>{`${one.prefix}…, ${one.mode}: ${one.scopes.join(", ")}`}</span>
								<span>{one.lastUsedAt === null ? "Never used" : `Last used ${when(one.lastUsedAt)}`}</span>
								<Links links={linksTo(key, one)} />
							</>
						))}
					/>
				</Section>
				<Section title="Sessions">
					{sessions.length === 0 ? <p>None.</p> : null}
					<ul>
						{sessions.map(({ device, createdAt, lastSeenAt }) => (
							<li>{`${device || "Unknown device"}, since ${when(createdAt)}, last used ${when(lastSeenAt ?? createdAt)}`}</li>
						))}
					</ul>
				</Section>
			</>
		),
	});
}
