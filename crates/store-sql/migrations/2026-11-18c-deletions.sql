-- What was deleted and can be brought back (REC-5). A row of any table stands here as a JSON
-- object of its columns, so that nothing that reads the tables finds it. `part` says where it
-- belongs, `owner` what it belongs to, and `mentions` what it speaks of: the pair that a
-- request quoted, the bytes that a file has.

CREATE TABLE deletions (
    id TEXT NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    count BIGINT NOT NULL,
    words TEXT NOT NULL
);
CREATE INDEX deletions_in_order ON deletions (workspace, at, id);

CREATE TABLE deleted_rows (
    deletion_id TEXT NOT NULL REFERENCES deletions (id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    part TEXT NOT NULL,
    owner TEXT NOT NULL,
    mentions TEXT,
    cells TEXT NOT NULL,
    PRIMARY KEY (deletion_id, place)
);
CREATE INDEX deleted_rows_by_owner ON deleted_rows (part, owner);
CREATE INDEX deleted_rows_by_mention ON deleted_rows (part, mentions);

-- Notes that were deleted are looked for by their time, to be purged.
CREATE INDEX memory_observations_deleted ON memory_observations (deleted_at)
    WHERE deleted_at IS NOT NULL;
