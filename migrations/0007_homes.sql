CREATE TABLE `homes` (
	`prefix` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`served_since` integer
);
--> statement-breakpoint
-- What is moving to another database, or has left for it, is written by nobody: the move copies it as it stands, and its codes resolve meanwhile.
-- Of the homes of a code, that of its zone stands before that of its country. The example of nobody's stands in every database.
CREATE TRIGGER addresses_at_home_insert BEFORE INSERT ON addresses WHEN new.owner_id <> 'usr_nobody' AND (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER addresses_at_home_update BEFORE UPDATE ON addresses WHEN old.owner_id <> 'usr_nobody' AND (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left', 'arriving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER addresses_at_home_delete BEFORE DELETE ON addresses WHEN old.owner_id <> 'usr_nobody' AND (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'arriving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER address_changes_at_home_insert BEFORE INSERT ON address_changes WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER address_changes_at_home_update BEFORE UPDATE ON address_changes WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER address_changes_at_home_delete BEFORE DELETE ON address_changes WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER units_at_home_insert BEFORE INSERT ON units WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER units_at_home_update BEFORE UPDATE ON units WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER units_at_home_delete BEFORE DELETE ON units WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER attestations_at_home_insert BEFORE INSERT ON attestations WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER attestations_at_home_update BEFORE UPDATE ON attestations WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER attestations_at_home_delete BEFORE DELETE ON attestations WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER private_reads_at_home_insert BEFORE INSERT ON private_reads WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER private_reads_at_home_update BEFORE UPDATE ON private_reads WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER private_reads_at_home_delete BEFORE DELETE ON private_reads WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER reports_at_home_insert BEFORE INSERT ON reports WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER reports_at_home_update BEFORE UPDATE ON reports WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER reports_at_home_delete BEFORE DELETE ON reports WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_at_home_insert BEFORE INSERT ON burnt_codes WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_at_home_update BEFORE UPDATE ON burnt_codes WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_at_home_delete BEFORE DELETE ON burnt_codes WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER last_codes_at_home_insert BEFORE INSERT ON last_codes WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER last_codes_at_home_update BEFORE UPDATE ON last_codes WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER last_codes_at_home_delete BEFORE DELETE ON last_codes WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER operator_acts_at_home_insert BEFORE INSERT ON operator_acts WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.subject, 1, 2), substr(new.subject, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER operator_acts_at_home_update BEFORE UPDATE ON operator_acts WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.subject, 1, 2), substr(old.subject, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER operator_acts_at_home_delete BEFORE DELETE ON operator_acts WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.subject, 1, 2), substr(old.subject, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER overflow_zones_at_home_insert BEFORE INSERT ON overflow_zones WHEN (SELECT state FROM homes WHERE prefix IN (substr(new.country || '0', 1, 2), substr(new.country || '0', 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER overflow_zones_at_home_update BEFORE UPDATE ON overflow_zones WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.country || '0', 1, 2), substr(old.country || '0', 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving', 'left') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER overflow_zones_at_home_delete BEFORE DELETE ON overflow_zones WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.country || '0', 1, 2), substr(old.country || '0', 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
CREATE TRIGGER changes_at_home_delete BEFORE DELETE ON changes WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IN ('moving') BEGIN SELECT RAISE(ABORT, 'refused: moving'); END;
--> statement-breakpoint
-- What has left is deleted without a word in the feed, also from tables that are only added to, and what arrives has its word there already.
DROP TRIGGER attestations_stay;
--> statement-breakpoint
CREATE TRIGGER attestations_stay BEFORE DELETE ON attestations WHEN (NOT EXISTS (SELECT 1 FROM burnt_codes WHERE canonical = old.canonical)) AND (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IS NOT 'left' BEGIN SELECT RAISE(ABORT, 'attestations are only ever added'); END;
--> statement-breakpoint
DROP TRIGGER address_changes_stay;
--> statement-breakpoint
CREATE TRIGGER address_changes_stay BEFORE DELETE ON address_changes WHEN (NOT EXISTS (SELECT 1 FROM burnt_codes WHERE canonical = old.canonical)) AND (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IS NOT 'left' BEGIN SELECT RAISE(ABORT, 'the history of an address is only ever added to'); END;
--> statement-breakpoint
DROP TRIGGER burnt_codes_stay;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_stay BEFORE DELETE ON burnt_codes WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IS NOT 'left' BEGIN SELECT RAISE(ABORT, 'burnt codes are only ever added'); END;
--> statement-breakpoint
DROP TRIGGER operator_acts_stay;
--> statement-breakpoint
CREATE TRIGGER operator_acts_stay BEFORE DELETE ON operator_acts WHEN (SELECT state FROM homes WHERE prefix IN (substr(old.subject, 1, 2), substr(old.subject, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IS NOT 'left' BEGIN SELECT RAISE(ABORT, 'operator acts are only ever added'); END;
--> statement-breakpoint
DROP TRIGGER addresses_feed_erased;
--> statement-breakpoint
CREATE TRIGGER addresses_feed_erased AFTER DELETE ON addresses WHEN (substr(old.canonical, 1, 2) <> 'ZZ') AND (SELECT state FROM homes WHERE prefix IN (substr(old.canonical, 1, 2), substr(old.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IS NOT 'left' BEGIN INSERT INTO changes (canonical, kind, at) VALUES (old.canonical, 'erased', cast(unixepoch('subsec') * 1000 AS integer)); END;
--> statement-breakpoint
DROP TRIGGER addresses_feed_new;
--> statement-breakpoint
CREATE TRIGGER addresses_feed_new AFTER INSERT ON addresses WHEN (substr(new.canonical, 1, 2) <> 'ZZ') AND (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IS NOT 'arriving' BEGIN INSERT INTO changes (canonical, kind, at) VALUES (new.canonical, 'created', cast(unixepoch('subsec') * 1000 AS integer)); END;
--> statement-breakpoint
DROP TRIGGER addresses_queue_new;
--> statement-breakpoint
CREATE TRIGGER addresses_queue_new AFTER INSERT ON addresses WHEN (substr(new.canonical, 1, 2) <> 'ZZ') AND (SELECT state FROM homes WHERE prefix IN (substr(new.canonical, 1, 2), substr(new.canonical, 1, 3)) ORDER BY length(prefix) DESC LIMIT 1) IS NOT 'arriving' BEGIN INSERT INTO journal_queue (canonical, version, queued_at) VALUES (new.canonical, new.version, cast(unixepoch('subsec') * 1000 AS integer)) ON CONFLICT (canonical) DO UPDATE SET version = excluded.version; END;
