CREATE TABLE `address_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`canonical` text NOT NULL,
	`changed_at` integer NOT NULL,
	`change` text NOT NULL,
	`label` text,
	`lat` real,
	`lng` real
);
--> statement-breakpoint
CREATE INDEX `address_changes_by_address` ON `address_changes` (`canonical`,`changed_at`);--> statement-breakpoint
ALTER TABLE `addresses` ADD `successor` text;--> statement-breakpoint
CREATE INDEX `addresses_by_retirement` ON `addresses` (`retired_at`) WHERE "addresses"."retired_at" is not null;--> statement-breakpoint
ALTER TABLE `attestations` ADD `label` text;--> statement-breakpoint
ALTER TABLE `attestations` ADD `lat` real;--> statement-breakpoint
ALTER TABLE `attestations` ADD `lng` real;--> statement-breakpoint
-- The history of an address is written where the change is made, so that no path to a change can forget it.
CREATE TRIGGER addresses_keep_labels AFTER UPDATE OF label ON addresses WHEN new.label IS NOT old.label BEGIN INSERT INTO address_changes (canonical, changed_at, change, label) VALUES (old.canonical, cast(unixepoch('subsec') * 1000 AS integer), 'label', old.label); END;
--> statement-breakpoint
CREATE TRIGGER addresses_keep_points AFTER UPDATE OF lat, lng ON addresses WHEN new.lat IS NOT old.lat OR new.lng IS NOT old.lng BEGIN INSERT INTO address_changes (canonical, changed_at, change, lat, lng) VALUES (old.canonical, cast(unixepoch('subsec') * 1000 AS integer), 'point', old.lat, old.lng); END;
--> statement-breakpoint
CREATE TRIGGER address_changes_keep BEFORE UPDATE ON address_changes BEGIN SELECT RAISE(ABORT, 'the history of an address is only ever added to'); END;
--> statement-breakpoint
-- History and attestations go with an address that is erased, which leaves its burnt code, and at no other time.
CREATE TRIGGER address_changes_stay BEFORE DELETE ON address_changes WHEN NOT EXISTS (SELECT 1 FROM burnt_codes WHERE canonical = old.canonical) BEGIN SELECT RAISE(ABORT, 'the history of an address is only ever added to'); END;
--> statement-breakpoint
DROP TRIGGER attestations_stay;
--> statement-breakpoint
CREATE TRIGGER attestations_stay BEFORE DELETE ON attestations WHEN NOT EXISTS (SELECT 1 FROM burnt_codes WHERE canonical = old.canonical) BEGIN SELECT RAISE(ABORT, 'attestations are only ever added'); END;
