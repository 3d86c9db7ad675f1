-- The batch that changes an address writes its history, from the one list of what an owner fills in (src/addresses/content.ts).
DROP TRIGGER addresses_keep_labels;
--> statement-breakpoint
DROP TRIGGER addresses_keep_points;
