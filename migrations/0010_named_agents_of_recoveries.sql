ALTER TABLE `users` ADD `recovery_requested_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `recovery_agent_id` text;--> statement-breakpoint
-- Requests that name no agent end here, each with an act that operators see. They lapse after 37 days. Without a code that was shown, nobody
-- but an operator can ask again.
INSERT INTO operator_acts (id, at, operator, act, detail, subject, user_id, reason, request_id) SELECT 'act_' || lower(hex(randomblob(11))), cast(unixepoch('subsec') * 1000 AS integer), 'registry', 'recovery-ended', '', id, id, 'Version 1.4.0: a recovery now names the agent who may end it. Ask for it again, and name one.', '' FROM users WHERE recovery_asked_at > cast(unixepoch('subsec') * 1000 AS integer) - 3196800000 AND recovery_given_at IS NULL;--> statement-breakpoint
UPDATE users SET recovery_asked_at = NULL WHERE recovery_asked_at IS NOT NULL;
