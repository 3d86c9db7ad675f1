ALTER TABLE `addresses` ADD `directions` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `addresses` ADD `entrance` text DEFAULT 'null' NOT NULL;--> statement-breakpoint
ALTER TABLE `attestations` ADD `directions` text;--> statement-breakpoint
ALTER TABLE `attestations` ADD `entrance` text;