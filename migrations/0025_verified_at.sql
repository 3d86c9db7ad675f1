ALTER TABLE `addresses` ADD `verified_at` integer;--> statement-breakpoint
UPDATE addresses SET version = version + 1, verified_at = (SELECT max(created_at) FROM attestations WHERE attestations.canonical = addresses.canonical AND attestations.level >= addresses.verification_level) WHERE canonical IN (SELECT canonical FROM attestations);
