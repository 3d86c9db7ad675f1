CREATE TABLE `addresses` (
	`canonical` text PRIMARY KEY NOT NULL,
	`zone_name` text NOT NULL,
	`lat` real NOT NULL,
	`lng` real NOT NULL,
	`label` text NOT NULL,
	`verification_level` integer DEFAULT 0 NOT NULL,
	`owner_id` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`retired_at` integer,
	`idempotency_key` text,
	`request_hash` text
);
--> statement-breakpoint
CREATE INDEX `addresses_by_owner` ON `addresses` (`owner_id`,`created_at`,`canonical`);--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_by_idempotency_key` ON `addresses` (`owner_id`,`idempotency_key`) WHERE "addresses"."idempotency_key" is not null;--> statement-breakpoint
CREATE TABLE `last_codes` (
	`canonical` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `overflow_zones` (
	`country` text NOT NULL,
	`zone` integer NOT NULL,
	`area` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`country`, `zone`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `overflow_zones_by_area` ON `overflow_zones` (`country`,`area`,`ordinal`);--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_session` ON `refresh_tokens` (`session_id`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_expiry` ON `refresh_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`phone` text,
	`phone_verified` integer DEFAULT false NOT NULL,
	`password_hash` text NOT NULL,
	`role` text DEFAULT 'user' NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_phone_unique` ON `users` (`phone`);