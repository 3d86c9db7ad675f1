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
CREATE TABLE `addresses` (
	`canonical` text PRIMARY KEY NOT NULL,
	`zone_name` text NOT NULL,
	`region` text DEFAULT '' NOT NULL,
	`edition` text,
	`lat` real NOT NULL,
	`lng` real NOT NULL,
	`label` text NOT NULL,
	`directions` text DEFAULT '' NOT NULL,
	`entrance` text DEFAULT 'null' NOT NULL,
	`visibility` text DEFAULT 'public' NOT NULL,
	`share_count` integer DEFAULT 0 NOT NULL,
	`verification_level` integer DEFAULT 0 NOT NULL,
	`verified_at` integer,
	`owner_id` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer,
	`retired_at` integer,
	`successor` text,
	`hidden_at` integer,
	`closed_with_account` integer DEFAULT false NOT NULL,
	`external_id` text,
	`idempotency_key` text,
	`request_hash` text
);
--> statement-breakpoint
CREATE INDEX `addresses_live_by_owner` ON `addresses` (`owner_id`,`retired_at`,`created_at`,`canonical`);--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_by_idempotency_key` ON `addresses` (`owner_id`,`idempotency_key`,("canonical" > 'ZZ')) WHERE "addresses"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX `addresses_by_key_age` ON `addresses` (`created_at`) WHERE "addresses"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX `addresses_by_successor` ON `addresses` (`successor`) WHERE "addresses"."successor" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_by_external_id` ON `addresses` (`owner_id`,`external_id`,("canonical" > 'ZZ')) WHERE "addresses"."external_id" is not null;--> statement-breakpoint
CREATE INDEX `addresses_by_retirement` ON `addresses` (`retired_at`) WHERE "addresses"."retired_at" is not null;--> statement-breakpoint
CREATE TABLE `allowances` (
	`user_id` text PRIMARY KEY NOT NULL,
	`new_addresses_per_day` integer,
	`unknown_codes_per_minute` integer
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`mode` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	`sandbox` integer DEFAULT false NOT NULL,
	`scopes` text DEFAULT '["addresses:read"]' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_live_by_user` ON `api_keys` (`user_id`,`revoked_at`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `api_keys_by_revocation` ON `api_keys` (`revoked_at`) WHERE "api_keys"."revoked_at" is not null;--> statement-breakpoint
CREATE TABLE `attestations` (
	`id` text PRIMARY KEY NOT NULL,
	`canonical` text NOT NULL,
	`agent_id` text NOT NULL,
	`level` integer NOT NULL,
	`note` text NOT NULL,
	`label` text,
	`directions` text,
	`entrance` text,
	`lat` real,
	`lng` real,
	`position` text,
	`distance` real,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attestations_by_address` ON `attestations` (`canonical`,`created_at`);--> statement-breakpoint
CREATE INDEX `attestations_by_agent` ON `attestations` (`agent_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `burnt_codes` (
	`canonical` text PRIMARY KEY NOT NULL,
	`retired_at` integer,
	`successor` text
);
--> statement-breakpoint
CREATE INDEX `burnt_codes_by_successor` ON `burnt_codes` (`successor`) WHERE "burnt_codes"."successor" is not null;--> statement-breakpoint
CREATE TABLE `changes` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`canonical` text NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `daily_counts` (
	`subject` text NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`subject`, `day`)
);
--> statement-breakpoint
CREATE INDEX `daily_counts_by_day` ON `daily_counts` (`day`);--> statement-breakpoint
CREATE TABLE `erased_accounts` (
	`user_id` text PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE `journal_queue` (
	`canonical` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `known_networks` (
	`key` text PRIMARY KEY NOT NULL,
	`signed_in_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `known_networks_by_time` ON `known_networks` (`signed_in_at`);--> statement-breakpoint
CREATE TABLE `last_codes` (
	`canonical` text PRIMARY KEY NOT NULL
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
CREATE TABLE `otp_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`phone` text NOT NULL,
	`user_id` text NOT NULL,
	`network_key` text DEFAULT '' NOT NULL,
	`is_for_holder` integer DEFAULT false NOT NULL,
	`code_hash` text NOT NULL,
	`sent_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`tries_elsewhere` integer DEFAULT 0 NOT NULL,
	`used_at` integer,
	`used_by` text
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
CREATE TABLE `phone_proofs` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`phone` text NOT NULL,
	`method` text NOT NULL,
	`agent_id` text,
	`taken_from` text,
	`replaced_phone` text,
	`replaced_verified` integer DEFAULT false NOT NULL,
	`proved_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `phone_proofs_by_user` ON `phone_proofs` (`user_id`);--> statement-breakpoint
CREATE INDEX `phone_proofs_by_replaced_phone` ON `phone_proofs` (`replaced_phone`,`proved_at`) WHERE "phone_proofs"."replaced_phone" is not null;--> statement-breakpoint
CREATE TABLE `private_reads` (
	`id` integer PRIMARY KEY NOT NULL,
	`canonical` text NOT NULL,
	`agent_id` text NOT NULL,
	`read_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `private_reads_by_address` ON `private_reads` (`canonical`,`read_at`);--> statement-breakpoint
CREATE INDEX `private_reads_by_agent` ON `private_reads` (`agent_id`,`read_at`);--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
);
--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_session` ON `refresh_tokens` (`session_id`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_by_expiry` ON `refresh_tokens` (`expires_at`);--> statement-breakpoint
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
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer,
	`web_token_hash` text,
	`idle_milliseconds` integer,
	`last_seen_at` integer,
	`device` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_web_token_hash_unique` ON `sessions` (`web_token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE INDEX `sessions_by_end` ON `sessions` (`revoked_at`) WHERE "sessions"."revoked_at" is not null;--> statement-breakpoint
CREATE TABLE `units` (
	`canonical` text NOT NULL,
	`unit` text NOT NULL,
	`label` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`canonical`, `unit`)
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`phone` text,
	`phone_verified` integer DEFAULT false NOT NULL,
	`password_hash` text NOT NULL,
	`role` text DEFAULT 'user' NOT NULL,
	`created_at` integer NOT NULL,
	`disabled_at` integer,
	`recovery_hash` text,
	`erase_at` integer,
	`unused_until` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_phone_unique` ON `users` (`phone`);--> statement-breakpoint
CREATE INDEX `users_by_erasure` ON `users` (`erase_at`) WHERE "users"."erase_at" is not null;--> statement-breakpoint
CREATE INDEX `users_by_role` ON `users` (`role`) WHERE "users"."role" = 'agent';--> statement-breakpoint
CREATE INDEX `users_by_disuse` ON `users` (`unused_until`) WHERE "users"."unused_until" is not null;