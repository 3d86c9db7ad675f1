CREATE TABLE `account_journal_queue` (
	`user_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `journal_written` (
	`id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `registry_identity` (
	`id` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE `journal_queue` ADD `queued_at` integer;
--> statement-breakpoint
-- Backups and the bucket carry the same id, so that none of another registry is taken for this one's.
INSERT INTO registry_identity (id) VALUES ('reg_' || lower(hex(randomblob(16))));
--> statement-breakpoint
-- Since when the newest version of an address waits: the version before this one wrote no time.
DROP TRIGGER addresses_queue_new;
--> statement-breakpoint
DROP TRIGGER addresses_queue_changed;
--> statement-breakpoint
CREATE TRIGGER addresses_queue_new AFTER INSERT ON addresses WHEN substr(new.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO journal_queue (canonical, version, queued_at) VALUES (new.canonical, new.version, cast(unixepoch('subsec') * 1000 AS integer)) ON CONFLICT (canonical) DO UPDATE SET version = excluded.version; END;
--> statement-breakpoint
CREATE TRIGGER addresses_queue_changed AFTER UPDATE ON addresses WHEN new.version > old.version AND substr(new.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO journal_queue (canonical, version, queued_at) VALUES (new.canonical, new.version, cast(unixepoch('subsec') * 1000 AS integer)) ON CONFLICT (canonical) DO UPDATE SET version = excluded.version; END;
--> statement-breakpoint
-- What ends or replaces something of an account has to hold through a loss of the database: a phone, a password, a recovery code, a role, a
-- suspension, a closing, and the revocation and scopes of a key.
CREATE TRIGGER users_queue AFTER UPDATE OF phone, phone_verified, password_hash, recovery_hash, role, disabled_at, erase_at, share_count ON users BEGIN INSERT INTO account_journal_queue (user_id, version) VALUES (new.id, cast(unixepoch('subsec') * 1000 AS integer)) ON CONFLICT (user_id) DO UPDATE SET version = max(excluded.version, version + 1); END;
--> statement-breakpoint
CREATE TRIGGER api_keys_queue AFTER UPDATE OF revoked_at, scopes ON api_keys BEGIN INSERT INTO account_journal_queue (user_id, version) VALUES (new.user_id, cast(unixepoch('subsec') * 1000 AS integer)) ON CONFLICT (user_id) DO UPDATE SET version = max(excluded.version, version + 1); END;
--> statement-breakpoint
CREATE TRIGGER users_leave_queue AFTER DELETE ON users BEGIN DELETE FROM account_journal_queue WHERE user_id = old.id; END;
