-- MEM-15: what a note names of its project, one a line (hash, size, time of change, name), and
-- the time from which it does not count any more. MEM-16: who wrote it.
ALTER TABLE memory_observations ADD COLUMN author TEXT;
ALTER TABLE memory_observations ADD COLUMN expires_at BIGINT;
ALTER TABLE memory_observations ADD COLUMN anchors TEXT;
ALTER TABLE memory_revisions ADD COLUMN author TEXT;

-- Few notes have these, and those few are asked for by themselves.
CREATE INDEX memory_observations_expiring ON memory_observations (expires_at)
    WHERE expires_at IS NOT NULL;
CREATE INDEX memory_observations_anchored ON memory_observations (workspace, updated_at)
    WHERE anchors IS NOT NULL;
CREATE INDEX memory_relations_superseding ON memory_relations (to_id, from_id)
    WHERE kind = 'supersedes';

-- What agents saved while a person looks at it first (MEM-16). It stands apart from the notes, so
-- that nothing that reads those finds it. With `of_id` it is a change of that note, and what is
-- NULL stays; without it is a note to be, and `id` is the number that it will have.
CREATE TABLE memory_pending (
    id INTEGER NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    of_id INTEGER REFERENCES memory_observations (id) ON DELETE CASCADE,
    saved_at BIGINT NOT NULL,
    author TEXT,
    session_id TEXT,
    kind TEXT,
    project TEXT,
    scope TEXT CHECK (scope IN ('project', 'personal')),
    namespace TEXT,
    topic_key TEXT,
    tool_name TEXT,
    expires_at BIGINT,
    anchors TEXT,
    relate_to TEXT NOT NULL,
    supersedes TEXT NOT NULL,
    title TEXT,
    content TEXT
);
CREATE INDEX memory_pending_in_order ON memory_pending (workspace, id);
CREATE INDEX memory_pending_by_note ON memory_pending (of_id);
