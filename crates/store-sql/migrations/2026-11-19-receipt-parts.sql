-- What receipts list, each line once: one send lists almost what the send before it did, so
-- that a list is kept as the numbers of its lines (REL-9).
CREATE TABLE receipt_parts (
    id INTEGER NOT NULL PRIMARY KEY,
    digest TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE UNIQUE INDEX receipt_parts_by_digest ON receipt_parts (digest);
