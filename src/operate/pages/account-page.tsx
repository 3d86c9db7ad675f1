import type { Child } from "hono/jsx";
import type { PendingPhone } from "../../accounts/operator-actions.ts";
import { displayCode } from "../../codes/code.ts";
import type { Failure } from "../../forms/failure.ts";
import { Field, Form } from "../../forms/form.tsx";
import { lengthText, timeText } from "../../web/measures.ts";
import type { AccountView, OperatorAct } from "../actions.ts";
import { labelOf } from "./act-form.tsx";
import { OPERATE, type OperatorVisit, operatorPage } from "./operator-page.tsx";

/** Whether what an act was done to is an address. */
const isCanonical = (text: string) => /^[A-Z]{2}\d{9}$/.test(text);

/** A time in English, by UTC. */
export const when = (time: number) => timeText(time, "en");

/** What is known of something, by name; what is not known is left out. */
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
	const shown = (value: unknown) =>
		value === null || value === "" ? undefined : (
			<bdi>{typeof value === "object" ? Object.values(value).join(", ") : String(value)}</bdi>
		);
	return (
		<Facts facts={Object.fromEntries(Object.entries(record).map(([name, value]) => [labelOf(name), shown(value)]))} />
	);
}

/** Acts, newest first, each with who did it and why. */
export function ActList({ acts }: { acts: OperatorAct[] }) {
	if (acts.length === 0) return <p>None.</p>;
	return (
		<ul class="cards">
			{acts.map(({ at, operator, act, detail, subject, userId, reason }) => (
				<li>
					<strong>{[act, detail].filter(Boolean).join(": ")}</strong>
					<span>{`${when(at)} by ${operator}`}</span>
					{reason ? <span>{`“${reason}”`}</span> : null}
					{subject && subject !== userId ? <span>{isCanonical(subject) ? displayCode(subject) : subject}</span> : null}
					{userId ? <a href={`${OPERATE}/accounts/${userId}`}>{userId}</a> : null}
				</li>
			))}
		</ul>
	);
}

/** Finds a person. It is sent by POST, so that no phone number stands in a URL. */
export function FindForm({ visit, failure }: { visit: OperatorVisit; failure?: Failure | undefined }) {
	return (
		<Form visit={visit} action={`${OPERATE}/accounts/find`}>
			<Field
				name="who"
				label="Phone number, address code or account id"
				help="Such as +234 803 123 4567, NG-1377-48215 or usr_7dN3kq0vXW2mZrB8cT5yLa."
				value={visit.form.get("who") ?? ""}
				dir="ltr"
				failure={failure}
			/>
			<Field
				name="reason"
				label="Reason"
				help="Why. It is kept with the act."
				value={visit.form.get("reason") ?? ""}
				failure={failure}
			/>
			<p class="buttons">
				<button type="submit" class="first">
					Find
				</button>
			</p>
		</Form>
	);
}

/** Links to other pages for operators, such as the forms of acts. */
export function Links({ links }: { links: [path: string, name: string][] }) {
	return (
		<p class="acts">
			{links.map(([path, name]) => (
				<a href={OPERATE + path}>{name}</a>
			))}
		</p>
	);
}

function AddressActs({ canonical, isHidden }: { canonical: string; isHidden: boolean | undefined }) {
	const path = `/addresses/${canonical}`;
	return (
		<Links
			links={[
				[`${path}/read`, "Read it"],
				...(isHidden === true ? [] : [[`${path}/hide`, "Hide"] as [string, string]]),
				...(isHidden === false ? [] : [[`${path}/show`, "Show again"] as [string, string]]),
				[`${path}/retire`, "Retire"],
			]}
		/>
	);
}

/** A number that an agent attested for an account which has another one, with what an operator can do about it. */
export function PendingPhoneCard({ pending }: { pending: PendingPhone }) {
	const { userId, phone, agentId, holderId, attestedAt, acceptedAt, objectedAt } = pending;
	const path = `/accounts/${userId}`;
	const account = (id: string) => <a href={`${OPERATE}/accounts/${id}`}>{id}</a>;
	return (
		<div class="cards">
			<Facts
				facts={{
					Number: phone,
					"For the account": account(userId),
					"Attested by the agent": account(agentId),
					Attested: when(attestedAt),
					Accepted: acceptedAt === null ? "Not yet" : when(acceptedAt),
					"Another account has it": holderId && account(holderId),
					"That account objected": objectedAt && when(objectedAt),
				}}
			/>
			<Links
				links={[
					...(acceptedAt === null ? [] : [[`${path}/pass-phone`, "Give it the number"] as [string, string]]),
					[`${path}/refuse-phone`, "Refuse it"],
				]}
			/>
		</div>
	);
}

