CREATE TABLE `failed_sign_ins` (
	`pair_key` text PRIMARY KEY NOT NULL,
	`phone_key` text NOT NULL,
	`count` integer NOT NULL,
	`since` integer NOT NULL,
	`phone_count` integer NOT NULL,
	`phone_since` integer NOT NULL,
	`failed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `failed_sign_ins_by_phone` ON `failed_sign_ins` (`phone_key`,`failed_at`);--> statement-breakpoint
CREATE INDEX `failed_sign_ins_by_time` ON `failed_sign_ins` (`failed_at`);