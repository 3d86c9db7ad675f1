-- The time of a change that readers can see, also where accounts close and open again.
DROP TRIGGER users_close;
--> statement-breakpoint
DROP TRIGGER users_reopen;
--> statement-breakpoint
CREATE TRIGGER users_close AFTER UPDATE OF erase_at ON users WHEN old.erase_at IS NULL AND new.erase_at IS NOT NULL BEGIN UPDATE addresses SET retired_at = cast(unixepoch('subsec') * 1000 AS integer), closed_with_account = 1, version = version + 1, updated_at = cast(unixepoch('subsec') * 1000 AS integer) WHERE owner_id = new.id AND retired_at IS NULL; END;
--> statement-breakpoint
CREATE TRIGGER users_reopen AFTER UPDATE OF erase_at ON users WHEN old.erase_at IS NOT NULL AND new.erase_at IS NULL BEGIN UPDATE addresses SET retired_at = NULL, closed_with_account = 0, version = version + 1, updated_at = cast(unixepoch('subsec') * 1000 AS integer) WHERE owner_id = new.id AND closed_with_account = 1; END;
--> statement-breakpoint
-- The feed of changes is written where addresses are, so that no path can forget it. It never names sandbox addresses (ZZ). Ending links or handing an address to another account changes nothing that readers see.
CREATE TRIGGER addresses_feed_new AFTER INSERT ON addresses WHEN substr(new.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO changes (canonical, kind, at) VALUES (new.canonical, 'created', cast(unixepoch('subsec') * 1000 AS integer)); END;
--> statement-breakpoint
CREATE TRIGGER addresses_feed_changed AFTER UPDATE ON addresses WHEN new.version > old.version AND substr(new.canonical, 1, 2) <> 'ZZ' AND new.share_count = old.share_count AND new.owner_id = old.owner_id BEGIN INSERT INTO changes (canonical, kind, at) SELECT new.canonical, kind, cast(unixepoch('subsec') * 1000 AS integer) FROM (SELECT CASE WHEN new.retired_at IS NOT NULL THEN iif(old.retired_at IS NULL, 'retired', NULL) WHEN old.retired_at IS NOT NULL THEN 'shown' WHEN (new.hidden_at IS NOT NULL OR new.visibility <> 'public') <> (old.hidden_at IS NOT NULL OR old.visibility <> 'public') THEN iif((new.hidden_at IS NOT NULL OR new.visibility <> 'public'), 'hidden', 'shown') WHEN new.lat IS NOT old.lat OR new.lng IS NOT old.lng THEN 'moved' WHEN new.verified_at IS NOT old.verified_at OR new.verification_level > old.verification_level THEN 'verified' ELSE 'changed' END AS kind) WHERE kind IS NOT NULL; END;
--> statement-breakpoint
CREATE TRIGGER addresses_feed_erased AFTER DELETE ON addresses WHEN substr(old.canonical, 1, 2) <> 'ZZ' BEGIN INSERT INTO changes (canonical, kind, at) VALUES (old.canonical, 'erased', cast(unixepoch('subsec') * 1000 AS integer)); END;
--> statement-breakpoint
-- A feed begins with a row of its own, to which the cursor of whoever has read nothing yet points.
INSERT INTO changes (canonical, kind, at) VALUES ('', 'reset', cast(unixepoch('subsec') * 1000 AS integer));
