import type { OwnAccount, PendingPhone } from "../../accounts/record.ts";
import type { Session } from "../../accounts/web-session.ts";
import type { Address } from "../../addresses/store.ts";
import { partsOf } from "../../codes/code.ts";
import { consolePage } from "../../forms/console-page.tsx";
import { printingStyles } from "../../forms/console-sheet.ts";
import { ConfirmingPasswordField, NewPasswordField, presetCountry } from "../../forms/credentials.tsx";
import type { Failure } from "../../forms/failure.ts";
import { ButtonForm, Form, PasswordField } from "../../forms/form.tsx";
import { pathTo, type SignedInVisit } from "../../forms/visit.ts";
import { fill } from "../../languages/template.ts";
import { choosePaper, UPRIGHT_PAPERS } from "../../print/paper.ts";
import { viewOf } from "../../web/address-view.ts";
import { timeText } from "../../web/measures.ts";
import { ButtonItem, ButtonLine, LinkItems, Section, Submit, Way, Written } from "../../web/parts.tsx";
import { deviceScript } from "../../web/scripts.ts";
import { QrShape, Sign } from "../../web/sheet.tsx";
import { timeZoneOf } from "../../zones/time-zones.ts";

/** A number that an agent attested for this account: to be accepted or declined, or accepted and waiting for an operator. */
function PendingPhoneSection({ visit, pending }: { visit: SignedInVisit; pending: PendingPhone }) {
	const { account } = visit.words;
	const phone = `\u2066${pending.phone}\u2069`;
	return (
		<Section title={account.pendingTitle}>
			{pending.acceptedAt === null ? (
				<>
					<p>{fill(account.pendingText, { phone })}</p>
					<Form visit={visit} action="/my/account/pending-phone">
						<ConfirmingPasswordField visit={visit} failure={undefined} />
						<Submit class="first" text={account.pendingAccept} />
					</Form>
				</>
			) : (
				<p>{fill(account.pendingDecided, { phone })}</p>
			)}
			<ButtonForm
				visit={visit}
				action="/my/account/pending-phone"
				sends={{ accept: "no" }}
				text={account.pendingDecline}
			/>
		</Section>
	);
}

/** The claim of another account on the number of this one. */
function ClaimSection({ visit, claim }: { visit: SignedInVisit; claim: PendingPhone }) {
	const { account } = visit.words;
	const phone = `\u2066${claim.phone}\u2069`;
	return (
		<Section title={account.claimedTitle}>
			<p>{fill(account.claimedDecided, { phone })}</p>
			{claim.objectedAt === null ? (
				<ButtonForm visit={visit} action="/my/account/phone-claimed" class="first" text={account.claimedObject} />
			) : null}
		</Section>
	);
}

/** The account page: its number, what is pending for it, and links to everything that can be done with it. */
export function accountPage(visit: SignedInVisit, { user, pending, claim }: OwnAccount): Response {
	const { words } = visit;
	const { account } = words;
	const { phone, phoneVerified } = user;
	const way = (path: string, name: string) => [pathTo(visit, `/my/${path}`), name] as const;
	return consolePage(visit, {
		title: account.title,
		body: (
			<>
				{claim ? <ClaimSection visit={visit} claim={claim} /> : null}
				{pending ? <PendingPhoneSection visit={visit} pending={pending} /> : null}
				<section>
					<dl>
						<div>
							<dt>{words.signIn.phone}</dt>
							<dd>
								<span dir="ltr">{phone ?? "–"}</span> ({phoneVerified ? account.verified : account.notVerified})
							</dd>
						</div>
					</dl>
					<ul class="doors">
						<LinkItems
							links={[
								way("account/phone", account.phoneTitle),
								way("account/password", account.passwordTitle),
								way("account/sessions", account.sessionsTitle),
								way("account/recovery", account.recoveryTitle),
								way("account/export", account.exportTitle),
								way("keys", words.keys.title),
								way("account/delete", account.deleteTitle),
							]}
						/>
					</ul>
				</section>
			</>
		),
	});
}

/** The page to change the password. */
export function passwordPage(visit: SignedInVisit, failure?: Failure): Response {
	const { account } = visit.words;
	return consolePage(visit, {
		title: account.passwordTitle,
		failure,
		body: (
			<section>
				<Form visit={visit} action="/my/account/password">
					<PasswordField
						visit={visit}
						name="current"
						label={account.current}
						autocomplete="current-password"
						failure={failure}
					/>
					<NewPasswordField visit={visit} failure={failure} />
					<Submit class="first" text={account.passwordTitle} />
				</Form>
			</section>
		),
	});
}

