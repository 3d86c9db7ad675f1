DROP INDEX `addresses_by_idempotency_key`;--> statement-breakpoint
DROP INDEX `addresses_by_external_id`;--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_by_idempotency_key` ON `addresses` (`owner_id`,`idempotency_key`,("canonical" > 'ZZ')) WHERE "addresses"."idempotency_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_by_external_id` ON `addresses` (`owner_id`,`external_id`,("canonical" > 'ZZ')) WHERE "addresses"."external_id" is not null;