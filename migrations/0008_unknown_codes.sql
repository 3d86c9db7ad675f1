CREATE TABLE `unknown_codes` (
	`subject` text PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`day_count` integer NOT NULL,
	`minute` integer NOT NULL,
	`minute_count` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `unknown_codes_by_day` ON `unknown_codes` (`day`);