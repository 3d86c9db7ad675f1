CREATE TABLE `allowances` (
	`user_id` text PRIMARY KEY NOT NULL,
	`new_addresses_per_day` integer,
	`unknown_codes_per_minute` integer
);
--> statement-breakpoint
CREATE TABLE `operator_acts` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`operator` text NOT NULL,
	`act` text NOT NULL,
	`detail` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` text NOT NULL,
	`reason` text NOT NULL,
	`request_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `operator_acts_by_time` ON `operator_acts` (`at`,`id`);--> statement-breakpoint
CREATE INDEX `operator_acts_by_user` ON `operator_acts` (`user_id`,`at`);--> statement-breakpoint
ALTER TABLE `addresses` ADD `hidden_at` integer;--> statement-breakpoint
-- What operators did stays as it was written. Where the person is erased whom it concerned, their name and the reason go, and no more.
CREATE TRIGGER operator_acts_stay BEFORE DELETE ON operator_acts BEGIN SELECT RAISE(ABORT, 'operator acts are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER operator_acts_keep BEFORE UPDATE ON operator_acts WHEN new.reason <> '' OR new.id IS NOT old.id OR new.at IS NOT old.at OR new.operator IS NOT old.operator OR new.act IS NOT old.act OR new.detail IS NOT old.detail OR new.request_id IS NOT old.request_id OR old.user_id = '' OR EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN SELECT RAISE(ABORT, 'operator acts are only ever added'); END;
