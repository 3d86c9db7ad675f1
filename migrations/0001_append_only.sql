-- What was attested stays: the database itself refuses to change or delete it.
CREATE TRIGGER attestations_keep BEFORE UPDATE ON attestations BEGIN SELECT RAISE(ABORT, 'attestations are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER attestations_stay BEFORE DELETE ON attestations BEGIN SELECT RAISE(ABORT, 'attestations are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER phone_proofs_keep BEFORE UPDATE ON phone_proofs BEGIN SELECT RAISE(ABORT, 'phone proofs are only ever added'); END;
--> statement-breakpoint
CREATE TRIGGER phone_proofs_stay BEFORE DELETE ON phone_proofs BEGIN SELECT RAISE(ABORT, 'phone proofs are only ever added'); END;
