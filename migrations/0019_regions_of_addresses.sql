ALTER TABLE `addresses` ADD `region` text DEFAULT '' NOT NULL;--> statement-breakpoint
-- The address of every example goes with the third edition of the zones. It has no owner, no history and no attestations.
UPDATE addresses SET canonical = 'NG137748215', zone_name = 'Somolu 2 km south', region = 'Lagos' WHERE canonical = 'NG031148211';
