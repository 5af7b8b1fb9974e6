-- A log as the first schema wrote it. It stays as it is for ever: whatever comes, it must open.
PRAGMA application_id=1346719299;
PRAGMA user_version=1;
PRAGMA journal_mode=WAL;
BEGIN TRANSACTION;
CREATE TABLE events (
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    time FLOAT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (id)
);
INSERT INTO "events" VALUES(1,'e1','answer',1000000000.25,'{"better":"tea","sure":0.5,"worse":"caffè"}');
INSERT INTO "events" VALUES(2,'e2','undo',1000000001.5,'{"of":"e1"}');
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed: append another'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never deleted: append another'); END;
CREATE TRIGGER events_come_in_order BEFORE INSERT ON events
    WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM events)
        OR EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'events have the next number and an id of their own'); END;
COMMIT;