/** What an operator sees of an account, and the acts on it. */
export function accountPage(visit: OperatorVisit, view: AccountView): Response {
	const { user, pending, claim, allowance, sessions, keys, addresses, attested, reads, acts } = view;
	const path = `/accounts/${user.id}`;
	const allowed = {
		new_addresses_per_day: allowance?.newAddressesPerDay,
		unknown_codes_per_minute: allowance?.unknownCodesPerMinute,
	};
	const given = Object.entries(allowed).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
	const asked = visit.c.req.query("code") ?? "";
	return operatorPage(visit, {
		title: user.phone ?? user.id,
		body: (
			<>
				<section>
					<Facts
						facts={{
							State: user.suspendedAt === null ? "In use" : `Suspended since ${when(user.suspendedAt)}`,
							Account: user.id,
							Phone: user.phone && `${user.phone}, ${user.phoneVerified ? "verified" : "not verified"}`,
							Role: user.role === "agent" ? "Agent" : "No agent",
							Opened: when(user.createdAt),
							"Will be erased": user.eraseAt === null ? undefined : when(user.eraseAt),
							Allowance: given.map(([name, value]) => `${name}: ${value}`).join(", ") || "As everybody",
						}}
					/>
					<Links
						links={[
							user.suspendedAt === null ? [`${path}/suspend`, "Suspend"] : [`${path}/restore`, "Restore"],
							[`${path}/sign-out`, "End its sessions"],
							user.role === "agent"
								? [`${path}/role?role=user`, "Make it no agent"]
								: [`${path}/role?role=agent`, "Make it an agent"],
							[`${path}/allowance?${new URLSearchParams(given)}`, "Set its allowance"],
						]}
					/>
				</section>
				{isCanonical(asked) ? (
					<section>
						<h2>{`The address that you looked for: ${displayCode(asked)}`}</h2>
						<AddressActs
							canonical={asked}
							isHidden={
								addresses.filter(({ canonical }) => canonical === asked).map(({ hiddenAt }) => hiddenAt !== null)[0]
							}
						/>
					</section>
				) : null}
				{pending ? (
					<section>
						<h2>A number waits for it</h2>
						<PendingPhoneCard pending={pending} />
					</section>
				) : null}
				{claim ? (
					<section>
						<h2>Another account claims its number</h2>
						<PendingPhoneCard pending={claim} />
					</section>
				) : null}
				<section>
					<h2>What operators did</h2>
					<ActList acts={acts} />
					<p>
						<a href={`${OPERATE}/acts?about=${user.id}`}>All acts on this account</a>
					</p>
				</section>
				{reads.length > 0 ? (
					<section>
						<h2>Private addresses read as an agent</h2>
						<ul class="cards">
							{reads.map(({ canonical, readAt }) => (
								<li>
									<a href={`/a/${canonical}`}>{displayCode(canonical)}</a>
									<span>{when(readAt)}</span>
								</li>
							))}
						</ul>
					</section>
				) : null}
				{user.role === "agent" || attested.length > 0 ? (
					<section>
						<h2>Attested as an agent</h2>
						{attested.length === 0 ? <p>None.</p> : null}
						<ul class="cards">
							{attested.map(({ canonical, level, note, distance, createdAt }) => (
								<li>
									<a href={`/a/${canonical}`}>{displayCode(canonical)}</a>
									<span>{`Level ${level}, ${when(createdAt)}`}</span>
									<span>
										{distance === null ? "From where is not known" : `From ${lengthText(distance, "en")} away`}
									</span>
									{note ? <span class="entered">{note}</span> : null}
								</li>
							))}
						</ul>
					</section>
				) : null}
				<section>
					<h2>Newest addresses</h2>
					{addresses.length === 0 ? <p>None.</p> : null}
					<ul class="cards">
						{addresses.map(({ canonical, label, createdAt, hiddenAt }) => (
							<li>
								<a href={`/a/${canonical}`}>{displayCode(canonical)}</a>
								{label ? (
									<span class="entered" dir="auto">
										{label}
									</span>
								) : null}
								<span>{`Created ${when(createdAt)}${hiddenAt === null ? "" : `, hidden since ${when(hiddenAt)}`}`}</span>
								<AddressActs canonical={canonical} isHidden={hiddenAt !== null} />
							</li>
						))}
					</ul>
				</section>
				<section>
					<h2>Keys</h2>
					{keys.length === 0 ? <p>None.</p> : null}
					<ul class="cards">
						{keys.map(({ id, name, mode, scopes, prefix, lastUsedAt }) => (
							<li>
								<strong dir="auto">{name}</strong>
								<span>{`${prefix}…, ${mode}: ${scopes.join(", ")}`}</span>
								<span>{lastUsedAt === null ? "Never used" : `Last used ${when(lastUsedAt)}`}</span>
								<Links
									links={[
										[
											`/keys/${id}/scopes?${new URLSearchParams(scopes.map((scope) => ["scopes", scope]))}`,
											"Set what it may do",
										],
									]}
								/>
							</li>
						))}
					</ul>
				</section>
				<section>
					<h2>Sessions</h2>
					{sessions.length === 0 ? <p>None.</p> : null}
					<ul>
						{sessions.map(({ device, createdAt, lastSeenAt }) => (
							<li>{`${device || "Unknown device"}, since ${when(createdAt)}, last used ${when(lastSeenAt ?? createdAt)}`}</li>
						))}
					</ul>
				</section>
			</>
		),
	});
}
