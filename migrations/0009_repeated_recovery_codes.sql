ALTER TABLE `users` ADD `recovery_given_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `recovery_given_to` text;