CREATE TABLE `burnt_codes` (
	`canonical` text PRIMARY KEY NOT NULL,
	`retired_at` integer,
	`successor` text
);
--> statement-breakpoint
-- A burnt code is never issued again: the database itself refuses an address under it, and keeps it burnt.
CREATE TRIGGER addresses_under_no_burnt_code BEFORE INSERT ON addresses WHEN EXISTS (SELECT 1 FROM burnt_codes WHERE canonical = new.canonical) BEGIN SELECT RAISE(ABORT, 'a burnt code is never issued again'); END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_leave_last_codes AFTER INSERT ON burnt_codes BEGIN DELETE FROM last_codes WHERE canonical = new.canonical; END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_keep BEFORE UPDATE ON burnt_codes BEGIN SELECT RAISE(ABORT, 'burnt codes are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_stay BEFORE DELETE ON burnt_codes BEGIN SELECT RAISE(ABORT, 'burnt codes are only ever added'); END;
