ALTER TABLE `addresses` ADD `zone_region` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `addresses` ADD `locality` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `addresses` ADD `is_locality_chosen` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- What stood there so far was the region of the zone. The job that follows a new index (src/jobs/) puts the region of the point in its place.
UPDATE addresses SET zone_region = region;
--> statement-breakpoint
UPDATE addresses SET locality = 'Somolu' WHERE canonical = 'NG137748215';
