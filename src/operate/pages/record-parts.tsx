/** The parts in which operators' pages show what the registry holds: facts, cards, acts, and links to accounts. */
import type { Child } from "hono/jsx";
import { phoneEndingsOf } from "../../accounts/actions.ts";
import type { PendingPhone } from "../../accounts/phone-pending-store.ts";
import { pendingAccount } from "../../acts/account-acts.ts";
import { displayCode, isCanonical } from "../../codes/code.ts";
import { timeText } from "../../web/measures.ts";
import { fieldLabel } from "../act-fields.ts";
import type { OperatorAct } from "../actions.ts";
import { Links, linksTo } from "./act-form.tsx";
import { OPERATE, type OperatorVisit } from "./operator-page.tsx";

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
