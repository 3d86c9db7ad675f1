CREATE TABLE `reservations` (
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`request_hash` text,
	`at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `name`)
);
--> statement-breakpoint
CREATE INDEX `reservations_by_time` ON `reservations` (`at`);--> statement-breakpoint
CREATE TABLE `unsettled` (
	`user_id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `users` ADD `places` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- An account with addresses in other databases is closed and opened again there too, by the request and, where one of them is down, by the job
-- that settles it (src/jobs/settle.ts).
CREATE TRIGGER users_unsettle AFTER UPDATE OF erase_at ON users WHEN new.places <> '' AND (old.erase_at IS NULL) <> (new.erase_at IS NULL) BEGIN INSERT INTO unsettled (user_id, at) VALUES (new.id, cast(unixepoch('subsec') * 1000 AS integer)) ON CONFLICT (user_id) DO UPDATE SET at = excluded.at; END;
