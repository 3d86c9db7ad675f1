import { type OwnAccount, ownAccountRecord, sessionRecord } from "../accounts/record.ts";
import { geoJsonFeature, privateReadRecord, unitRecord, visitRecord } from "../addresses/address-record.ts";
import type { allVisitsOf } from "../addresses/attestation-actions.ts";
import { historyEvents } from "../addresses/history.ts";
import type { WholeAddress } from "../addresses/store.ts";
import { keyRecord } from "../keys/key-record.ts";
import { ownReportRecord } from "../reports/report-record.ts";
import type { Report } from "../reports/store.ts";
import type { ValueOf } from "../schemas/lazy.ts";
import { DAY, timestamp, timestampOrNull } from "../time/time.ts";
import type { exportSchema } from "./schemas.ts";
import type { PersonalData } from "./store.ts";

type ExportDocument = ValueOf<typeof exportSchema>;

/** An address with its units and history, as a GeoJSON Feature (RFC 7946). */
export function exportedFeature(found: WholeAddress): ExportDocument["addresses"]["features"][number] {
	const { address, units } = found;
	const { properties, ...rest } = geoJsonFeature(address);
	return {
		...rest,
		properties: {
			...properties,
			retired_at: timestampOrNull(address.retiredAt),
			successor: address.successor,
			units: units.map(({ createdAt, ...unit }) => ({ ...unitRecord(unit), created_at: timestamp(createdAt) })),
			history: historyEvents(found),
		},
	};
}

/** A report about an address. */
export function exportedReport(report: Report): ExportDocument["reports"][number] {
	return { canonical: report.canonical, ...ownReportRecord(report) };
}

/** Everything that the registry holds about a person, except their addresses and the hashes of their secrets. */
export function exportedAccount(
	{ user, sessions, keys, phoneProofs, oneTimeCodes, dailyCounts, operatorActs }: PersonalData,
	{ account, visits }: { account: OwnAccount; visits: Awaited<ReturnType<typeof allVisitsOf>> },
	now: number,
): Omit<ExportDocument, "addresses" | "reports"> {
	return {
		exported_at: timestamp(now),
		account: {
			...ownAccountRecord(account),
			role: user.role,
			suspended_at: timestampOrNull(user.suspendedAt),
			has_recovery_code: user.recoveryHash !== null,
		},
		sessions: sessions.map((session) => ({
			...sessionRecord(session),
			expires_at: timestamp(session.expiresAt),
			ended_at: timestampOrNull(session.revokedAt),
		})),
		keys: keys.map((key) => ({ ...keyRecord(key), revoked_at: timestampOrNull(key.revokedAt) })),
		phone_proofs: phoneProofs.map(({ phone, method, replacedPhone, provedAt }) => ({
			phone,
			method,
			replaced_phone: replacedPhone,
			proved_at: timestamp(provedAt),
		})),
		one_time_codes: oneTimeCodes.map(({ phone, sentAt, usedAt }) => ({
			phone,
			sent_at: timestamp(sentAt),
			used_at: timestampOrNull(usedAt),
		})),
		daily_counts: dailyCounts.map(({ subject, day, count }) => ({
			name: subject.split(":")[1] ?? "",
			day: timestamp(day * DAY).slice(0, 10),
			count,
		})),
		attestations: visits.attested.map(visitRecord),
		private_reads: visits.reads.map(privateReadRecord),
		operator_acts: operatorActs.map(({ at, act }) => ({ at: timestamp(at), act })),
	};
}
