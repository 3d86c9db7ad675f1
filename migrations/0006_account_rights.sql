ALTER TABLE `addresses` ADD `closed_with_account` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `scopes` text DEFAULT '["addresses:read"]' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `recovery_hash` text;--> statement-breakpoint
ALTER TABLE `users` ADD `erase_at` integer;--> statement-breakpoint
-- A closed account hides its addresses at once, and shows them again when its holder comes back in time. In the database, so that no way to sign in can forget it.
CREATE TRIGGER users_close AFTER UPDATE OF erase_at ON users WHEN old.erase_at IS NULL AND new.erase_at IS NOT NULL BEGIN UPDATE addresses SET retired_at = cast(unixepoch('subsec') * 1000 AS integer), closed_with_account = 1, version = version + 1 WHERE owner_id = new.id AND retired_at IS NULL; END;
--> statement-breakpoint
CREATE TRIGGER users_reopen AFTER UPDATE OF erase_at ON users WHEN old.erase_at IS NOT NULL AND new.erase_at IS NULL BEGIN UPDATE addresses SET retired_at = NULL, closed_with_account = 0, version = version + 1 WHERE owner_id = new.id AND closed_with_account = 1; END;
--> statement-breakpoint
-- Phone proofs go with an account that is erased, and at no other time.
DROP TRIGGER phone_proofs_stay;
--> statement-breakpoint
CREATE TRIGGER phone_proofs_stay BEFORE DELETE ON phone_proofs WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN SELECT RAISE(ABORT, 'phone proofs are only ever added'); END;
