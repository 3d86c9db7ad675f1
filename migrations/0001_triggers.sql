-- What every registry holds from the start. The address that all examples name (src/codes/demo.ts), and addresses to test against: one that
-- is found, one retired, one retired with a successor, one private, and one that moves each minute. Nobody owns them. They are written before
-- the triggers are made, so that neither the journal nor the feed of changes names them.
INSERT INTO addresses (canonical, zone_name, region, lat, lng, label, owner_id, created_at, visibility, retired_at, successor) VALUES
	('NG137748215', 'Somolu 2 km south', 'Lagos', 6.5244, 3.3792, 'Blue gate, behind the mosque', 'usr_nobody', 1767225600000, 'public', NULL, NULL),
	('ZZ000000009', 'TEST', '', 6.5244, 3.3792, 'Found', 'usr_nobody', 1767225600000, 'public', NULL, NULL),
	('ZZ000000017', 'TEST', '', 6.5244, 3.3792, 'Retired', 'usr_nobody', 1767225600000, 'public', 1767225600000, NULL),
	('ZZ000000025', 'TEST', '', 6.5244, 3.3792, 'Retired for another', 'usr_nobody', 1767225600000, 'public', 1767225600000, 'ZZ000000009'),
	('ZZ000000033', 'TEST', '', 6.5244, 3.3792, 'Private', 'usr_nobody', 1767225600000, 'private', NULL, NULL),
	('ZZ000000041', 'TEST', '', 6.5244, 3.3792, 'Moving', 'usr_nobody', 1767225600000, 'public', NULL, NULL);
