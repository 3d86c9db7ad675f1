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
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`mode` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_by_user` ON `api_keys` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `attestations` (
	`id` text PRIMARY KEY NOT NULL,
	`canonical` text NOT NULL,
	`agent_id` text NOT NULL,
	`level` integer NOT NULL,
	`note` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attestations_by_address` ON `attestations` (`canonical`,`created_at`);--> statement-breakpoint
CREATE TABLE `daily_counts` (
	`subject` text NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`subject`, `day`)
);
--> statement-breakpoint
CREATE INDEX `daily_counts_by_day` ON `daily_counts` (`day`);--> statement-breakpoint
CREATE TABLE `failed_logins` (
	`id` integer PRIMARY KEY NOT NULL,
	`phone_key` text NOT NULL,
	`pair_key` text NOT NULL,
	`failed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `failed_logins_by_phone` ON `failed_logins` (`phone_key`,`failed_at`);--> statement-breakpoint
CREATE INDEX `failed_logins_by_pair` ON `failed_logins` (`pair_key`,`failed_at`);--> statement-breakpoint
CREATE INDEX `failed_logins_by_time` ON `failed_logins` (`failed_at`);--> statement-breakpoint
CREATE TABLE `last_codes` (
	`canonical` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `otp_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`phone` text NOT NULL,
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`sent_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `otp_codes_by_phone` ON `otp_codes` (`phone`,`sent_at`);--> statement-breakpoint
CREATE INDEX `otp_codes_by_time` ON `otp_codes` (`sent_at`);--> statement-breakpoint
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
CREATE TABLE `phone_proofs` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`phone` text NOT NULL,
	`method` text NOT NULL,
	`agent_id` text,
	`taken_from` text,
	`proved_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `phone_proofs_by_user` ON `phone_proofs` (`user_id`);--> statement-breakpoint
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