ALTER TABLE `sessions` ADD `web_token_hash` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `idle_milliseconds` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `last_seen_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `device` text;--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_web_token_hash_unique` ON `sessions` (`web_token_hash`);