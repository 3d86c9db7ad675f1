CREATE TABLE `closed_owners` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`closed_at` integer,
	`changed_at` integer NOT NULL,
	`is_told` integer DEFAULT false NOT NULL,
	`told_created_at` integer DEFAULT 0 NOT NULL,
	`told_canonical` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `closed_owners_closed` ON `closed_owners` (`owner_id`) WHERE "closed_owners"."closed_at" is not null;--> statement-breakpoint
CREATE INDEX `closed_owners_untold` ON `closed_owners` (`changed_at`) WHERE "closed_owners"."is_told" = 0;--> statement-breakpoint
-- A closed account closes its addresses by one row, whatever their number, and opens them by it when its holder comes back in time. In the
-- database, so that no way to sign in can forget it. Addresses that version 1.3.0 closed one by one stay so until then: old Workers, which
-- do not know the row, go on hiding them. The index of owners finds them by `retired_at` without passing by those that are live.
DROP TRIGGER users_close;
--> statement-breakpoint
CREATE TRIGGER users_close AFTER UPDATE OF erase_at ON users WHEN old.erase_at IS NULL AND new.erase_at IS NOT NULL BEGIN INSERT INTO closed_owners (owner_id, closed_at, changed_at) VALUES (new.id, cast(unixepoch('subsec') * 1000 AS integer), cast(unixepoch('subsec') * 1000 AS integer)) ON CONFLICT (owner_id) DO UPDATE SET closed_at = excluded.closed_at, changed_at = max(excluded.changed_at, changed_at + 1), is_told = 0, told_created_at = 0, told_canonical = ''; END;
--> statement-breakpoint
DROP TRIGGER users_reopen;
--> statement-breakpoint
CREATE TRIGGER users_reopen AFTER UPDATE OF erase_at ON users WHEN old.erase_at IS NOT NULL AND new.erase_at IS NULL BEGIN UPDATE closed_owners SET closed_at = NULL, changed_at = max(cast(unixepoch('subsec') * 1000 AS integer), changed_at + 1), is_told = 0, told_created_at = 0, told_canonical = '' WHERE owner_id = new.id; UPDATE addresses SET retired_at = NULL, closed_with_account = 0, version = version + 1, updated_at = cast(unixepoch('subsec') * 1000 AS integer) WHERE owner_id = new.id AND retired_at IS NOT NULL AND closed_with_account = 1; END;
--> statement-breakpoint
-- Accounts that are closed already. The feed told of their addresses when they were.
INSERT INTO closed_owners (owner_id, closed_at, changed_at, is_told) SELECT id, cast(unixepoch('subsec') * 1000 AS integer), cast(unixepoch('subsec') * 1000 AS integer), 1 FROM users WHERE erase_at IS NOT NULL;
--> statement-breakpoint
-- And those of addresses that lie here, where this is not the database of accounts.
INSERT INTO closed_owners (owner_id, closed_at, changed_at, is_told) SELECT DISTINCT owner_id, cast(unixepoch('subsec') * 1000 AS integer), cast(unixepoch('subsec') * 1000 AS integer), 1 FROM addresses WHERE retired_at IS NOT NULL AND closed_with_account = 1 ON CONFLICT DO NOTHING;
