DROP TABLE `unknown_codes`;--> statement-breakpoint
ALTER TABLE `users` ADD `unused_until` integer;--> statement-breakpoint
CREATE INDEX `users_by_erasure` ON `users` (`erase_at`) WHERE "users"."erase_at" is not null;--> statement-breakpoint
CREATE INDEX `users_by_disuse` ON `users` (`unused_until`) WHERE "users"."unused_until" is not null;--> statement-breakpoint
CREATE INDEX `addresses_by_key_age` ON `addresses` (`created_at`) WHERE "addresses"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX `addresses_by_successor` ON `addresses` (`successor`) WHERE "addresses"."successor" is not null;--> statement-breakpoint
CREATE INDEX `burnt_codes_by_successor` ON `burnt_codes` (`successor`) WHERE "burnt_codes"."successor" is not null;--> statement-breakpoint
-- Of a burnt code nothing may change, but that what it leads to is forgotten with an account.
DROP TRIGGER burnt_codes_keep;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_keep BEFORE UPDATE ON burnt_codes WHEN new.canonical IS NOT old.canonical OR new.retired_at IS NOT old.retired_at OR new.successor IS NOT NULL BEGIN SELECT RAISE(ABORT, 'burnt codes are only ever added'); END;
