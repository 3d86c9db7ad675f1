import { account } from "../../acts/account-acts.ts";
import { address } from "../../acts/address-acts.ts";
import { key } from "../../acts/key-acts.ts";
import { displayCode, isCanonical } from "../../codes/code.ts";
import { lengthText } from "../../web/measures.ts";
import { CodeLine, Section } from "../../web/parts.tsx";
import type { AccountView } from "../actions.ts";
import { Links, linksTo } from "./act-form.tsx";
import { OPERATE, type OperatorVisit, operatorPage } from "./operator-page.tsx";
import { ActList, accountLinks, Cards, concernedBy, Facts, PendingPhoneCard, when } from "./record-parts.tsx";

/** A link to the public page of an address. */
function PublicPage({ canonical }: { canonical: string }) {
	return <a href={`/a/${canonical}`}>{displayCode(canonical)}</a>;
}

/** What an operator sees of an account, and the acts on it. */
export async function operatedAccountPage(visit: OperatorVisit, view: AccountView): Promise<Response> {
	const { user, pending, claim, recovery, allowance, sessions, keys, addresses, attested, reads, acts } = view;
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
	const linkTo = await accountLinks(visit, [
		...[pending, claim].flatMap((one) => (one ? concernedBy(one) : [])),
		recovery?.agentId ?? null,
	]);
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
				{recovery ? (
					<Section title="Recovery in person">
						<Facts
							facts={{
								"The agent who may end it": linkTo(recovery.agentId),
								"Asked for": when(recovery.askedAt),
								"The code is shown from": when(recovery.availableAt),
								Until: when(recovery.lapsesAt),
								"First shown": recovery.shownAt && when(recovery.shownAt),
							}}
						/>
						<p>Any use of a session or key of the account ends it.</p>
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
