ALTER TABLE `otp_codes` ADD `network_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `otp_codes` ADD `is_for_holder` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `otp_codes` ADD `tries_elsewhere` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `otp_codes` ADD `used_by` text;