-- A code that is minted is no longer free. Together with the insert this is one atomic statement.
CREATE TRIGGER addresses_leave_last_codes AFTER INSERT ON addresses BEGIN DELETE FROM last_codes WHERE canonical = new.canonical; END;