/** The page of the account's sessions, with buttons to end each. */
export function sessionsPage(visit: SignedInVisit, sessions: Session[]): Response {
	const { account } = visit.words;
	const { language } = visit.locale;
	const timeZone = timeZoneOf(presetCountry(visit) ?? "");
	return consolePage(visit, {
		title: account.sessionsTitle,
		body: (
			<ul class="cards">
				{sessions.map(({ id, device, createdAt, lastSeenAt }) => {
					const isThis = id === visit.signedIn.session.id;
					return (
						<li>
							<strong>
								{device || account.unknownDevice}
								{isThis ? ` (${account.thisDevice})` : ""}
							</strong>
							<span class="kind">
								{account.since} {timeText(createdAt, language, timeZone)}
							</span>
							{lastSeenAt ? (
								<span class="kind">
									{account.lastUsed} {timeText(lastSeenAt, language, timeZone)}
								</span>
							) : null}
							{isThis ? null : (
								<ButtonForm
									visit={visit}
									action="/my/account/sessions"
									sends={{ session: id }}
									class="small"
									text={account.end}
								/>
							)}
						</li>
					);
				})}
			</ul>
		),
	});
}

/** A page that does one thing once the password is given, such as the recovery code, the export or the deletion. */
export function confirmedPage(
	visit: SignedInVisit,
	{
		path,
		title,
		text,
		button,
		next,
		isDanger = false,
	}: {
		path: string;
		title: string;
		text: string;
		button: string;
		/** The console page that follows, if not the account's. */
		next?: string | undefined;
		isDanger?: boolean;
	},
	failure?: Failure,
): Response {
	return consolePage(visit, {
		title,
		failure,
		body: (
			<section>
				<p>{text}</p>
				<Form visit={visit} action={path} sends={{ next }}>
					<ConfirmingPasswordField visit={visit} failure={failure} />
					<Submit class={isDanger ? "danger" : "first"} text={button} />
				</Form>
				<Way to={pathTo(visit, "/my/account")} text={visit.words.cancel} />
			</section>
		),
	});
}

/**
 * Ways to store a recovery code: on the clipboard, in a message to oneself, on paper. Messages are addressed to no number. The account's
 * number may be mistyped, and the code would go to whoever has that one.
 */
function WaysToStore({ visit, code }: { visit: SignedInVisit; code: string }) {
	const { words, locale } = visit;
	const { messages } = locale;
	const text = fill(words.account.recoveryMessage, { registry: locale.siteName, code });
	const sent = encodeURIComponent(text);
	return (
		<>
			<ul class="buttons">
				<li hidden>
					<button type="button" hidden data-does="copy" data-text={code} data-done={messages.copied}>
						{messages.copyCode}
					</button>
				</li>
				<li hidden>
					<button type="button" hidden data-does="print">
						{messages.print}
					</button>
				</li>
			</ul>
			<p>{words.account.recoverySend}</p>
			<ul class="buttons">
				<ButtonItem href={`https://wa.me/?text=${sent}`} rel="noopener noreferrer" text="WhatsApp" />
				<ButtonItem href={`sms:?body=${sent}`} text="SMS" />
				<ButtonItem
					href={`mailto:?subject=${encodeURIComponent(words.account.recoveryTitle)}&body=${sent}`}
					text={words.account.recoveryMail}
				/>
			</ul>
			<p role="status" class="unseen" />
		</>
	);
}

/** A sheet with the sign of an address on one half. The recovery code is on the other half, to be cut off and stored indoors. */
function SignAndCode({ visit, code, address }: { visit: SignedInVisit; code: string; address: Address }) {
	const { words, locale, registry, signedIn } = visit;
	const view = viewOf(address, locale, registry.webUrl);
	return (
		<div class="sheet">
			<QrShape view={view} />
			<Sign view={view} locale={locale} paper={paperOf(address)} />
			<div class="sign cut">
				<div class="words">
					<p>
						{words.account.recoveryTitle} · <bdi>{locale.siteName}</bdi>
					</p>
					<p class="named0" dir="ltr">
						{code}
					</p>
					<Written text={signedIn.user.phone} />
					<p>{words.account.recoveryIndoors}</p>
				</div>
			</div>
		</div>
	);
}

/** The usual paper of an address's country. A sign fills half of it. */
function paperOf({ canonical }: Address) {
	return choosePaper(undefined, partsOf(canonical).country, UPRIGHT_PAPERS);
}

/**
 * The page that shows a recovery code once, before the visitor goes on to `next`. If the code follows creating an address, it also has the
 * sign.
 */
export function recoveryCodePage(visit: SignedInVisit, code: string, next: string, address?: Address): Response {
	const { account } = visit.words;
	return consolePage(visit, {
		title: account.recoveryTitle,
		hasHeading: true,
		scripts: [deviceScript],
		...(address && { styles: printingStyles[paperOf(address)] }),
		body: (
			<>
				<div class="how">
					<h1>{account.recoveryTitle}</h1>
					<section>
						<p>{account.recoveryShown}</p>
						<p class="secret" dir="ltr">
							{code}
						</p>
						<WaysToStore visit={visit} code={code} />
						<ButtonLine class="button first" to={pathTo(visit, next)} text={account.recoveryWritten} />
					</section>
				</div>
				{address ? <SignAndCode visit={visit} code={code} address={address} /> : null}
			</>
		),
	});
}
