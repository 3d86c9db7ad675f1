CREATE TABLE `known_networks` (
	`key` text PRIMARY KEY NOT NULL,
	`signed_in_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `known_networks_by_time` ON `known_networks` (`signed_in_at`);