-- Notes that also stand in files which several people share (MEM-17). A note has the same `uid`
-- in each of their stores, where its ids differ. `memory_synced` says what the last sync of a
-- folder left on both sides, so that the next one knows which side has changed; its rows stay
-- when a note is deleted, so that the file is not taken for a new note.

CREATE TABLE memory_uids (
    observation_id INTEGER NOT NULL PRIMARY KEY
        REFERENCES memory_observations (id) ON DELETE CASCADE,
    workspace TEXT NOT NULL,
    uid TEXT NOT NULL,
    UNIQUE (workspace, uid)
);

CREATE TABLE memory_synced (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    folder TEXT NOT NULL,
    uid TEXT NOT NULL,
    path TEXT NOT NULL,
    file_hash TEXT NOT NULL,
    note_hash TEXT NOT NULL,
    PRIMARY KEY (workspace, folder, uid)
);
