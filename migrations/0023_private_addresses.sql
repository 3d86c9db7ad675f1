ALTER TABLE `addresses` ADD `visibility` text DEFAULT 'public' NOT NULL;--> statement-breakpoint
ALTER TABLE `addresses` ADD `share_count` integer DEFAULT 0 NOT NULL;