CREATE TABLE `journal_queue` (
	`canonical` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
-- What the journal does not hold yet is noted where it is written: by the account's own requests, by closing it, and by operators alike. Sandbox addresses (ZZ) need not come back.
CREATE TRIGGER addresses_queue_new AFTER INSERT ON addresses WHEN substr(new.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO journal_queue (canonical, version) VALUES (new.canonical, new.version) ON CONFLICT (canonical) DO UPDATE SET version = excluded.version; END;
--> statement-breakpoint
CREATE TRIGGER addresses_queue_changed AFTER UPDATE ON addresses WHEN new.version > old.version AND substr(new.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO journal_queue (canonical, version) VALUES (new.canonical, new.version) ON CONFLICT (canonical) DO UPDATE SET version = excluded.version; END;
--> statement-breakpoint
CREATE TRIGGER addresses_leave_queue AFTER DELETE ON addresses BEGIN DELETE FROM journal_queue WHERE canonical = old.canonical; END;
