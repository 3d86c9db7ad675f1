ALTER TABLE `api_keys` ADD `sandbox` integer DEFAULT false NOT NULL;
--> statement-breakpoint
-- Addresses to test against, in every registry: one that is found, one retired, one retired with a successor. Nobody owns them.
INSERT INTO addresses (canonical, zone_name, lat, lng, label, owner_id, created_at, retired_at, successor) VALUES ('ZZ000000009', 'TEST', 6.5244, 3.3792, 'Found', 'usr_nobody', 1767225600000, NULL, NULL), ('ZZ000000017', 'TEST', 6.5244, 3.3792, 'Retired', 'usr_nobody', 1767225600000, 1767225600000, NULL), ('ZZ000000025', 'TEST', 6.5244, 3.3792, 'Retired for another', 'usr_nobody', 1767225600000, 1767225600000, 'ZZ000000009') ON CONFLICT DO NOTHING;
