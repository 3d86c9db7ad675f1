ALTER TABLE `users` ADD `used_until` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `share_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `recovery_asked_at` integer;--> statement-breakpoint
-- A session that is deleted leaves when its account was used last, by which an account that nobody uses is known.
CREATE TRIGGER sessions_leave_last_use BEFORE DELETE ON sessions BEGIN UPDATE users SET used_until = max(coalesce(used_until, 0), coalesce(old.last_seen_at, old.created_at)) WHERE id = old.user_id; END;
