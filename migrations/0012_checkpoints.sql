ALTER TABLE `account_journal_queue` ADD `newer_entry` integer;--> statement-breakpoint
ALTER TABLE `journal_queue` ADD `newer_entry` integer;--> statement-breakpoint
ALTER TABLE `registry_identity` ADD `checkpoint` integer;--> statement-breakpoint
ALTER TABLE `registry_identity` ADD `checkpoint_mark` text;--> statement-breakpoint
ALTER TABLE `registry_identity` ADD `incident` text;--> statement-breakpoint
ALTER TABLE `registry_identity` ADD `incident_since` integer;--> statement-breakpoint
-- A database that was rolled back no longer knows which codes it has issued since. Until it is restored it issues none; rows that a restore
-- puts back are older.
CREATE TRIGGER addresses_wait_for_restore BEFORE INSERT ON addresses WHEN new.created_at >= (SELECT incident_since FROM registry_identity WHERE incident = 'database_behind') BEGIN SELECT RAISE(ABORT, 'a restore is under way'); END;
