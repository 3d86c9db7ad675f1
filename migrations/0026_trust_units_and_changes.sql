CREATE TABLE `changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`canonical` text NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pending_phones` (
	`user_id` text PRIMARY KEY NOT NULL,
	`phone` text NOT NULL,
	`agent_id` text NOT NULL,
	`attested_at` integer NOT NULL,
	`accepted_at` integer,
	`objected_at` integer
);
--> statement-breakpoint
CREATE INDEX `pending_phones_by_phone` ON `pending_phones` (`phone`);--> statement-breakpoint
CREATE TABLE `private_reads` (
	`id` integer PRIMARY KEY NOT NULL,
	`canonical` text NOT NULL,
	`agent_id` text NOT NULL,
	`read_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `private_reads_by_address` ON `private_reads` (`canonical`,`read_at`);--> statement-breakpoint
CREATE INDEX `private_reads_by_agent` ON `private_reads` (`agent_id`,`read_at`);--> statement-breakpoint
CREATE TABLE `reports` (
	`id` text PRIMARY KEY NOT NULL,
	`canonical` text NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`point` text,
	`created_at` integer NOT NULL,
	`text_shown_at` integer,
	`answer` text DEFAULT '' NOT NULL,
	`answered_at` integer,
	`decision` text,
	`reason` text DEFAULT '' NOT NULL,
	`decided_at` integer
);
--> statement-breakpoint
CREATE INDEX `reports_by_address` ON `reports` (`canonical`,`created_at`);--> statement-breakpoint
CREATE INDEX `reports_waiting` ON `reports` (`created_at`) WHERE "reports"."decision" is null;--> statement-breakpoint
CREATE INDEX `reports_by_time` ON `reports` (`created_at`);--> statement-breakpoint
CREATE TABLE `units` (
	`canonical` text NOT NULL,
	`unit` text NOT NULL,
	`label` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`canonical`, `unit`)
);
--> statement-breakpoint
ALTER TABLE `addresses` ADD `updated_at` integer;--> statement-breakpoint
ALTER TABLE `attestations` ADD `position` text;--> statement-breakpoint
ALTER TABLE `attestations` ADD `distance` real;--> statement-breakpoint
CREATE INDEX `attestations_by_agent` ON `attestations` (`agent_id`,`created_at`);