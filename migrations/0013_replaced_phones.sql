ALTER TABLE `phone_proofs` ADD `replaced_phone` text;--> statement-breakpoint
ALTER TABLE `phone_proofs` ADD `replaced_verified` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `phone_proofs_by_replaced_phone` ON `phone_proofs` (`replaced_phone`,`proved_at`) WHERE "phone_proofs"."replaced_phone" is not null;