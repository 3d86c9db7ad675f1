-- The address that every example names (src/addresses/demo.ts). Its owner is no account, so nobody can change or retire it.
INSERT INTO addresses (canonical, zone_name, lat, lng, label, owner_id, created_at) VALUES ('NG031148211', 'Surulere north', 6.5244, 3.3792, 'Blue gate, behind the mosque', 'usr_nobody', 1767225600000) ON CONFLICT DO NOTHING;
