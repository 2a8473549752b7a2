-- What a model made of notes, for search by meaning (MEM-10). It can be made again at any time:
-- `fingerprint` is that of the note when it was made, and where the note has another by now the
-- row is out of date. `change_number` grows with each row that is written, so that whoever has
-- the rows in memory reads only those that came since.

CREATE TABLE memory_vectors (
    observation_id INTEGER NOT NULL PRIMARY KEY
        REFERENCES memory_observations (id) ON DELETE CASCADE,
    workspace TEXT NOT NULL,
    model TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    change_number BIGINT NOT NULL,
    vectors BLOB NOT NULL
);
CREATE INDEX memory_vectors_by_change ON memory_vectors (workspace, model, change_number);
