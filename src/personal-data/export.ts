import { type OwnAccount, ownAccountRecord } from "../accounts/record.ts";
import { geoJsonFeature, historyRecord } from "../addresses/address-record.ts";
import type { allVisitsOf } from "../addresses/attestation-actions.ts";
import { historyEvents } from "../addresses/history.ts";
import type { WholeAddress } from "../addresses/store.ts";
import type { ValueOf } from "../lazy.ts";
import { ownReportRecord } from "../reports/report-record.ts";
import type { Report } from "../reports/store.ts";
import { DAY } from "../time.ts";
import type { exportSchema } from "./schemas.ts";
import type { PersonalData } from "./store.ts";

function timeText(time: number): string {
	return new Date(time).toISOString();
}

function timeTextOrNull(time: number | null): string | null {
	return time === null ? null : timeText(time);
}

/** An address with all that has happened to it, as a GeoJSON Feature (RFC 7946). */
function feature(found: WholeAddress) {
	const { address, units } = found;
	const { properties, ...rest } = geoJsonFeature(address);
	return {
		...rest,
		properties: {
			...properties,
			retired_at: timeTextOrNull(address.retiredAt),
			successor: address.successor,
			units: units.map(({ unit, label, createdAt }) => ({ unit, label, created_at: timeText(createdAt) })),
			history: historyEvents(found).map(historyRecord),
		},
	};
}

/** Everything that the registry holds about a person, except the hashes of their secrets. */
export function exportDocument(
	{ user, sessions, keys, phoneProofs, oneTimeCodes, dailyCounts, operatorActs }: PersonalData,
	{
		account,
		addresses,
		visits,
		reports,
	}: {
		account: OwnAccount;
		visits: Awaited<ReturnType<typeof allVisitsOf>>;
		addresses: WholeAddress[];
		reports: Report[];
	},
	now: number,
): ValueOf<typeof exportSchema> {
	return {
		exported_at: timeText(now),
		account: {
			...ownAccountRecord(account, now),
			role: user.role,
			suspended_at: timeTextOrNull(user.suspendedAt),
			has_recovery_code: user.recoveryHash !== null,
		},
		sessions: sessions.map(({ id, device, createdAt, lastSeenAt, expiresAt, revokedAt }) => ({
			id,
			device: device || null,
			created_at: timeText(createdAt),
			last_used_at: timeText(lastSeenAt ?? createdAt),
			expires_at: timeText(expiresAt),
			ended_at: timeTextOrNull(revokedAt),
		})),
		keys: keys.map(({ id, name, mode, scopes, prefix, createdAt, lastUsedAt, revokedAt }) => ({
			id,
			name,
			mode,
			scopes,
			prefix,
			created_at: timeText(createdAt),
			last_used_at: timeTextOrNull(lastUsedAt),
			revoked_at: timeTextOrNull(revokedAt),
		})),
		phone_proofs: phoneProofs.map(({ phone, method, replacedPhone, provedAt }) => ({
			phone,
			method,
			replaced_phone: replacedPhone,
			proved_at: timeText(provedAt),
		})),
		one_time_codes: oneTimeCodes.map(({ phone, sentAt, usedAt }) => ({
			phone,
			sent_at: timeText(sentAt),
			used_at: timeTextOrNull(usedAt),
		})),
		daily_counts: dailyCounts.map(({ subject, day, count }) => ({
			name: subject.split(":")[1] ?? "",
			day: timeText(day * DAY).slice(0, 10),
			count,
		})),
		attestations: visits.attested.map(({ canonical, level, note, position, distance, createdAt }) => ({
			canonical,
			level,
			note,
			position: position && { lat: position.lat, lng: position.lng, accuracy_m: position.accuracy },
			distance_m: distance,
			created_at: timeText(createdAt),
		})),
		private_reads: visits.reads.map(({ canonical, readAt }) => ({ canonical, read_at: timeText(readAt) })),
		operator_acts: operatorActs.map(({ at, act }) => ({ at: timeText(at), act })),
		reports: reports.map((report) => ({ canonical: report.canonical, ...ownReportRecord(report) })),
		addresses: { type: "FeatureCollection", features: addresses.map(feature) },
	};
}
