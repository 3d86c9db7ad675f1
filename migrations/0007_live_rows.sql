CREATE INDEX `addresses_live_by_owner` ON `addresses` (`owner_id`,`retired_at`,`created_at`,`canonical`);--> statement-breakpoint
DROP INDEX `addresses_by_owner`;--> statement-breakpoint
CREATE INDEX `api_keys_live_by_user` ON `api_keys` (`user_id`,`revoked_at`,`created_at`,`id`);--> statement-breakpoint
DROP INDEX `api_keys_by_user`;--> statement-breakpoint
ALTER TABLE `users` ADD `disabled_at` integer;