--> statement-breakpoint
-- A feed begins with a row of its own, to which the cursor of whoever has read nothing yet points.
INSERT INTO changes (canonical, kind, at) VALUES ('', 'reset', cast(unixepoch('subsec') * 1000 AS integer));
--> statement-breakpoint
-- What was attested stays: the database itself refuses to change it. It goes with an address that is erased, which leaves its burnt code,
-- and at no other time; so does the history of an address.
CREATE TRIGGER attestations_keep BEFORE UPDATE ON attestations BEGIN SELECT RAISE(ABORT, 'attestations are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER attestations_stay BEFORE DELETE ON attestations WHEN NOT EXISTS (SELECT 1 FROM burnt_codes WHERE canonical = old.canonical) BEGIN SELECT RAISE(ABORT, 'attestations are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER address_changes_keep BEFORE UPDATE ON address_changes BEGIN SELECT RAISE(ABORT, 'the history of an address is only ever added to'); END;
--> statement-breakpoint
CREATE TRIGGER address_changes_stay BEFORE DELETE ON address_changes WHEN NOT EXISTS (SELECT 1 FROM burnt_codes WHERE canonical = old.canonical) BEGIN SELECT RAISE(ABORT, 'the history of an address is only ever added to'); END;
--> statement-breakpoint
-- Phone proofs go with an account that is erased, and at no other time.
CREATE TRIGGER phone_proofs_keep BEFORE UPDATE ON phone_proofs BEGIN SELECT RAISE(ABORT, 'phone proofs are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER phone_proofs_stay BEFORE DELETE ON phone_proofs WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN SELECT RAISE(ABORT, 'phone proofs are only ever added'); END;
--> statement-breakpoint
-- What operators did stays as it was written. Where the person is erased whom it concerned, their name and the reason go, and no more.
CREATE TRIGGER operator_acts_stay BEFORE DELETE ON operator_acts BEGIN SELECT RAISE(ABORT, 'operator acts are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER operator_acts_keep BEFORE UPDATE ON operator_acts WHEN new.reason <> '' OR new.id IS NOT old.id OR new.at IS NOT old.at OR new.operator IS NOT old.operator OR new.act IS NOT old.act OR new.detail IS NOT old.detail OR new.request_id IS NOT old.request_id OR old.user_id = '' OR EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN SELECT RAISE(ABORT, 'operator acts are only ever added'); END;
--> statement-breakpoint
-- A burnt code is never issued again: the database itself refuses an address under it, and keeps it burnt. Nothing of it may change,
-- but that what it leads to is forgotten with an account.
CREATE TRIGGER addresses_under_no_burnt_code BEFORE INSERT ON addresses WHEN EXISTS (SELECT 1 FROM burnt_codes WHERE canonical = new.canonical) BEGIN SELECT RAISE(ABORT, 'a burnt code is never issued again'); END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_stay BEFORE DELETE ON burnt_codes BEGIN SELECT RAISE(ABORT, 'burnt codes are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_keep BEFORE UPDATE ON burnt_codes WHEN new.canonical IS NOT old.canonical OR new.retired_at IS NOT old.retired_at OR new.successor IS NOT NULL BEGIN SELECT RAISE(ABORT, 'burnt codes are only ever added'); END;
--> statement-breakpoint
-- A code that is minted or burnt is no longer free. Together with the insert this is one atomic statement.
CREATE TRIGGER addresses_leave_last_codes AFTER INSERT ON addresses BEGIN DELETE FROM last_codes WHERE canonical = new.canonical; END;
--> statement-breakpoint
CREATE TRIGGER burnt_codes_leave_last_codes AFTER INSERT ON burnt_codes BEGIN DELETE FROM last_codes WHERE canonical = new.canonical; END;
--> statement-breakpoint
-- A closed account hides its addresses at once, and shows them again when its holder comes back in time. In the database, so that no way
-- to sign in can forget it.
CREATE TRIGGER users_close AFTER UPDATE OF erase_at ON users WHEN old.erase_at IS NULL AND new.erase_at IS NOT NULL BEGIN UPDATE addresses SET retired_at = cast(unixepoch('subsec') * 1000 AS integer), closed_with_account = 1, version = version + 1, updated_at = cast(unixepoch('subsec') * 1000 AS integer) WHERE owner_id = new.id AND retired_at IS NULL; END;
--> statement-breakpoint
CREATE TRIGGER users_reopen AFTER UPDATE OF erase_at ON users WHEN old.erase_at IS NOT NULL AND new.erase_at IS NULL BEGIN UPDATE addresses SET retired_at = NULL, closed_with_account = 0, version = version + 1, updated_at = cast(unixepoch('subsec') * 1000 AS integer) WHERE owner_id = new.id AND closed_with_account = 1; END;
--> statement-breakpoint
-- What the journal does not hold yet is noted where it is written: by the account's own requests, by closing it, and by operators alike.
-- Sandbox addresses (ZZ) need not come back.
CREATE TRIGGER addresses_queue_new AFTER INSERT ON addresses WHEN substr(new.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO journal_queue (canonical, version) VALUES (new.canonical, new.version) ON CONFLICT (canonical) DO UPDATE SET version = excluded.version; END;
--> statement-breakpoint
CREATE TRIGGER addresses_queue_changed AFTER UPDATE ON addresses WHEN new.version > old.version AND substr(new.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO journal_queue (canonical, version) VALUES (new.canonical, new.version) ON CONFLICT (canonical) DO UPDATE SET version = excluded.version; END;
--> statement-breakpoint
CREATE TRIGGER addresses_leave_queue AFTER DELETE ON addresses BEGIN DELETE FROM journal_queue WHERE canonical = old.canonical; END;
--> statement-breakpoint
-- The feed of changes is written where addresses are, so that no path can forget it. It never names sandbox addresses (ZZ). Ending links or
-- handing an address to another account changes nothing that readers see.
CREATE TRIGGER addresses_feed_new AFTER INSERT ON addresses WHEN substr(new.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO changes (canonical, kind, at) VALUES (new.canonical, 'created', cast(unixepoch('subsec') * 1000 AS integer)); END;
--> statement-breakpoint
CREATE TRIGGER addresses_feed_changed AFTER UPDATE ON addresses WHEN new.version > old.version AND substr(new.canonical, 1, 2) <> 'ZZ' AND new.share_count = old.share_count AND new.owner_id = old.owner_id BEGIN INSERT INTO changes (canonical, kind, at) SELECT new.canonical, kind, cast(unixepoch('subsec') * 1000 AS integer) FROM (SELECT CASE WHEN new.retired_at IS NOT NULL THEN iif(old.retired_at IS NULL, 'retired', NULL) WHEN old.retired_at IS NOT NULL THEN 'shown' WHEN (new.hidden_at IS NOT NULL OR new.visibility <> 'public') <> (old.hidden_at IS NOT NULL OR old.visibility <> 'public') THEN iif((new.hidden_at IS NOT NULL OR new.visibility <> 'public'), 'hidden', 'shown') WHEN new.lat IS NOT old.lat OR new.lng IS NOT old.lng THEN 'moved' WHEN new.verified_at IS NOT old.verified_at OR new.verification_level > old.verification_level THEN 'verified' ELSE 'changed' END AS kind) WHERE kind IS NOT NULL; END;
--> statement-breakpoint
CREATE TRIGGER addresses_feed_erased AFTER DELETE ON addresses WHEN substr(old.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO changes (canonical, kind, at) VALUES (old.canonical, 'erased', cast(unixepoch('subsec') * 1000 AS integer)); END;
